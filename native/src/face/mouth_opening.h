// The gap between the lips in one posed frame: which pixels it covers, and how deep under the upper lip they lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mouth_pixel.h"
#include "visavis/face/rig.h"

namespace visavis::face {

class MouthOpening {
 public:
  // Room for frames of `width` pixels.
  explicit MouthOpening(int width);

  // Takes the inner lips from posed points and smooths them through their points. Where the lips part, each edge moves
  // up to `grow_px` onto its lip.
  void trace(std::span<const PointF> points, const FaceContours& contours, const Box& clip, float grow_px);

  // Pixels outside of this box have no coverage.
  const Box& box() const { return box_; }

  // The columns that both lips reach; none where the last one comes before the first. columns()[x] is column x.
  int first_column() const { return first_; }
  int last_column() const { return last_; }
  std::span<const LipColumn> columns() const { return columns_; }

  static float shadow_per_px(float shadow_px) { return 1.0f / (shadow_px > 0.5f ? shadow_px : 0.5f); }

  // For columns box().x ... of row y: coverage[i] 0..255, and light[i] 0..255, where 255 is unshaded and `shadow`
  // (0..1) the darkening right under the upper lip, fading over `shadow_px`.
  void row(int y, float shadow, float shadow_px, std::uint8_t* coverage, std::uint8_t* light) const;

  // Darkening of the line where shut lips meet: 0..255 for columns seam_box().x ... of row y, `strength` 0..1, fading
  // over `reach_px` from the line. False where the row has none.
  bool seam_row(int y, float strength, float reach_px, std::uint8_t* dark) const;

  // What seam_row() can touch.
  Box seam_box(float reach_px, const Box& clip) const;

 private:
  void trace_lip(std::span<const PointF> points, const std::vector<std::uint16_t>& lip, float LipColumn::* edge,
                 float LipColumn::* soft);

  Box box_, clip_;
  int first_ = 0, last_ = -1;  // Columns both lips reach.
  std::vector<LipColumn> columns_;
};

}  // namespace visavis::face
