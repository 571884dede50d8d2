// Where the points are on the way from one picture of a face to another: found on the CPU, whatever draws it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

class MorphPlan {
 public:
  MorphPlan(int width, int height);

  // `share` (0..1) of the way from one end's points to the other's.
  void make(std::span<const PointF> from, std::span<const PointF> to, std::span<const Triangle> triangles, float share);

  std::uint32_t weight() const { return weight_; }  // 0..256, of the second picture.
  const Box& box() const { return box_; }           // Even, around what moves; empty where pictures are only mixed.
  std::span<const PointF> points() const { return points_; }
  // From where a point is by now to where it lies in either end.
  std::span<const PointF> offsets(std::size_t end) const { return offsets_[end]; }
  std::span<const Triangle> triangles() const { return triangles_; }  // Those that move.

 private:
  void place(std::span<const PointF> from, std::span<const PointF> to, float share);

  int width_, height_;
  std::uint32_t weight_ = 0;
  Box box_;
  std::vector<PointF> points_;
  std::array<std::vector<PointF>, 2> offsets_;
  std::vector<char> still_;
  std::vector<Triangle> triangles_;
};

}  // namespace visavis::face
