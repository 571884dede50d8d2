// Scan conversion of triangles and the affine functions over them.
#pragma once

#include "visavis/face/rig.h"
#include "warp_pixel.h"

namespace visavis::face {

// First pixel whose centre lies past `edge`, kept to [low, high]; numbers that are none give `low`.
VISAVIS_PIXEL_FUNCTION int first_center(float edge, int low, int high) {
  const float least = static_cast<float>(low), most = static_cast<float>(high);
  const float kept = edge > most ? most : edge > least ? edge : least;
  // Not negative here, so truncation rounds down; std::ceil would be a call on plain x86-64.
  return static_cast<int>(kept + 0.5f);
}

// Puts the upper point first; of two at one height the left one.
VISAVIS_PIXEL_FUNCTION void sort_down(PointF& p, PointF& q) {
  if (!(q.y < p.y || (q.y == p.y && q.x < p.x))) return;
  const PointF swapped = p;
  p = q;
  q = swapped;
}

// Calls span(y, x_begin, x_end) for each row of pixels whose centres lie in the triangle and in `clip`, which holds no
// negative coordinates. Triangles that share an edge share no pixel and leave none out: an edge gives the same crossing
// whichever triangle asks.
template <typename Span>
VISAVIS_PIXEL_FUNCTION void scan_triangle(PointF a, PointF b, PointF c, const Box& clip, Span span) {
  sort_down(a, b);
  sort_down(b, c);
  sort_down(a, b);
  const int low = clip.y, high = clip.y + clip.height;
  const int row_a = first_center(a.y, low, high), row_b = first_center(b.y, low, high);
  const int row_c = first_center(c.y, low, high);
  if (row_a == row_c) return;
  const float slope_ac = (c.x - a.x) / (c.y - a.y);
  const float slope_ab = (b.x - a.x) / (b.y - a.y), slope_bc = (c.x - b.x) / (c.y - b.y);
  const int left = clip.x, right = clip.x + clip.width;
  for (int y = row_a; y < row_c; ++y) {
    const float center = static_cast<float>(y) + 0.5f;
    const float along = a.x + (center - a.y) * slope_ac;
    const float other = y < row_b ? a.x + (center - a.y) * slope_ab : b.x + (center - b.y) * slope_bc;
    const bool swap = other < along;
    const int begin = first_center(swap ? other : along, left, right);
    const int end = first_center(swap ? along : other, left, right);
    if (begin < end) span(y, begin, end);
  }
}

// A pair of numbers that varies linearly over the picture and takes given values at three points.
struct LinearPair {
  PointF origin, at_origin, per_x, per_y;

  // False where the three points are in line.
  VISAVIS_PIXEL_FUNCTION static bool through(PointF a, PointF b, PointF c, PointF va, PointF vb, PointF vc,
                                             LinearPair& out) {
    const float ux = b.x - a.x, uy = b.y - a.y, wx = c.x - a.x, wy = c.y - a.y;
    const float det = ux * wy - uy * wx;
    if (!(det > 1e-6f || det < -1e-6f)) return false;
    const float per_det = 1.0f / det;
    const PointF p = {vb.x - va.x, vb.y - va.y}, q = {vc.x - va.x, vc.y - va.y};
    out.origin = a;
    out.at_origin = va;
    out.per_x = {(p.x * wy - q.x * uy) * per_det, (p.y * wy - q.y * uy) * per_det};
    out.per_y = {(q.x * ux - p.x * wx) * per_det, (q.y * ux - p.y * wx) * per_det};
    return true;
  }

  VISAVIS_PIXEL_FUNCTION PointF at(float x, float y) const {
    const float dx = x - origin.x, dy = y - origin.y;
    return {at_origin.x + per_x.x * dx + per_y.x * dy, at_origin.y + per_x.y * dx + per_y.y * dy};
  }
};

}  // namespace visavis::face
