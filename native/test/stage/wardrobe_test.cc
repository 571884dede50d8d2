// The face changes its tone: what is shown between two loops, and which of them are kept.
#include "wardrobe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "check.h"
#include "drawn_face.h"

namespace visavis {
namespace {

using test::Expression;

constexpr int kSide = 256;
constexpr int kFadeFrames = 8;  // 320 ms.

std::shared_ptr<const Avatar> built(Expression expression, const std::function<void(BuildOptions&)>& change = {},
                                    int side = kSide) {
  const test::TempDir dir;
  const test::DrawnFace face = test::draw_face(side, side, expression);
  BuildOptions options = test::options_for(face, dir.path());
  if (change) change(options);
  build_avatar(options);
  return Avatar::load(dir.path());
}

struct Loops {
  std::shared_ptr<const Avatar> neutral = built(Expression::kNeutral);
  std::shared_ptr<const Avatar> smiling = built(Expression::kSmiling);
  // The same picture, moving in another way and for longer.
  std::shared_ptr<const Avatar> other = built(Expression::kNeutral, [](BuildOptions& options) {
    options.seed = 5;
    options.loop_seconds = 3;
  });
};
const Loops& loops() {
  static const Loops all;
  return all;
}

// A face to which every picture it shows is compared with the one before.
struct Face {
  explicit Face(std::shared_ptr<const Avatar> avatar = loops().neutral)
      : base(std::move(avatar)),
        wardrobe({base->width(), base->height(), base->fps(), base->frame_count()}, FaceRenderer::create(base), base,
                 25),
        picture(base->width(), base->height()),
        before(base->width(), base->height()) {}

  // The mean difference of the next picture's luma from the last one's.
  double step() {
    std::swap(picture, before);
    wardrobe.draw(frame++, pose, picture.view());
    return frame == 1 ? 0 : distance(before, picture);
  }
  double worst(int frames) {
    double most = 0;
    for (int i = 0; i < frames; ++i) most = std::max(most, step());
    return most;
  }
  bool shows(const Avatar& avatar, int index) const {
    const I420View view = avatar.frame(index);
    return std::equal(picture.bytes().begin(), picture.bytes().end(), view.y);
  }
  // Which frame of the loop is shown bit for bit, or -1.
  int shown_of(const Avatar& avatar) const {
    for (int index = 0; index < avatar.frame_count(); ++index) {
      if (shows(avatar, index)) return index;
    }
    return -1;
  }

  static double distance(const I420Frame& a, const I420Frame& b) {
    const std::size_t luma = static_cast<std::size_t>(a.width()) * a.height();
    double sum = 0;
    for (std::size_t i = 0; i < luma; ++i) sum += std::abs(int{a.bytes()[i]} - int{b.bytes()[i]});
    return sum / static_cast<double>(luma);
  }

  std::shared_ptr<const Avatar> base;
  Wardrobe wardrobe;
  I420Frame picture, before;
  MouthPose pose;
  std::int64_t frame = 0;
};

I420Frame frame_of(const Avatar& avatar, int index) {
  I420Frame frame(avatar.width(), avatar.height());
  const I420View view = avatar.frame(index);
  std::copy_n(view.y, i420_bytes(avatar.width(), avatar.height()), frame.view().y);
  return frame;
}

double cut() {
  return Face::distance(frame_of(*loops().neutral, 10), frame_of(*loops().smiling, 11));
}

CHECK_CASE("a change of tone takes 320 ms and passes without a jump, which a cut does not") {
  Face face;
  face.wardrobe.add("happy", loops().smiling);
  const double idle = face.worst(50);
  CHECK(face.wardrobe.wear("happy"));
  const double fading = face.worst(kFadeFrames - 1);
  CHECK(face.shown_of(*loops().smiling) == -1 && face.shown_of(*loops().neutral) == -1);
  const double arriving = face.step();
  CHECK(face.shown_of(*loops().smiling) >= 0);
  CHECK(std::max(fading, arriving) < 1.5 * idle);
  CHECK(cut() > 2 * idle);
  CHECK(face.worst(50) < 1.5 * idle);
}

CHECK_CASE("a wish that is taken back turns around, and a third one waits its turn") {
  Face face;
  face.wardrobe.add("happy", loops().smiling);
  face.wardrobe.add("curious", loops().other);
  const double idle = face.worst(50);
  double worst = 0;
  face.wardrobe.wear("happy");
  worst = std::max(worst, face.worst(5));
  face.wardrobe.wear("neutral");
  worst = std::max(worst, face.worst(4));
  CHECK(face.shown_of(*loops().neutral) == -1);
  // As long back as there.
  worst = std::max(worst, face.step());
  CHECK(face.shown_of(*loops().neutral) >= 0);

  face.wardrobe.wear("happy");
  worst = std::max(worst, face.worst(3));
  face.wardrobe.wear("curious");
  worst = std::max(worst, face.worst(4));
  CHECK(face.shown_of(*loops().smiling) == -1);
  worst = std::max(worst, face.step());
  CHECK(face.shown_of(*loops().smiling) >= 0);
  worst = std::max(worst, face.worst(kFadeFrames));
  CHECK(face.shown_of(*loops().other) >= 0);
  // Many wishes, of which the last counts.
  for (const char* tone : {"happy", "neutral", "happy", "curious", "neutral"}) {
    CHECK(face.wardrobe.wear(tone));
    worst = std::max(worst, face.step());
  }
  worst = std::max(worst, face.worst(3 * kFadeFrames));
  CHECK(face.shown_of(*loops().neutral) >= 0);
  CHECK(worst < 1.5 * idle);
}

CHECK_CASE("loops of one picture keep step, others are entered where the face lies nearest") {
  // The same motion of the same picture: the change is not seen at all.
  Face same;
  same.wardrobe.add("warm", built(Expression::kNeutral));
  same.worst(13);
  same.wardrobe.wear("warm");
  for (int i = 0; i < 2 * kFadeFrames; ++i) {
    same.step();
    CHECK(same.shows(*loops().neutral, static_cast<int>((same.frame - 1) % loops().neutral->frame_count())));
  }

  Face face;
  face.wardrobe.add("curious", loops().other);
  face.worst(30);
  face.wardrobe.wear("curious");
  const auto now = loops().neutral->rig().track(30);
  int nearest = -1;
  double least = 1e30;
  for (int k = 0; k < loops().other->frame_count(); ++k) {
    const auto track = loops().other->rig().track(k);
    double sum = 0;
    for (std::size_t i = 0; i < kLandmarkCount; ++i) {
      sum += std::pow(track[i].x - now[i].x, 2) + std::pow(track[i].y - now[i].y, 2);
    }
    if (sum < least) {
      least = sum;
      nearest = k;
    }
  }
  face.worst(kFadeFrames);
  const int shown = face.shown_of(*loops().other);
  const int frames = loops().other->frame_count();
  CHECK(shown >= 0);
  // As near as no other to within a frame: both tell apart by other points.
  const int off = ((shown - (kFadeFrames - 1) - nearest) % frames + frames) % frames;
  CHECK(off <= 1 || off == frames - 1);
  // And it goes on from there.
  face.step();
  CHECK(face.shown_of(*loops().other) == (shown + 1) % frames);
}

CHECK_CASE("shut lips stay shut on the way, an open mouth stays open") {
  const auto darkest = [](Face& face) {
    // Down the middle of the mouth, where an opening would be dark.
    const auto track = face.base->rig().track(static_cast<int>((face.frame - 1) % face.base->frame_count()));
    const I420View view = std::as_const(face.picture).view();
    int least = 255;
    const float reach = 4 * face.base->rig().px_per_mm;
    for (float d = -reach; d <= reach; d += 0.5f) {
      const int x = static_cast<int>(track[13].x), y = static_cast<int>((track[13].y + track[14].y) / 2 + d);
      least = std::min(least, int{view.y[y * view.stride_y + x]});
    }
    return least;
  };
  for (const Viseme viseme : {Viseme::PP, Viseme::aa}) {
    Face face;
    face.wardrobe.add("happy", loops().smiling);
    face.pose.weights[static_cast<std::size_t>(viseme)] = 1;
    face.pose.loudness = 1;
    face.worst(5);
    const int before = darkest(face);
    face.wardrobe.wear("happy");
    int least = 255, most = 0;
    for (int i = 0; i < kFadeFrames - 1; ++i) {
      face.step();
      least = std::min(least, darkest(face));
      most = std::max(most, darkest(face));
    }
    face.worst(1 + loops().neutral->frame_count() - 5);
    const int after = darkest(face);
    if (viseme == Viseme::PP) CHECK(least > std::min(before, after) - 12);
    if (viseme == Viseme::aa) CHECK(most < std::max(before, after) + 25);
  }
}

CHECK_CASE("an unknown tone changes nothing") {
  Face face;
  CHECK(!face.wardrobe.wear("happy"));
  CHECK(face.wardrobe.wear("neutral"));
  face.worst(20);
  CHECK(face.shows(*loops().neutral, 19));
}

CHECK_CASE("what does not fit is refused, and what was there stays") {
  Face face;
  face.wardrobe.add("happy", loops().smiling);
  CHECK_THROWS(std::invalid_argument, face.wardrobe.add("happy", built(Expression::kNeutral, {}, 192)));
  CHECK_THROWS(std::invalid_argument,
               face.wardrobe.add("sad", built(Expression::kNeutral, [](BuildOptions& o) { o.fps = 30; })));
  CHECK_THROWS(std::invalid_argument, face.wardrobe.add("sad", nullptr));
  CHECK(!face.wardrobe.wear("sad"));
  for (std::size_t i = 2; i < Wardrobe::kMaxTones; ++i) face.wardrobe.add(std::to_string(i), loops().smiling);
  CHECK_THROWS(std::invalid_argument, face.wardrobe.add("one too many", loops().smiling));
  face.wardrobe.add("happy", loops().smiling);
  CHECK(face.wardrobe.wear("happy"));
  face.worst(kFadeFrames);
  CHECK(face.shown_of(*loops().smiling) >= 0);
}

CHECK_CASE("a tone may be replaced while it is shown, and what is not shown any more is freed") {
  Face face;
  auto first = built(Expression::kSmiling);
  const std::weak_ptr<const Avatar> watched = first;
  const double idle = face.worst(50);
  face.wardrobe.add("happy", std::move(first));
  face.wardrobe.wear("happy");
  face.worst(kFadeFrames);
  face.wardrobe.add("happy", loops().other);
  CHECK(!watched.expired());
  CHECK(face.worst(kFadeFrames - 1) < 1.5 * idle);
  CHECK(!watched.expired());
  face.step();
  CHECK(watched.expired());
  CHECK(face.shown_of(*loops().other) >= 0);

  // In the middle of a change to it, and one that is not shown.
  auto second = built(Expression::kSmiling);
  const std::weak_ptr<const Avatar> passing = second;
  face.wardrobe.add("sad", std::move(second));
  face.wardrobe.wear("sad");
  face.worst(3);
  face.wardrobe.add("sad", loops().neutral);
  CHECK(face.worst(2 * kFadeFrames) < 2 * idle);
  CHECK(passing.expired());
  auto third = built(Expression::kSmiling);
  const std::weak_ptr<const Avatar> hidden = third;
  face.wardrobe.add("calm", std::move(third));
  face.wardrobe.add("calm", loops().other);
  CHECK(hidden.expired());
}

CHECK_CASE("a stand-in's loop is mixed with the tone's") {
  class Grey final : public FaceRenderer {
   public:
    void render(int, const MouthPose&, I420MutView out) override {
      std::fill_n(out.y, out.stride_y * out.height, std::uint8_t{100});
      std::fill_n(out.u, out.stride_uv * out.height / 2, std::uint8_t{128});
      std::fill_n(out.v, out.stride_uv * out.height / 2, std::uint8_t{128});
    }
    WarpDevice device() const override { return WarpDevice::kPortable; }
  };
  Wardrobe wardrobe({kSide, kSide, 25, 50}, std::make_unique<Grey>(), nullptr, 25);
  wardrobe.add("happy", loops().smiling);
  wardrobe.wear("happy");
  I420Frame picture(kSide, kSide);
  for (int frame = 0; frame < kFadeFrames / 2; ++frame) wardrobe.draw(frame, {}, picture.view());
  // Halfway, and halfway along the curve.
  for (std::size_t i = 0; i < kSide * kSide; i += 97) {
    CHECK_NEAR(picture.bytes()[i], (100 + loops().smiling->frame(kFadeFrames / 2 - 1).y[i]) / 2.0, 1);
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
