// A frame must not touch the heap: this program counts every allocation.
#include <utility>
#include <vector>

#include "check.h"
#include "counted_heap.h"
#include "drawn_face.h"
#include "visavis/face/morph.h"
#include "visavis/face/renderer.h"

namespace visavis {
namespace {

using check::allocations;

std::shared_ptr<const Avatar> built(test::Expression expression) {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(256, 256, expression), dir.path()));
  return Avatar::load(dir.path());
}

MouthPose pose_of(int frame) {
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(frame) % kVisemeCount] = 1;
  pose.loudness = 0.6f;
  return pose;
}

CHECK_CASE("no frame allocates, at rest, speaking or between two tones") {
  const auto from = built(test::Expression::kNeutral), to = built(test::Expression::kSmiling);
  const std::vector<Triangle> triangles = morph_triangles(from->rig(), to->rig());
  CHECK(!triangles.empty());
  for (const WarpDevice device : {WarpDevice::kAuto, WarpDevice::kPortable}) {
    const auto left = FaceRenderer::create(from, device), right = FaceRenderer::create(to, device);
    const auto morph = FaceMorph::create(256, 256, device);
    I420Frame a(256, 256), b(256, 256), out(256, 256);
    std::vector<PointF> in_a(from->rig().point_count()), in_b(to->rig().point_count());
    const long before = allocations;
    for (int frame = 0; frame < 40; ++frame) {
      left->render(frame, pose_of(frame), a.view());
      right->render(frame, pose_of(frame + 3), b.view());
      pose_points(from->rig(), frame, pose_of(frame), in_a);
      pose_points(to->rig(), frame, pose_of(frame + 3), in_b);
      morph->render({std::as_const(a).view(), in_a}, {std::as_const(b).view(), in_b}, triangles,
                    static_cast<float>(frame) / 40, out.view());
    }
    CHECK(allocations == before);
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
