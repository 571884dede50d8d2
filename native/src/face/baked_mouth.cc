#include "baked_mouth.h"

#include <algorithm>

#include "mesh.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

constexpr std::size_t kVowel = static_cast<std::size_t>(Viseme::aa), kRoom = static_cast<std::size_t>(Viseme::O);

}  // namespace

// An avatar of a single frame, which changes.
class BakedMouth::OneFrame final : public Avatar {
 public:
  OneFrame(int width, int height) : picture(width, height) {}

  const Rig& rig() const override { return face; }
  int width() const override { return face.width; }
  int height() const override { return face.height; }
  int fps() const override { return face.fps; }
  int frame_count() const override { return 1; }
  I420View frame(int) const override { return picture.view(); }

  Rig face;
  I420Frame picture;
};

BakedMouth::BakedMouth(const Rig& rig, float jaw_mm) : avatar_(std::make_shared<OneFrame>(rig.width, rig.height)) {
  constexpr float kRoomMm = 3;
  Rig& face = avatar_->face;
  face = rig;
  face.tracks.clear();
  face.frame_count = 1;
  face.jaw.assign(rig.rest.size(), PointF{});
  face.jaw_mm = {};
  face.tongue_mm = {};
  for (auto& shape : face.shapes) shape.assign(rig.rest.size(), PointF{});
  // The vowel moves no point: the frame wears the mouth already. The other viseme is never used; it only keeps room for
  // soft edges around the lips.
  face.jaw_mm[kVowel] = jaw_mm;
  for (const auto* lip : {&rig.contours.outer_upper_lip, &rig.contours.outer_lower_lip}) {
    for (std::uint16_t id : *lip) face.shapes[kRoom][id] = rig.down * (kRoomMm * rig.px_per_mm);
  }
}

void BakedMouth::draw(std::span<const PointF> points, I420Frame& frame) {
  Rig& face = avatar_->face;
  face.tracks.assign(points.begin(), points.end());
  face.finish();
  MouthPose pose;
  pose.weights[kVowel] = 1;
  pose.loudness = kPlainLoudness;
  std::swap(avatar_->picture, frame);
  FaceRenderer::create(avatar_)->render(0, pose, frame.view());
}

}  // namespace visavis::face
