#include "mouth_contact.h"

#include <algorithm>

namespace visavis::face {

namespace {

constexpr std::size_t kSeal = static_cast<std::size_t>(Viseme::PP), kBite = static_cast<std::size_t>(Viseme::FF);

}  // namespace

VisemeWeights with_contact(const VisemeWeights& weights) {
  const float seal = std::clamp(weights[kSeal] / kWholeContact, 0.0f, 1.0f);
  const float bite = std::clamp(weights[kBite] / kWholeContact, 0.0f, 1.0f - seal);
  const float left = 1 - seal - bite, others = 1 - weights[kSeal] - weights[kBite];
  // What is left to the others, and to rest among them, in the proportions they had.
  const float share = left > 0 ? left / others : 0.0f;
  VisemeWeights out = weights;
  for (float& weight : out) weight *= share;
  out[kSeal] = seal;
  out[kBite] = bite;
  return out;
}

}  // namespace visavis::face
