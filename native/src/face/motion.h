// Renders the idle loop from one still: head turns in two and a half dimensions, breathing, brows, blinks and gaze.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expression_map.h"
#include "eye_warp.h"
#include "idle_timeline.h"
#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

class MotionRenderer {
 public:
  // All are kept by reference. With an expression, `shown` is the face that wears it.
  MotionRenderer(const Face& face, const I420View& still);
  MotionRenderer(const Face& face, const I420View& still, const Expression& expression, const Face& shown);

  // Where every point of the face goes in one frame.
  void place(const IdlePose& pose, std::vector<PointF>& points);

  // Writes one frame of the still's size; `points` as place() does.
  void render(const IdlePose& pose, I420MutView out, std::vector<PointF>& points);

 private:
  void lay_out_nodes();
  PointF field_at(PointF p) const;
  void lay_out_fields();
  void compose(const IdlePose& pose);
  void invert();
  void sample_plane(const std::uint8_t* from, int from_stride, std::uint8_t* to, int to_stride, int width, int height,
                    float scale) const;

  const Face& face_;
  I420View still_;
  EyeWarp eyes_;
  const Expression* expression_ = nullptr;
  std::optional<ExpressionMap> expressions_;
  int step_ = 8;  // Luma pixels between nodes.
  int nodes_x_ = 0, nodes_y_ = 0;
  // Per node: how much the head, the chest and the brows carry it, and its depth.
  std::vector<float> head_, chest_, brow_, depth_;
  std::vector<PointF> forward_;   // Displacement from still to frame, at the still's nodes.
  std::vector<PointF> backward_;  // From frame to still, at the frame's.
};

}  // namespace visavis::face
