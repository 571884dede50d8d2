// Corrects the inner lips by what the picture shows.
#pragma once

#include "landmarks.h"
#include "mouth_shapes.h"
#include "visavis/image.h"

namespace visavis::face {

// Landmark models often see a gap between lips that are shut. Where the space between the inner lips looks like lip,
// the mouth is taken to be shut and both inner lips are moved onto the dark line between them. Returns whether it did.
bool snap_shut_lips(Face& face, const I420View& still);

// Turns the first point outside of each corner of the mouth so that the line along which the lips will shut leaves the
// corner without folding the skin around it.
void turn_corners(Face& face, const RestMouth& rest);

// Moves the inner edges of lips that are apart onto the lips: a rim of teeth that went along with a lip would show
// between lips that shut.
void hug_parted_lips(Face& face, const I420View& still);

}  // namespace visavis::face
