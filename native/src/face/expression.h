// A tone laid over one face: where every point of its mesh goes.
#pragma once

#include <vector>

#include "landmarks.h"
#include "mouth_shapes.h"
#include "tone.h"

namespace visavis::face {

struct Expression {
  // Displacement of every point in pixels of the still, at the tone's own amount. Brows and the lower face swell apart
  // from each other. What is `steady` does not: the lids, and how far the lips were brought together or parted.
  std::vector<PointF> brows, steady, lower;
  // The part of `steady` that parts the lips: without it they are as a viseme finds them.
  std::vector<PointF> parting;
  float smile = 0;            // 0..1: how much of the tone's smile the photograph did not have.
  ToneTarget target;          // The tone's amounts as they were laid over the face.
  float jaw_mm = 0;           // How far the jaw has dropped in it.
  bool paints_mouth = false;  // The opening is another than the photograph's.

  PointF at(std::size_t i, float brow_swell, float mouth_swell) const {
    const float b = 1 + brow_swell, m = 1 + mouth_swell;
    return {b * brows[i].x + steady[i].x + m * lower[i].x, b * brows[i].y + steady[i].y + m * lower[i].y};
  }
};

// What of the tone `face` does not wear yet, `strength` (0..1) of it. `rest` is the mouth as the photograph shows it.
Expression make_expression(const ToneTarget& tone, const Face& face, const RestMouth& rest, float strength);

// The face with the expression on it, its lips parted or as a viseme finds them.
Face expressed(const Face& face, const Expression& expression, bool parted);

}  // namespace visavis::face
