// Scan conversion of triangles and the affine functions over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "visavis/face/rig.h"

namespace visavis::face {

// First pixel whose centre lies past `edge`, kept to [low, high]; numbers that are none give `low`.
inline int first_center(float edge, int low, int high) {
  const float kept = std::max(static_cast<float>(low), std::min(edge, static_cast<float>(high)));
  // Not negative here, so truncation rounds down; std::ceil would be a call on plain x86-64.
  return static_cast<int>(kept + 0.5f);
}

// Calls span(y, x_begin, x_end) for each row of pixels whose centres lie in the triangle and in `clip`, which holds no
// negative coordinates. Triangles that
// share an edge share no pixel and leave none out: an edge gives the same crossing whichever triangle asks.
template <typename Span>
void scan_triangle(PointF a, PointF b, PointF c, const Box& clip, Span span) {
  const auto above = [](PointF p, PointF q) { return p.y < q.y || (p.y == q.y && p.x < q.x); };
  if (above(b, a)) std::swap(a, b);
  if (above(c, b)) std::swap(b, c);
  if (above(b, a)) std::swap(a, b);
  const int low = clip.y, high = clip.y + clip.height;
  const int row_a = first_center(a.y, low, high), row_b = first_center(b.y, low, high);
  const int row_c = first_center(c.y, low, high);
  if (row_a == row_c) return;
  const float slope_ac = (c.x - a.x) / (c.y - a.y);
  const auto rows = [&](int from, int to, PointF p, PointF q) {
    const float slope = (q.x - p.x) / (q.y - p.y);
    for (int y = from; y < to; ++y) {
      const float center = static_cast<float>(y) + 0.5f;
      float x0 = a.x + (center - a.y) * slope_ac;
      float x1 = p.x + (center - p.y) * slope;
      if (x1 < x0) std::swap(x0, x1);
      const int begin = first_center(x0, clip.x, clip.x + clip.width);
      const int end = first_center(x1, clip.x, clip.x + clip.width);
      if (begin < end) span(y, begin, end);
    }
  };
  rows(row_a, row_b, a, b);
  rows(row_b, row_c, b, c);
}

// A pair of numbers that varies linearly over the picture and takes given values at three points.
struct LinearPair {
  PointF origin, at_origin, per_x, per_y;

  // False where the three points are in line.
  static bool through(PointF a, PointF b, PointF c, PointF va, PointF vb, PointF vc, LinearPair& out) {
    const float ux = b.x - a.x, uy = b.y - a.y, wx = c.x - a.x, wy = c.y - a.y;
    const float det = ux * wy - uy * wx;
    if (!(std::fabs(det) > 1e-6f)) return false;
    const float per_det = 1.0f / det;
    const auto solve = [&](float v0, float v1, float v2, float& base, float& dx, float& dy) {
      const float p = v1 - v0, q = v2 - v0;
      dx = (p * wy - q * uy) * per_det;
      dy = (q * ux - p * wx) * per_det;
      base = v0;
    };
    out.origin = a;
    solve(va.x, vb.x, vc.x, out.at_origin.x, out.per_x.x, out.per_y.x);
    solve(va.y, vb.y, vc.y, out.at_origin.y, out.per_x.y, out.per_y.y);
    return true;
  }

  PointF at(float x, float y) const {
    const float dx = x - origin.x, dy = y - origin.y;
    return {at_origin.x + per_x.x * dx + per_y.x * dy, at_origin.y + per_x.y * dx + per_y.y * dy};
  }
};

}  // namespace visavis::face
