// What p, b, m, f and v must show: measured in the mesh and in the frame that is drawn from it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.h"
#include "face_topology.h"
#include "plane_sample.h"
#include "talking_face.h"

namespace visavis {
namespace {

using face::kLipColumns;
using face::kLowerLip;
using face::kUpperLip;
using face::Sample;
using face::sample_picture;
using test::close_up;
using test::Expression;
using test::kFaces;
using test::pose_of;
using test::TalkingFace;

constexpr std::array<const char*, 3> kTones = {"neutral", "happy", "surprised"};

template <typename Visit>
void each_blend(Viseme contact, Visit visit) {
  for (const float weight : {0.8f, 0.9f, 1.0f}) {
    for (std::size_t v = 1; v < kVisemeCount; ++v) {
      const auto other = static_cast<Viseme>(v);
      if (other == Viseme::PP || other == Viseme::FF) continue;
      for (const float loudness : {0.0f, 1.0f}) visit(pose_of({{contact, weight}, {other, 1 - weight}}, loudness));
    }
  }
}

// The darkest, the brightest and the least red place from one lip's red to the other's, in the middle columns.
struct Crossing {
  float darkest = 255, brightest = 0, palest = 255;
};

Crossing cross_lips(const I420View& picture, const std::vector<PointF>& points) {
  Crossing found;
  for (int k = 2; k <= kLipColumns - 3; ++k) {
    const PointF from = points[kUpperLip[2][k]], to = points[kLowerLip[2][k]];
    for (float t = 0.1f; t < 0.9f; t += 0.05f) {
      const Sample s = sample_picture(picture, {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
      found.darkest = std::min(found.darkest, s.y);
      found.brightest = std::max(found.brightest, s.y);
      found.palest = std::min(found.palest, s.v);
    }
  }
  return found;
}

CHECK_CASE("PP shuts the lips whatever the rest of the pose is") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    for (const char* tone : check::some_of(kTones, 2)) {
      const TalkingFace face = close_up(expression, tone);
      each_blend(Viseme::PP, [&](const MouthPose& pose) {
        for (const int frame : {0, 17, 33}) CHECK(face.gap_mm(pose, frame) < 0.15f);
      });
      CHECK(face.gap_mm(pose_of({{Viseme::PP, 0.2f}, {Viseme::aa, 0.8f}})) > 4);
    }
  }
}

CHECK_CASE("no gap and no teeth are drawn between lips that PP shuts") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    TalkingFace face = close_up(expression);
    const std::vector<PointF> rest = face.posed({});
    const bool smiling = expression == Expression::kSmiling;
    // Lips as they are painted, and the line where they meet: drawn in faces whose mouths are shut, shaded otherwise.
    const Sample lip = sample_picture(face.avatar().frame(0), rest[kLowerLip[2][5]]);
    const float line = smiling ? 16 + (lip.y - 16) * 0.55f : cross_lips(face.avatar().frame(0), rest).darkest;
    each_blend(Viseme::PP, [&](const MouthPose& pose) {
      const Crossing crossing = cross_lips(face.drawn(pose), face.posed(pose));
      CHECK(crossing.darkest > line - 12);
      CHECK(crossing.brightest < lip.y + 16);
      CHECK(crossing.palest > 128 + 0.5f * (lip.v - 128));
    });
    // The same measure sees a mouth that is not shut.
    const MouthPose open = pose_of({{Viseme::E, 1}});
    const Crossing gaping = cross_lips(face.drawn(open), face.posed(open));
    CHECK(gaping.darkest < line - 12 || gaping.brightest > lip.y + 16);
    CHECK(gaping.palest < 128 + 0.5f * (lip.v - 128));
  }
}

CHECK_CASE("FF brings the lower lip to the upper teeth, and their edge shows above it") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    TalkingFace face = close_up(expression);
    const MouthPose vowel = pose_of({{Viseme::aa, 1}});
    each_blend(Viseme::FF, [&](const MouthPose& pose) {
      const std::vector<PointF> points = face.posed(pose);
      const float gap = face.gap_mm(pose);
      CHECK(gap > 0.6f && gap < 3.4f);
      const I420View picture = face.drawn(pose);
      for (int k = 4; k <= 6; ++k) {
        // Just above the lip lies a tooth, not the dark behind it.
        const PointF u = points[kUpperLip[0][k]], l = points[kLowerLip[0][k]];
        const Sample above = sample_picture(picture, {(u.x + l.x) / 2, l.y - 0.45f * (l.y - u.y)});
        const Sample lip = sample_picture(picture, points[kLowerLip[2][k]]);
        CHECK(above.y > 0.7f * lip.y);
        CHECK(above.v - 128 < 0.75f * (lip.v - 128));
      }
    });
    CHECK(face.gap_mm(vowel) > 7);
  }
}

CHECK_CASE("a louder voice opens vowels further, and neither a closure nor a bite") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    const TalkingFace face = close_up(expression);
    for (const Viseme vowel : {Viseme::aa, Viseme::E, Viseme::I, Viseme::O, Viseme::U}) {
      float before = 0;
      for (float loudness = 0; loudness <= 1.001f; loudness += 0.1f) {
        const float gap = face.gap_mm(pose_of({{vowel, 1}}, loudness));
        CHECK(gap > before);
        before = gap;
      }
      const float quiet = face.gap_mm(pose_of({{vowel, 1}}, 0));
      CHECK(vowel != Viseme::aa || before > 1.4f * quiet);
    }
    for (const Viseme contact : {Viseme::PP, Viseme::FF}) {
      const std::vector<PointF> quiet = face.posed(pose_of({{contact, 1}}, 0));
      const std::vector<PointF> loud = face.posed(pose_of({{contact, 1}}, 1));
      for (std::size_t i = 0; i < quiet.size(); ++i) CHECK(quiet[i].x == loud[i].x && quiet[i].y == loud[i].y);
    }
  }
}

CHECK_CASE("contact comes and goes without a jump") {
  const TalkingFace face = close_up(Expression::kMaya);
  for (const Viseme contact : {Viseme::PP, Viseme::FF}) {
    std::vector<PointF> before = face.posed(pose_of({{Viseme::aa, 1}}, 1));
    for (float weight = 0.01f; weight <= 1.0f; weight += 0.01f) {
      const std::vector<PointF> after = face.posed(pose_of({{contact, weight}, {Viseme::aa, 1 - weight}}, 1));
      for (std::size_t i = 0; i < after.size(); ++i) {
        // A hundredth of the way from the widest vowel takes a hundredth of its 15 millimetres, and a quarter more.
        CHECK(std::hypot(after[i].x - before[i].x, after[i].y - before[i].y) < 0.3f * face.rig().px_per_mm);
      }
      before = after;
    }
  }
}

CHECK_CASE("lips take the time that a spoken p or f gives them") {
  // A closure comes in over half a Hann window of 30 ms, which itself does half of its way in its middle 10 ms. That it
  // is whole at kWholeContact adds a quarter: 62.5 % of the travel in 10 ms, wherever the samples fall.
  constexpr float kRampMs = 30, kStepMs = 10, kMostShare = 0.66f, kPi = 3.14159265f;
  for (const Expression expression : check::some_of(kFaces, 2)) {
    const TalkingFace face = close_up(expression);
    for (const Viseme contact : {Viseme::PP, Viseme::FF}) {
      const auto gap = [&](float ms) {
        const float weight = 0.5f - 0.5f * std::cos(kPi * std::clamp(ms / kRampMs, 0.0f, 1.0f));
        return face.gap_mm(pose_of({{contact, weight}, {Viseme::aa, 1 - weight}}, 1));
      };
      const float travel = gap(0) - gap(kRampMs);
      CHECK(travel > 4);
      float most = 0;
      for (float phase = 0; phase < kStepMs; phase += 1) {
        for (float ms = phase - kStepMs; ms < kRampMs; ms += kStepMs) {
          most = std::max(most, gap(ms) - gap(ms + kStepMs));
        }
      }
      CHECK(most < kMostShare * travel);
    }
  }
}

CHECK_CASE("from the weight that makes a contact whole on, the picture is that of the contact alone") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    TalkingFace face = close_up(expression);
    for (const Viseme contact : {Viseme::PP, Viseme::FF}) {
      const auto luma = [&](const MouthPose& pose) {
        const I420View view = face.drawn(pose);
        return std::vector<std::uint8_t>(view.y, view.y + view.width * view.height);
      };
      const auto alone = luma(pose_of({{contact, 1}}));
      // The tongue that TH and nn lift takes no part either.
      for (const Viseme other : {Viseme::TH, Viseme::nn, Viseme::aa}) {
        CHECK(luma(pose_of({{contact, 0.85f}, {other, 0.15f}})) == alone);
      }
    }
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
