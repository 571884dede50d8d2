#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "cards.h"
#include "check.h"
#include "cuda/gpu_session.h"
#include "drawn_face.h"
#include "visavis/face/morph.h"
#include "visavis/face/renderer.h"

namespace visavis {
namespace {

using check::cards;
using check::FakeRuntime;
using check::same_picture;
using check::Screen;
using cuda::DeviceErrorKind;
using Part = GpuSession::Part;
using test::Expression;

constexpr DeviceErrorKind kKinds[] = {DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kLost, DeviceErrorKind::kOther};

std::shared_ptr<const Avatar> built(int width, int height, Expression expression = Expression::kNeutral,
                                    float share = 0.42f) {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(width, height, expression, share), dir.path()));
  return Avatar::load(dir.path());
}
std::shared_ptr<const Avatar> small() {
  static const std::shared_ptr<const Avatar> avatar = built(128, 128, Expression::kSmiling);
  return avatar;
}

MouthPose random_pose(std::mt19937& random) {
  std::uniform_real_distribution<float> unit(0, 1);
  MouthPose pose;
  float sum = 0.2f * unit(random);
  for (std::size_t v = 0; v < kVisemeCount; ++v) sum += pose.weights[v] = std::pow(unit(random), 5.0f);
  // Some barely leave rest: the painted mouth fades in there.
  const float most = random() % 4 == 0 ? 0.1f * unit(random) : 1.0f;
  for (float& weight : pose.weights) weight *= most / sum;
  pose.loudness = unit(random);
  return pose;
}

struct Size {
  int width, height;
  Expression expression;
  float share;
};

CHECK_CASE("a GPU's frames are the processor's, bit for bit") {
  // Sides that are no multiple of a tile or a chunk, faces near the borders, lips apart and shut in the picture.
  const Size sizes[] = {{192, 192, Expression::kNeutral, 0.42f}, {300, 258, Expression::kSmiling, 0.42f},
                        {142, 210, Expression::kMaya, 0.6f},     {358, 134, Expression::kTheo, 0.55f},
                        {512, 512, Expression::kSmiling, 0.3f},  {720, 960, Expression::kMaya, 0.45f}};
  for (const auto& runtime : cards()) {
    std::mt19937 random(7);
    for (const Size& size : check::some_of(std::vector<Size>(std::begin(sizes), std::end(sizes)), 3)) {
      const auto avatar = built(size.width, size.height, size.expression, size.share);
      const auto session = std::make_shared<GpuSession>(runtime);
      const auto gpu = FaceRenderer::create(avatar, session);
      const auto plain = FaceRenderer::create(avatar, WarpDevice::kPortable);
      CHECK(gpu->device() == WarpDevice::kCuda && gpu->gpu() == session);
      I420Frame expected(size.width, size.height), got(size.width, size.height);
      Screen screen(runtime, size.width, size.height);
      for (int i = 0; i < 12; ++i) {
        const MouthPose pose = i == 3 ? MouthPose{} : random_pose(random);
        const int frame = static_cast<int>(random() % 50);
        plain->render(frame, pose, expected.view());
        gpu->render(frame, pose, got.view());
        CHECK(std::ranges::equal(expected.bytes(), got.bytes()));
        screen.spoil(session->stream());
        CHECK(gpu->render_on_gpu(frame, pose, screen.picture()));
        CHECK(same_picture(std::as_const(expected).view(), screen.look(session->stream()), 0x5C));
      }
      CHECK(session->why_left().empty());
    }
  }
}

CHECK_CASE("what lies between two tones is morphed to the same bits") {
  for (const auto& runtime : cards()) {
    for (const int side : {192, 314}) {
      const auto from = built(side, side), to = built(side, side, Expression::kSmiling);
      const std::vector<Triangle> triangles = morph_triangles(from->rig(), to->rig());
      const auto session = std::make_shared<GpuSession>(runtime);
      const auto gpu_from = FaceRenderer::create(from, session), gpu_to = FaceRenderer::create(to, session);
      const auto gpu = GpuMorph::create(side, side, session);
      CHECK(gpu != nullptr);
      const auto plain_from = FaceRenderer::create(from, WarpDevice::kPortable);
      const auto plain_to = FaceRenderer::create(to, WarpDevice::kPortable);
      const auto plain = FaceMorph::create(side, side, WarpDevice::kPortable);
      I420Frame a(side, side), b(side, side), expected(side, side);
      Screen screen(runtime, side, side);
      std::mt19937 random(3);
      std::vector<PointF> points(from->rig().point_count()), there(points.size());
      for (const float share : {0.0f, 0.05f, 0.37f, 0.5f, 0.93f, 1.0f}) {
        const MouthPose pose = random_pose(random);
        const int frame = static_cast<int>(random() % 50);
        pose_points(from->rig(), frame, pose, points);
        pose_points(to->rig(), frame, pose, there);
        plain_from->render(frame, pose, a.view());
        plain_to->render(frame, pose, b.view());
        // Faces of two meshes are only mixed.
        const auto mesh = share == 0.5f ? std::span<const Triangle>() : std::span<const Triangle>(triangles);
        plain->render({a.view(), points}, {b.view(), there}, mesh, share, expected.view());
        screen.spoil(session->stream());
        CHECK(gpu->render({gpu_from.get(), frame, points}, {gpu_to.get(), frame, there}, pose, mesh, share,
                          screen.picture()));
        CHECK(same_picture(std::as_const(expected).view(), screen.look(session->stream()), 0x5C));
      }
    }
  }
}

CHECK_CASE("sessions share an avatar's one copy on a card, and frames go up once") {
  const auto fake = std::make_shared<FakeRuntime>();
  const auto avatar = built(128, 128);
  const std::shared_ptr<GpuSession> sessions[] = {std::make_shared<GpuSession>(fake),
                                                  std::make_shared<GpuSession>(fake)};
  Screen screen(fake, 128, 128);
  screen.spoil(sessions[1]->stream());
  const auto calls_of = [&](const std::function<void()>& work) {
    const int before = fake->calls();
    work();
    return fake->calls() - before;
  };
  std::unique_ptr<FaceRenderer> first, second;
  const int made_first = calls_of([&] { first = FaceRenderer::create(avatar, sessions[0]); });
  const int made_second = calls_of([&] { second = FaceRenderer::create(avatar, sessions[1]); });
  CHECK(made_second < made_first);
  const auto draw = [&](FaceRenderer& renderer) {
    return calls_of([&] { CHECK(renderer.render_on_gpu(4, {}, screen.picture())); });
  };
  const int uploading = draw(*first);
  CHECK(draw(*second) < uploading);  // It waits on its stream for the other's copy,
  fake->synchronize(sessions[0]->stream().get());
  fake->synchronize(sessions[1]->stream().get());
  while (draw(*second) > 2) {  // until that has been seen to be there: then nothing is asked but the launch.
  }
  CHECK(draw(*first) == 1 && draw(*second) == 1);
  CHECK(same_picture(avatar->frame(4), screen.look(sessions[1]->stream())));
  first.reset();
  second.reset();
}

// Draws a few frames in both ways and checks them all; what the GPU refuses the processor draws.
void draw_all(const std::shared_ptr<FakeRuntime>& fake, const std::vector<I420Frame>& expected,
              const std::vector<MouthPose>& poses, bool on_gpu, std::string& why, int& fallen) {
  const auto session = std::make_shared<GpuSession>(fake);
  Screen screen(fake, 128, 128);  // Ends after the renderer, which waits for what it draws here.
  const auto renderer = FaceRenderer::create(small(), session);
  I420Frame frame(128, 128);
  fallen = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const int index = static_cast<int>(i % 3);
    if (on_gpu && renderer->render_on_gpu(index, poses[i], screen.picture())) {
      CHECK(same_picture(std::as_const(expected[i]).view(), screen.look(session->stream())));
      continue;
    }
    renderer->render(index, poses[i], frame.view());
    CHECK(std::ranges::equal(expected[i].bytes(), frame.bytes()));
    fallen += renderer->device() != WarpDevice::kCuda ? 1 : 0;
  }
  why = session->why_left(Part::kWarp);
}

CHECK_CASE("each call that fails leaves the same frames, the reason, and nothing held") {
  std::mt19937 random(29);
  std::vector<MouthPose> poses;
  std::vector<I420Frame> expected;
  const auto plain = FaceRenderer::create(small(), WarpDevice::kPortable);
  for (int i = 0; i < 5; ++i) {
    poses.push_back(i == 1 ? MouthPose{} : random_pose(random));
    expected.emplace_back(128, 128);
    plain->render(i % 3, poses.back(), expected.back().view());
  }
  for (const bool on_gpu : {false, true}) {
    const auto fake = std::make_shared<FakeRuntime>();
    std::string why;
    int fallen = 0;
    draw_all(fake, expected, poses, on_gpu, why, fallen);
    CHECK(why.empty() && fallen == 0);
    const int calls = fake->calls();
    int streamed = 0;
    for (const DeviceErrorKind kind : kKinds) {
      for (int call = 0; call < calls; ++call) {
        fake->fail_at(call, kind);
        try {
          draw_all(fake, expected, poses, on_gpu, why, fallen);
          // Without room for the loop, frames go up one by one. All else ends the GPU's part, but for the last call,
          // a renderer's own wait for its end.
          if (why.empty() && call < calls - 1) {
            CHECK(kind == DeviceErrorKind::kOutOfMemory && fallen == 0);
            ++streamed;
          }
        } catch (const cuda::DeviceError&) {
          // The session's own, or the test's own picture's.
        }
        CHECK(fake->alive() == 0);
      }
    }
    CHECK(streamed == 1);
  }
}

CHECK_CASE("a morph that the GPU refuses is left to the processor, and both ends go on") {
  const auto fake = std::make_shared<FakeRuntime>();
  const auto session = std::make_shared<GpuSession>(fake);
  const auto from = FaceRenderer::create(small(), session), to = FaceRenderer::create(small(), session);
  const std::vector<Triangle> triangles = morph_triangles(small()->rig(), small()->rig());
  Screen screen(fake, 128, 128);
  for (const DeviceErrorKind kind : {DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kOther}) {
    fake->never_fail();
    const auto probe = GpuMorph::create(128, 128, session);
    const auto draw = [&](GpuMorph& morph) {
      return morph.render({from.get(), 0, small()->rig().track(0)}, {to.get(), 9, small()->rig().track(9)}, {},
                          triangles, 0.5f, screen.picture());
    };
    for (int i = 0; i < 8; ++i) CHECK(draw(*probe));  // Until both frames are known to be there.
    fake->never_fail();
    CHECK(draw(*probe));
    // The last call of a morph is its own launch.
    const int last = fake->calls() - 1;
    fake->fail_at(last, kind);
    CHECK(!draw(*probe) && !draw(*probe));
    CHECK(from->device() == WarpDevice::kCuda && to->device() == WarpDevice::kCuda);
    CHECK(!session->why_left(Part::kWarp).empty());
    session->stream().synchronize();  // Before the screen ends.
    fake->fail_at(0, kind);
    CHECK(GpuMorph::create(128, 128, session) == nullptr);
  }
}

CHECK_CASE("a lost GPU ends every session on it in good order") {
  const auto fake = std::make_shared<FakeRuntime>();
  {
    const auto avatar = built(128, 128);
    std::vector<std::shared_ptr<GpuSession>> sessions;
    std::vector<std::unique_ptr<FaceRenderer>> renderers;
    for (int i = 0; i < 4; ++i) {
      sessions.push_back(std::make_shared<GpuSession>(fake));
      renderers.push_back(FaceRenderer::create(avatar, sessions.back()));
    }
    I420Frame expected(128, 128), got(128, 128);
    MouthPose pose;
    pose.weights[static_cast<std::size_t>(Viseme::O)] = 0.8f;
    FaceRenderer::create(avatar, WarpDevice::kPortable)->render(2, pose, expected.view());
    fake->fail_at(20, DeviceErrorKind::kLost);
    for (int round = 0; round < 4; ++round) {
      for (const auto& renderer : renderers) {
        renderer->render(2, pose, got.view());
        CHECK(std::ranges::equal(expected.bytes(), got.bytes()));
      }
    }
    for (std::size_t i = 0; i < renderers.size(); ++i) {
      CHECK(renderers[i]->device() != WarpDevice::kCuda && !sessions[i]->why_left(Part::kWarp).empty());
      CHECK(!renderers[i]->render_on_gpu(2, pose, {got.view()}));
    }
  }
  CHECK(fake->alive() == 0);
}

CHECK_CASE("a wrong frame or picture size is refused, and no machine draws on a GPU it does not have") {
  const auto session = std::make_shared<GpuSession>(std::make_shared<FakeRuntime>());
  const auto renderer = FaceRenderer::create(small(), session);
  I420Frame out(128, 128), narrow(126, 128);
  CHECK_THROWS(std::out_of_range, renderer->render(-1, {}, out.view()));
  CHECK_THROWS(std::out_of_range, renderer->render_on_gpu(50, {}, {out.view()}));
  CHECK_THROWS(std::invalid_argument, renderer->render(0, {}, narrow.view()));
  CHECK_THROWS(std::invalid_argument, renderer->render_on_gpu(0, {}, {narrow.view()}));
  CHECK_THROWS(std::invalid_argument, FaceRenderer::create(nullptr, session));
  CHECK(FaceRenderer::create(small(), std::shared_ptr<GpuSession>())->device() != WarpDevice::kCuda);
  if (find_gpu().gpu == nullptr) {
    CHECK_THROWS(std::runtime_error, FaceRenderer::create(small(), WarpDevice::kCuda));
  } else {
    CHECK(FaceRenderer::create(small(), WarpDevice::kCuda)->device() == WarpDevice::kCuda);
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
