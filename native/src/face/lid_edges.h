// Corrects the lids' edges by what the picture shows.
#pragma once

#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

// Landmark models draw large eyes too small. Moves each point of a lid's edge outwards, by four millimetres at most,
// for as long as it lies on the white of the eye; lids that leave white outside could never cover it.
void widen_lids(Face& face, const I420View& still);

}  // namespace visavis::face
