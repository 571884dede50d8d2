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

// The rows of pixels whose centres lie in a triangle and in `clip`, which holds no negative coordinates, and the span
// of each. Triangles that share an edge share no pixel and leave none out: an edge gives the same crossing whichever
// triangle asks.
struct TriangleRows {
  PointF a, b;
  float slope_ac, slope_ab, slope_bc;
  int begin, middle, end;  // Rows; from `middle` on the edge from b to c takes the place of the one from a to b.

  // False where there are none.
  VISAVIS_PIXEL_FUNCTION static bool of(PointF a, PointF b, PointF c, const Box& clip, TriangleRows& out) {
    sort_down(a, b);
    sort_down(b, c);
    sort_down(a, b);
    const int low = clip.y, high = clip.y + clip.height;
    out.begin = first_center(a.y, low, high);
    out.middle = first_center(b.y, low, high);
    out.end = first_center(c.y, low, high);
    if (out.begin == out.end) return false;
    out.a = a;
    out.b = b;
    out.slope_ac = (c.x - a.x) / (c.y - a.y);
    out.slope_ab = (b.x - a.x) / (b.y - a.y);
    out.slope_bc = (c.x - b.x) / (c.y - b.y);
    return true;
  }

  // Columns `first` up to `last` of row y; none where they are equal or the wrong way round.
  VISAVIS_PIXEL_FUNCTION void span(int y, const Box& clip, int& first, int& last) const {
    const float center = static_cast<float>(y) + 0.5f;
    const float along = a.x + (center - a.y) * slope_ac;
    const float other = y < middle ? a.x + (center - a.y) * slope_ab : b.x + (center - b.y) * slope_bc;
    const bool swap = other < along;
    first = first_center(swap ? other : along, clip.x, clip.x + clip.width);
    last = first_center(swap ? along : other, clip.x, clip.x + clip.width);
  }
};

// Calls span(y, x_begin, x_end) for each row of the triangle that has pixels.
template <typename Span>
VISAVIS_PIXEL_FUNCTION void scan_triangle(PointF a, PointF b, PointF c, const Box& clip, Span span) {
  TriangleRows rows;
  if (!TriangleRows::of(a, b, c, clip, rows)) return;
  for (int y = rows.begin; y < rows.end; ++y) {
    int first, last;
    rows.span(y, clip, first, last);
    if (first < last) span(y, first, last);
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
