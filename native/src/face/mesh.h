// Small solvers over a planar triangle mesh.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

inline PointF operator+(PointF a, PointF b) { return {a.x + b.x, a.y + b.y}; }
inline PointF operator-(PointF a, PointF b) { return {a.x - b.x, a.y - b.y}; }
inline PointF operator*(PointF a, float s) { return {a.x * s, a.y * s}; }
inline float dot(PointF a, PointF b) { return a.x * b.x + a.y * b.y; }
inline float cross(PointF a, PointF b) { return a.x * b.y - a.y * b.x; }
inline float length(PointF a) { return std::sqrt(dot(a, a)); }

// Twice the signed area.
inline float signed_area2(PointF a, PointF b, PointF c) { return cross(b - a, c - a); }

// Moves points as little as it can until every triangle is oriented like `orientation` (+1 or -1) with at least
// min_area2[t] (twice the area, positive). mobility[i] in 0..1 says how willingly a point moves; 0 pins it. True when
// it got there within `rounds`.
bool untangle(std::span<const Triangle> triangles, float orientation, std::span<const float> min_area2,
              std::span<const float> mobility, std::span<PointF> points, int rounds);

// Fills in the displacement of the free points so that each is the mean of its neighbours', nearer ones counting more:
// the discrete harmonic extension of what is fixed.
class HarmonicExtension {
 public:
  HarmonicExtension(std::span<const Triangle> triangles, std::span<const PointF> points);

  // fixed[i] != 0 leaves displacement[i] as it is.
  void solve(std::span<const char> fixed, std::span<PointF> displacement) const;

 private:
  struct Link {
    std::uint32_t to;
    float weight;
  };
  std::vector<std::uint32_t> begin_;
  std::vector<Link> links_;
};

}  // namespace visavis::face
