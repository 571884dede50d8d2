#include "visavis/face/morph.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "check.h"
#include "drawn_face.h"

namespace visavis {
namespace {

using test::Expression;

constexpr int kSide = 256;

struct Pair {
  std::shared_ptr<const Avatar> from = built(Expression::kNeutral), to = built(Expression::kSmiling);
  std::vector<Triangle> triangles = morph_triangles(from->rig(), to->rig());

  static std::shared_ptr<const Avatar> built(Expression expression) {
    const test::TempDir dir;
    build_avatar(test::options_for(test::draw_face(kSide, kSide, expression), dir.path()));
    return Avatar::load(dir.path());
  }
  FaceMorph::End start() const { return {from->frame(7), from->rig().track(7)}; }
  FaceMorph::End end() const { return {to->frame(7), to->rig().track(7)}; }
};
const Pair& pair() {
  static const Pair the_pair;
  return the_pair;
}

I420Frame morphed(FaceMorph& morph, float share, std::span<const Triangle> triangles) {
  I420Frame out(kSide, kSide);
  morph.render(pair().start(), pair().end(), triangles, share, out.view());
  return out;
}

bool equal(const I420Frame& frame, const I420View& view) {
  return std::equal(frame.bytes().begin(), frame.bytes().end(), view.y);
}

CHECK_CASE("both ends are themselves, whatever lies beyond them") {
  const auto morph = FaceMorph::create(kSide, kSide);
  for (const float share : {-1.0f, 0.0f, std::nanf("")}) {
    CHECK(equal(morphed(*morph, share, pair().triangles), pair().from->frame(7)));
  }
  for (const float share : {1.0f, 4.0f}) CHECK(equal(morphed(*morph, share, pair().triangles), pair().to->frame(7)));
}

CHECK_CASE("AVX2 and portable give the same bits") {
  const auto fast = FaceMorph::create(kSide, kSide), plain = FaceMorph::create(kSide, kSide, WarpDevice::kPortable);
  for (const float share : {0.1f, 0.5f, 0.83f}) {
    const I420Frame a = morphed(*fast, share, pair().triangles), b = morphed(*plain, share, pair().triangles);
    CHECK(std::ranges::equal(a.bytes(), b.bytes()));
  }
}

CHECK_CASE("a frame is the same whatever was drawn before it") {
  const auto used = FaceMorph::create(kSide, kSide);
  for (const float share : {0.9f, 0.2f, 0.6f}) {
    const I420Frame a = morphed(*used, share, pair().triangles);
    const I420Frame b = morphed(*FaceMorph::create(kSide, kSide), share, pair().triangles);
    CHECK(std::ranges::equal(a.bytes(), b.bytes()));
  }
}

CHECK_CASE("a line moves from place to place instead of fading here and there") {
  // The edge of the upper lid in the middle of the left eye: dark on light, and nowhere twice.
  const auto morph = FaceMorph::create(kSide, kSide);
  const std::uint16_t lid = pair().from->rig().contours.left_upper_lid[4];
  const PointF a = pair().start().points[lid], b = pair().end().points[lid];
  CHECK(std::fabs(a.y - b.y) > 1.5f);
  const auto darkest = [&](const I420Frame& frame) {
    const I420View view = frame.view();
    const int x = static_cast<int>((a.x + b.x) / 2), y = static_cast<int>((a.y + b.y) / 2);
    int least = 255;
    for (int dy = -8; dy <= 8; ++dy) least = std::min(least, int{view.y[(y + dy) * view.stride_y + x]});
    return least;
  };
  const I420Frame mixed = morphed(*morph, 0.5f, {}), moved = morphed(*morph, 0.5f, pair().triangles);
  CHECK(darkest(moved) + 15 < darkest(mixed));
}

CHECK_CASE("beyond the outermost points the pictures are only mixed, and meet what is warped without a seam") {
  const auto morph = FaceMorph::create(kSide, kSide);
  const I420Frame mixed = morphed(*morph, 0.4f, {}), moved = morphed(*morph, 0.4f, pair().triangles);
  for (int x = 0; x < kSide; ++x) CHECK(mixed.bytes()[x] == moved.bytes()[x]);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < kSide * kSide; ++i) differing += mixed.bytes()[i] != moved.bytes()[i] ? 1 : 0;
  CHECK(differing > 1000 && differing < kSide * kSide / 2);
}

CHECK_CASE("meshes that differ share nothing, and sizes that differ are refused") {
  Rig other = pair().to->rig();
  other.triangles.pop_back();
  CHECK(morph_triangles(pair().from->rig(), other).empty());
  const auto morph = FaceMorph::create(kSide, kSide);
  I420Frame small(kSide - 2, kSide);
  CHECK_THROWS(std::invalid_argument, morph->render(pair().start(), pair().end(), {}, 0.5f, small.view()));
  CHECK_THROWS(std::invalid_argument, FaceMorph::create(255, 256));
  for (const auto& [width, height] : {std::pair{2, 2}, {2, 4}, {4, 2}, {0, 4}, {4, -4}}) {
    CHECK_THROWS(std::invalid_argument, FaceMorph::create(width, height));
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
