// Folds of the skin that come and go with an expression, drawn as soft shade: a warp alone moves skin but never
// wrinkles it.
#pragma once

#include <vector>

#include "landmarks.h"
#include "tone.h"
#include "visavis/image.h"

namespace visavis::face {

struct Crease {
  std::vector<PointF> line;  // In pixels of the still that wears the expression.
  float width = 1;           // Standard deviation across, in pixels.
  float strength = 0;        // 0..1: how much of the light is lost at the middle.
};

// The folds the tone asks for. `shown` wears it; `smile` (0..1) is how much of its smile was laid over the photograph.
std::vector<Crease> find_creases(const ToneTarget& tone, const Face& shown, float smile);

// How much light each pixel of `box` loses, 0..1.
std::vector<float> shade_creases(const std::vector<Crease>& creases, const Box& box);

}  // namespace visavis::face
