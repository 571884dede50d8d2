// What a blend of visemes must keep whatever else is in it: lips that meet for p, b and m, and a lower lip at the upper
// teeth for f and v. A plain blend would leave half of an open vowel between lips that are said to be shut.
#pragma once

#include "visavis/viseme.h"

namespace visavis::face {

// The pose's weights with its contacts made whole: as PP or FF goes from a fifth to half of the weight, the pose goes
// the rest of the way to that viseme alone; PP comes before FF. What comes out is a blend too: it folds nothing that no
// blend folds.
VisemeWeights with_contact(const VisemeWeights& weights);

}  // namespace visavis::face
