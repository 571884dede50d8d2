// Corrects the lids' edges by what the picture shows.
#pragma once

#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

// Landmark models draw large eyes too small, and lids that leave white outside could never cover it. Takes the corners
// of each eye to where its white ends, by twelve millimetres at most, with the lids and the skin around; then moves
// each point of a lid's edge outwards, by four at most, for as long as it lies on the white. Leaves a picture without
// colour alone. May fold the mesh: settle() follows.
void widen_lids(Face& face, const I420View& still);

}  // namespace visavis::face
