#include "talking_face.h"

#include <algorithm>
#include <cmath>

namespace visavis::test {

TalkingFace::TalkingFace(const DrawnFace& face, const std::string& tone) : out_(face.width, face.height) {
  BuildOptions options = options_for(face, dir_.path());
  options.tone = tone;
  build_avatar(options);
  avatar_ = Avatar::load(dir_.path());
  renderer_ = FaceRenderer::create(avatar_);
}

std::vector<PointF> TalkingFace::posed(const MouthPose& pose, int frame) const {
  std::vector<PointF> points(rig().point_count());
  pose_points(rig(), frame, pose, points);
  return points;
}

I420View TalkingFace::drawn(const MouthPose& pose, int frame) {
  renderer_->render(frame, pose, out_.view());
  return std::as_const(out_).view();
}

float TalkingFace::along(PointF d) const { return (d.x * rig().down.y - d.y * rig().down.x) / rig().px_per_mm; }

float TalkingFace::down(PointF d) const { return (d.x * rig().down.x + d.y * rig().down.y) / rig().px_per_mm; }

float TalkingFace::gap_mm(const MouthPose& pose, int frame) const {
  const std::vector<PointF> points = posed(pose, frame);
  const FaceContours& c = rig().contours;
  float gap = 0;
  for (std::size_t k = 0; k < c.inner_upper_lip.size(); ++k) {
    const PointF u = points[c.inner_upper_lip[k]], l = points[c.inner_lower_lip[k]];
    gap = std::max(gap, std::hypot(l.x - u.x, l.y - u.y));
  }
  return gap / rig().px_per_mm;
}

}  // namespace visavis::test
