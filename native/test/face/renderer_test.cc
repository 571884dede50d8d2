#include "visavis/face/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "check.h"
#include "drawn_face.h"

namespace visavis {
namespace {

using test::Expression;

struct Built {
  test::TempDir dir;
  std::shared_ptr<const Avatar> avatar;

  Built(int width, int height, Expression expression = Expression::kNeutral) {
    build_avatar(test::options_for(test::draw_face(width, height, expression), dir.path()));
    avatar = Avatar::load(dir.path());
  }
};

MouthPose random_pose(std::mt19937& random) {
  std::uniform_real_distribution<float> unit(0, 1);
  MouthPose pose;
  float sum = 0.2f * unit(random);
  for (std::size_t v = 0; v < kVisemeCount; ++v) sum += pose.weights[v] = std::pow(unit(random), 5.0f);
  for (float& weight : pose.weights) weight /= sum;
  pose.loudness = unit(random);
  return pose;
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

template <typename Check>
void each_plane(const I420View& a, const I420View& b, Check check) {
  check(a.y, a.stride_y, b.y, b.stride_y, a.width, a.height, 1);
  check(a.u, a.stride_uv, b.u, b.stride_uv, a.width / 2, a.height / 2, 2);
  check(a.v, a.stride_uv, b.v, b.stride_uv, a.width / 2, a.height / 2, 2);
}

// Counts differing pixels inside and outside of `box`.
struct Differences {
  std::size_t inside = 0, outside = 0;
};
Differences compare(const I420View& a, const I420View& b, const Box& box) {
  Differences d;
  each_plane(a, b, [&](const auto* p, int ps, const auto* q, int qs, int width, int height, int scale) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (p[y * ps + x] == q[y * qs + x]) continue;
        const bool in =
            x * scale >= box.x && x * scale < box.x + box.width && y * scale >= box.y && y * scale < box.y + box.height;
        ++(in ? d.inside : d.outside);
      }
    }
  });
  return d;
}

CHECK_CASE("a pose at rest gives the loop frame bit for bit") {
  const Built built(192, 192);
  const auto renderer = FaceRenderer::create(built.avatar);
  I420Frame out(192, 192);
  for (int frame = 0; frame < built.avatar->frame_count(); frame += 5) {
    MouthPose pose;
    pose.loudness = 1;
    pose.weights[0] = 1;  // Silence is rest.
    renderer->render(frame, pose, out.view());
    const Differences d = compare(built.avatar->frame(frame), out.view(), {});
    CHECK(d.inside == 0 && d.outside == 0);
  }
}

CHECK_CASE("outside of the face's box nothing changes, inside much does") {
  for (const Expression expression : {Expression::kNeutral, Expression::kSmiling}) {
    const Built built(256, 256, expression);
    const auto renderer = FaceRenderer::create(built.avatar);
    I420Frame out(256, 256);
    std::mt19937 random(11);
    for (int i = 0; i < 60; ++i) {
      const int frame = static_cast<int>(random() % 50);
      renderer->render(frame, random_pose(random), out.view());
      const Box& box = built.avatar->rig().face_box(frame);
      CHECK(box.x % 2 == 0 && box.y % 2 == 0 && box.width % 2 == 0 && box.height % 2 == 0);
      CHECK(box.x >= 0 && box.y >= 0 && box.x + box.width <= 256 && box.y + box.height <= 256);
      CHECK(box.width * box.height < 256 * 256 / 2);
      const Differences d = compare(built.avatar->frame(frame), out.view(), box);
      CHECK(d.outside == 0);
      CHECK(d.inside > 300);
    }
  }
}

CHECK_CASE("AVX2 and portable give the same bits") {
  if (!has_avx2()) {
    std::printf("skipped: this machine has no AVX2\n");
    CHECK_THROWS(std::runtime_error, FaceRenderer::create(Built(128, 128).avatar, WarpDevice::kAvx2));
    return;
  }
  struct Size {
    int width, height;
  };
  for (const Size size : {Size{256, 256}, Size{512, 512}, Size{720, 1280}, Size{300, 258}}) {
    const Built built(size.width, size.height, Expression::kSmiling);
    const auto fast = FaceRenderer::create(built.avatar, WarpDevice::kAvx2);
    const auto plain = FaceRenderer::create(built.avatar, WarpDevice::kPortable);
    CHECK(fast->device() == WarpDevice::kAvx2 && plain->device() == WarpDevice::kPortable);
    I420Frame a(size.width, size.height), b(size.width, size.height);
    std::mt19937 random(21);
    for (int i = 0; i < 40; ++i) {
      const MouthPose pose = random_pose(random);
      const int frame = static_cast<int>(random() % 50);
      fast->render(frame, pose, a.view());
      plain->render(frame, pose, b.view());
      CHECK(std::ranges::equal(a.bytes(), b.bytes()));
    }
  }
}

CHECK_CASE("a frame is the same whatever was drawn before it") {
  const Built built(256, 256, Expression::kSmiling);
  for (const WarpDevice device : {WarpDevice::kAuto, WarpDevice::kPortable}) {
    const auto used = FaceRenderer::create(built.avatar, device);
    I420Frame a(256, 256), b(256, 256);
    std::mt19937 random(5);
    for (int i = 0; i < 12; ++i) {
      const MouthPose pose = random_pose(random);
      const int frame = static_cast<int>(random() % 50);
      used->render(frame, pose, a.view());
      FaceRenderer::create(built.avatar, device)->render(frame, pose, b.view());
      CHECK(std::ranges::equal(a.bytes(), b.bytes()));
    }
  }
}

CHECK_CASE("a padded picture gets the same pixels and keeps its padding") {
  const Built built(192, 192);
  const auto renderer = FaceRenderer::create(built.avatar);
  I420Frame tight(192, 192);
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(Viseme::O)] = 1;
  renderer->render(3, pose, tight.view());
  std::vector<std::uint8_t> wide(256 * 192 + 2 * 128 * 96, 77);
  const I420MutView padded = {wide.data(), wide.data() + 256 * 192, wide.data() + 256 * 192 + 128 * 96, 256, 128, 192,
                              192};
  renderer->render(3, pose, padded);
  const Differences d = compare(tight.view(), padded, {});
  CHECK(d.inside == 0 && d.outside == 0);
  for (int y = 0; y < 192; ++y)
    CHECK(std::all_of(&wide[y * 256 + 192], &wide[y * 256 + 255] + 1, [](int v) { return v == 77; }));
}

CHECK_CASE("the mouth fades in from rest without a jump") {
  for (const Expression expression : {Expression::kNeutral, Expression::kSmiling}) {
    const Built built(256, 256, expression);
    const auto renderer = FaceRenderer::create(built.avatar);
    I420Frame before(256, 256), after(256, 256);
    renderer->render(0, {}, before.view());
    for (float weight = 0.01f; weight <= 1.0f; weight += 0.01f) {
      MouthPose pose;
      pose.weights[static_cast<std::size_t>(Viseme::aa)] = weight;
      renderer->render(0, pose, after.view());
      double sum = 0;
      for (std::size_t i = 0; i < 256 * 256; ++i) sum += std::abs(int{before.bytes()[i]} - int{after.bytes()[i]});
      CHECK(sum / (256 * 256) < 0.35);
      std::swap(before, after);
    }
  }
}

CHECK_CASE("an open mouth is dark behind bright teeth") {
  const Built built(512, 512);
  const auto renderer = FaceRenderer::create(built.avatar);
  I420Frame out(512, 512);
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(Viseme::aa)] = 1;
  pose.loudness = 1;
  renderer->render(0, pose, out.view());
  const Rig& rig = built.avatar->rig();
  std::vector<PointF> points(rig.point_count());
  pose_points(rig, 0, pose, points);
  const PointF top = points[13], bottom = points[14];
  int darkest = 255, brightest = 0;
  for (float t = 0.08f; t < 0.9f; t += 0.02f) {
    const int x = static_cast<int>(top.x + (bottom.x - top.x) * t),
              y = static_cast<int>(top.y + (bottom.y - top.y) * t);
    darkest = std::min(darkest, int{out.view().y[y * 512 + x]});
    brightest = std::max(brightest, int{out.view().y[y * 512 + x]});
  }
  CHECK(darkest < 60);
  CHECK(brightest > 120);
}

CHECK_CASE("poses that are not numbers or too heavy draw something sane") {
  const Built built(192, 192);
  const auto renderer = FaceRenderer::create(built.avatar);
  I420Frame out(192, 192);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  MouthPose pose;
  pose.weights.fill(nan);
  pose.loudness = nan;
  renderer->render(0, pose, out.view());
  const Differences rest = compare(built.avatar->frame(0), out.view(), {});
  CHECK(rest.inside == 0 && rest.outside == 0);
  pose.weights.fill(50.0f);
  pose.loudness = std::numeric_limits<float>::infinity();
  renderer->render(0, pose, out.view());
  CHECK(compare(built.avatar->frame(0), out.view(), built.avatar->rig().face_box(0)).outside == 0);
}

CHECK_CASE("a wrong frame or picture size is refused") {
  const Built built(192, 192);
  const auto renderer = FaceRenderer::create(built.avatar);
  I420Frame out(192, 192), small(190, 192);
  CHECK_THROWS(std::out_of_range, renderer->render(-1, {}, out.view()));
  CHECK_THROWS(std::out_of_range, renderer->render(50, {}, out.view()));
  CHECK_THROWS(std::invalid_argument, renderer->render(0, {}, small.view()));
  CHECK_THROWS(std::invalid_argument, FaceRenderer::create(nullptr));
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
