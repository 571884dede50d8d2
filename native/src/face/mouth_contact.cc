#include "mouth_contact.h"

#include <algorithm>

namespace visavis::face {

namespace {

// The viseme's weight at which its contact begins, and at which it is whole.
constexpr float kFrom = 0.2f, kWhole = 0.5f;
constexpr std::size_t kSeal = static_cast<std::size_t>(Viseme::PP), kBite = static_cast<std::size_t>(Viseme::FF);

float eased(float weight) {
  const float t = std::clamp((weight - kFrom) / (kWhole - kFrom), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

VisemeWeights with_contact(const VisemeWeights& weights) {
  const float seal = eased(weights[kSeal]), bite = std::min(eased(weights[kBite]), 1 - seal);
  VisemeWeights out = weights;
  for (float& weight : out) weight *= 1 - seal - bite;
  out[kSeal] += seal;
  out[kBite] += bite;
  return out;
}

}  // namespace visavis::face
