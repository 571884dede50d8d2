#include "lid_edges.h"

#include <algorithm>

#include "check.h"
#include "color.h"
#include "drawn_face.h"
#include "face_topology.h"
#include "mesh.h"

namespace visavis::face {
namespace {

constexpr int kSide = 512;

Face fitted(const test::DrawnFace& drawn) { return fit_face(drawn.landmarks, kSide, kSide, kSide, kSide); }

I420Frame still_of(const test::DrawnFace& drawn) { return rgb_to_i420(drawn.rgb, kSide, kSide, kSide, kSide); }

// The landmarks as a model gives them that takes a large eye for a smaller one: the outer half drawn in by `share` of
// the eye's width.
void shrink_outwards(test::DrawnFace& drawn, const EyeRing& eye, bool outer_first, float share) {
  const auto x = [&](std::uint16_t id) -> float& { return drawn.landmarks[id * 3u]; };
  const float first = x(eye.upper.front()), width = x(eye.upper.back()) - first;
  std::vector<std::uint16_t> ids(eye.upper.begin(), eye.upper.end());
  ids.insert(ids.end(), eye.lower.begin() + 1, eye.lower.end() - 1);
  for (const std::uint16_t id : ids) {
    const float s = (x(id) - first) / width;
    x(id) += outer_first ? share * width * (1 - s) * (1 - s) : -share * width * s * s;
  }
}

CHECK_CASE("corners that lie inside the eye are taken to where its white ends") {
  const test::DrawnFace drawn = test::draw_face(kSide, kSide);
  const Face truth = fitted(drawn);
  test::DrawnFace misread = drawn;
  shrink_outwards(misread, kLeftEye, true, 0.25f);
  shrink_outwards(misread, kRightEye, false, 0.25f);
  Face face = fitted(misread);
  const auto off_mm = [&](std::uint16_t id) { return length(face.points[id] - truth.points[id]) / face.px_per_mm; };
  const std::uint16_t left = kLeftEye.upper.front(), right = kRightEye.upper.back();
  CHECK(off_mm(left) > 5 && off_mm(right) > 5);
  widen_lids(face, still_of(drawn).view());
  CHECK(off_mm(left) < 1.6 && off_mm(right) < 1.6);
  settle(face);
  CHECK(off_mm(left) < 1.6 && off_mm(right) < 1.6);
}

CHECK_CASE("lids that lie right stay where they are") {
  const test::DrawnFace drawn = test::draw_face(kSide, kSide);
  const Face truth = fitted(drawn);
  Face face = truth;
  widen_lids(face, still_of(drawn).view());
  float most = 0;
  for (std::size_t i = 0; i < truth.points.size(); ++i) most = std::max(most, length(face.points[i] - truth.points[i]));
  CHECK(most < 1.6f * truth.px_per_mm);
}

CHECK_CASE("where all is as white as an eye nothing is stretched") {
  test::DrawnFace drawn = test::draw_face(kSide, kSide);
  const Face truth = fitted(drawn);
  Face face = truth;
  // White skin but for two red cheeks, the places that are taken to tell skin by.
  std::fill(drawn.rgb.begin(), drawn.rgb.end(), std::uint8_t{230});
  for (const int id : {50, 280}) {
    const int x0 = static_cast<int>(truth.points[id].x), y0 = static_cast<int>(truth.points[id].y);
    for (int y = y0 - 3; y <= y0 + 3; ++y) {
      for (int x = x0 - 3; x <= x0 + 3; ++x)
        drawn.rgb[(y * kSide + x) * 3 + 1] = drawn.rgb[(y * kSide + x) * 3 + 2] = 120;
    }
  }
  widen_lids(face, still_of(drawn).view());
  for (const std::uint16_t id : {kLeftEye.upper.front(), kLeftEye.upper.back(), kRightEye.upper.back()}) {
    CHECK(length(face.points[id] - truth.points[id]) == 0);
  }
}

}  // namespace
}  // namespace visavis::face

CHECK_MAIN
