// What a blend of visemes must keep whatever else is in it: lips that meet for p, b and m, and a lower lip at the upper
// teeth for f and v. A plain blend would leave half of an open vowel between lips that are said to be shut.
#pragma once

#include "visavis/viseme.h"

namespace visavis::face {

// The share of PP or FF from which on the contact is whole.
inline constexpr float kWholeContact = 0.8f;

// The pose's weights, each 0..1 with a sum of at most 1, with their contacts made whole: PP and FF take their weight
// divided by kWholeContact, up to all of it and PP before FF, and the others share what is left. That keeps to the pace
// at which a contact comes and goes: a steeper curve would make it snap. What comes out is a blend too: it folds
// nothing that no blend folds.
VisemeWeights with_contact(const VisemeWeights& weights);

}  // namespace visavis::face
