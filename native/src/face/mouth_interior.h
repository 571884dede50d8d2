// Paints what shows between the lips: cavity, tongue and teeth, lit to match the face.
#pragma once

#include "landmarks.h"
#include "mouth_shapes.h"
#include "visavis/image.h"

namespace visavis::face {

// Teeth that the photograph shows are used where they are; others are drawn from average dimensions of adult teeth.
MouthInterior paint_mouth(const Face& face, const RestMouth& rest, const I420View& still);

}  // namespace visavis::face
