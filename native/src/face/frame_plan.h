// What a pose asks of a frame's pixels: found once a frame on the CPU, whatever draws them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mouth_opening.h"
#include "visavis/face/rig.h"
#include "visavis/viseme.h"

namespace visavis::face {

// Weights in 0..1 with a sum of at most 1, whatever came in.
MouthPose sanitized(const MouthPose& pose);

class FramePlan {
 public:
  // A darkening or a change of colour along the line where the lips meet; none where the box is empty.
  struct SeamArea {
    Box box;  // Not even.
    float strength = 0, reach = 0;
  };

  explicit FramePlan(const Rig& rig);

  // `pose` is sanitized and not at rest.
  void make(int index, const MouthPose& pose);

  const Box& box() const { return box_; }
  std::span<const PointF> points() const { return points_; }    // Where each point goes,
  std::span<const PointF> offsets() const { return offsets_; }  // and back to where it comes from.
  // Those that move now, the opening's first: whatever skin overlaps them wins.
  std::span<const Triangle> triangles() const { return triangles_; }
  std::size_t most_triangles() const { return fill_.size() + moving_.size(); }

  const MouthOpening& opening() const { return opening_; }
  float shadow_px() const { return shadow_px_; }
  int fade() const { return fade_; }  // 0..256: how much of the painted mouth is seen.
  const SeamArea& dark_seam() const { return dark_seam_; }
  const SeamArea& color_seam() const { return color_seam_; }
  // The opening's box, or an empty one where there is nothing to paint in it.
  const Box& inside() const { return inside_; }
  // Position p of the frame is maps()[k].apply(p) of layer k: cavity, tongue, lower teeth, upper teeth.
  const std::array<Affine, 4>& maps() const { return maps_; }

 private:
  void place_layers(int index, const MouthPose& pose);

  const Rig& rig_;
  Box box_;
  std::vector<Triangle> moving_, fill_, triangles_;
  std::vector<PointF> points_, offsets_;
  std::vector<char> still_;
  MouthOpening opening_;
  float shadow_px_;
  int fade_ = 0;
  SeamArea dark_seam_, color_seam_;
  Box inside_;
  std::array<Affine, 4> maps_;
};

}  // namespace visavis::face
