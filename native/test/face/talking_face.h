// A drawn face that was built and can be asked what its mouth does in any pose.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drawn_face.h"
#include "visavis/face/renderer.h"

namespace visavis::test {

inline MouthPose pose_of(std::initializer_list<std::pair<Viseme, float>> weights, float loudness = 0.5f) {
  MouthPose pose;
  for (const auto& [viseme, weight] : weights) pose.weights[static_cast<std::size_t>(viseme)] += weight;
  pose.loudness = loudness;
  return pose;
}

inline constexpr float kCloseUp = 0.8f;  // Of the picture is face: some 1.5 pixels for a millimetre where it is 256 wide.

class TalkingFace {
 public:
  explicit TalkingFace(const DrawnFace& face, const std::string& tone = "neutral");

  const Rig& rig() const { return avatar_->rig(); }
  const Avatar& avatar() const { return *avatar_; }

  std::vector<PointF> posed(const MouthPose& pose, int frame = 0) const;
  I420View drawn(const MouthPose& pose, int frame = 0);  // Valid until the next call.

  // Millimetres in the face's own axes.
  float along(PointF d) const;  // x, towards the picture's right.
  float down(PointF d) const;   // y, towards the chin.

  // The widest opening between the inner lips, in millimetres.
  float gap_mm(const MouthPose& pose, int frame = 0) const;

 private:
  TempDir dir_;
  std::shared_ptr<const Avatar> avatar_;
  std::unique_ptr<FaceRenderer> renderer_;
  I420Frame out_;
};

inline TalkingFace close_up(Expression expression, const char* tone = "neutral", int side = 256) {
  return TalkingFace(draw_face(side, side, expression, kCloseUp), tone);
}

}  // namespace visavis::test
