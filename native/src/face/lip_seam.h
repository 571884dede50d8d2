// Corrects the inner lips by what the picture shows.
#pragma once

#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

// Landmark models often see a gap between lips that are shut. Where the space between the inner lips looks like lip, the
// mouth is taken to be shut and both inner lips are moved onto the dark line between them. Returns whether it did.
bool snap_shut_lips(Face& face, const I420View& still);

}  // namespace visavis::face
