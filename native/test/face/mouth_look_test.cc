// What follows the lips (corners, cheeks, chin), and what shows between them (teeth, tongue), in any size and light.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
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
using test::kCloseUp;
using test::kFaces;
using test::pose_of;
using test::TalkingFace;

PointF operator-(PointF a, PointF b) { return {a.x - b.x, a.y - b.y}; }

PointF between(PointF a, PointF b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

CHECK_CASE("rounding narrows the mouth and shows more red, spreading widens it") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    const TalkingFace face = close_up(expression);
    const auto width = [&](const MouthPose& pose) {
      const auto points = face.posed(pose);
      return face.along(points[kUpperLip[3].back()] - points[kUpperLip[3].front()]);
    };
    const auto red = [&](const MouthPose& pose) {
      const auto points = face.posed(pose);
      return face.down(points[kUpperLip[0][5]] - points[kUpperLip[3][5]]) +
             face.down(points[kLowerLip[3][5]] - points[kLowerLip[0][5]]);
    };
    const float shut = width(pose_of({{Viseme::PP, 1}}));
    for (const Viseme round : {Viseme::O, Viseme::U}) {
      CHECK(width(pose_of({{round, 1}})) < shut - 9);
      CHECK(red(pose_of({{round, 1}})) > red(pose_of({{Viseme::I, 1}})) + 0.8f);
    }
    for (const Viseme wide : {Viseme::E, Viseme::I}) CHECK(width(pose_of({{wide, 1}})) > shut + 2);
    // Half of the weight goes half of the way.
    CHECK_NEAR(width(pose_of({{Viseme::U, 0.5f}})), (width({}) + width(pose_of({{Viseme::U, 1}}))) / 2, 0.3);
  }
}

CHECK_CASE("corners stay anchored: both lips keep sharing them, near where they were, and they never jump") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    const TalkingFace face = close_up(expression);
    const auto rest = face.posed({});
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < 400; ++i) {
      MouthPose pose;
      float sum = unit(random);
      for (std::size_t v = 1; v < kVisemeCount; ++v) sum += pose.weights[v] = std::pow(unit(random), 5.0f);
      for (float& weight : pose.weights) weight /= sum;
      pose.loudness = unit(random);
      const auto points = face.posed(pose);
      MouthPose next = pose;
      for (float& weight : next.weights) weight *= 0.98f;
      const auto less = face.posed(next);
      for (const int k : {0, kLipColumns - 1}) {
        for (int ring = 0; ring < face::kLipRings; ++ring) {
          const std::uint16_t id = kUpperLip[ring][k];
          CHECK(id == kLowerLip[ring][k]);
          const PointF d = points[id] - rest[id];
          // Its share of a pucker, the relaxing of a smile, and a little of the jaw.
          CHECK(std::fabs(face.along(d)) < 14 && std::fabs(face.down(d)) < 4);
          CHECK(std::hypot(points[id].x - less[id].x, points[id].y - less[id].y) < 0.4f * face.rig().px_per_mm);
        }
      }
    }
  }
}

CHECK_CASE("the chin drops with the jaw, smoothly to nothing below, and cheeks follow the corners") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    const TalkingFace face = close_up(expression);
    // Between a quiet vowel and a loud one: a jaw that hangs open in the photograph has come up in both.
    const MouthPose quiet = pose_of({{Viseme::aa, 1}}, 0), loud = pose_of({{Viseme::aa, 1}}, 1);
    const auto from = face.posed(quiet), to = face.posed(loud);
    const float jaw = jaw_opening_mm(face.rig(), loud) - jaw_opening_mm(face.rig(), quiet);
    const auto drop = [&](int id) { return face.down(to[id] - from[id]); };
    CHECK(jaw > 4);
    CHECK(drop(152) > 0.8f * jaw && drop(152) < jaw);
    // Along the jaw line from the chin to the ears it falls off; the ring around the face takes less than the chin, and
    // the outer one, where neck and shoulders are, nothing.
    const std::array<int, 7> line = {152, 148, 176, 149, 150, 136, 172};
    for (std::size_t k = 0; k + 1 < line.size(); ++k) CHECK(drop(line[k]) > drop(line[k + 1]) - 0.05f);
    const int chin =
        static_cast<int>(std::find(face::kFaceOval.begin(), face::kFaceOval.end(), 152) - face::kFaceOval.begin());
    CHECK(drop(kLandmarkCount + chin) > 0.05f * jaw && drop(kLandmarkCount + chin) < 0.9f * drop(152));
    for (int i = 0; i < face::kOvalCount; ++i) CHECK(drop(kLandmarkCount + face::kOvalCount + i) == 0);
    const auto round = face.posed(pose_of({{Viseme::U, 1}})), wide = face.posed(pose_of({{Viseme::I, 1}}));
    // In towards a rounded mouth and out from a spread one: most beside the corners, less further out.
    const auto left = [&](int id) { return face.along(round[id] - wide[id]); };
    const auto right = [&](int id) { return face.along(wide[id] - round[id]); };
    CHECK(left(207) > 0.4f && right(427) > 0.4f);
    CHECK(left(57) > left(207) && left(207) > left(192) && right(287) > right(427) && right(427) > right(416));
  }
}

// Luma along a line down from the middle of the upper lip, `aside` millimetres beside it, one sample each quarter of a
// millimetre.
std::vector<float> column(TalkingFace& face, const MouthPose& pose, float aside, float length_mm) {
  const auto points = face.posed(pose);
  const Rig& rig = face.rig();
  const I420View picture = face.drawn(pose);
  std::vector<float> luma;
  const PointF from = points[kUpperLip[0][5]];
  for (float mm = 0; mm < length_mm; mm += 0.25f) {
    const float x = aside * rig.px_per_mm, y = mm * rig.px_per_mm;
    const PointF at = {from.x + rig.down.y * x + rig.down.x * y, from.y - rig.down.x * x + rig.down.y * y};
    luma.push_back(sample_picture(picture, at).y);
  }
  return luma;
}

CHECK_CASE("upper teeth stay with the head while the jaw opens") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    TalkingFace face = close_up(expression, "neutral", 512);
    // Where bright turns to dark, counted from a place in the head rather than from the lip.
    const auto edge = [&](float loudness) {
      const MouthPose pose = pose_of({{Viseme::aa, 1}}, loudness);
      const auto luma = column(face, pose, 3.5f, 11);
      std::size_t steepest = 4;
      for (std::size_t i = 4; i + 4 < luma.size(); ++i) {
        if (luma[i - 2] - luma[i + 2] > luma[steepest - 2] - luma[steepest + 2]) steepest = i;
      }
      const auto points = face.posed(pose);
      return face.down(points[kUpperLip[0][5]] - face.posed({})[2]) + 0.25f * static_cast<float>(steepest);
    };
    CHECK_NEAR(edge(0), edge(1), 0.5);
    CHECK_NEAR(edge(0.5f), edge(1), 0.5);
  }
}

CHECK_CASE("teeth are lit as the face is, and shaded under the lip") {
  for (const Expression expression : {Expression::kNeutral, Expression::kSmiling}) {
    test::DrawnFace bright = test::draw_face(256, 256, expression, kCloseUp), dim = bright;
    for (std::uint8_t& c : dim.rgb) c = static_cast<std::uint8_t>(c / 2);
    const MouthPose pose = pose_of({{Viseme::E, 1}});
    std::array<float, 2> teeth{}, skin{};
    for (const bool dark : {false, true}) {
      TalkingFace face(dark ? dim : bright);
      const auto luma = column(face, pose, 3.0f, 5);
      teeth[dark] = *std::max_element(luma.begin() + 2, luma.end());
      skin[dark] = sample_picture(face.avatar().frame(0), face.posed({})[205]).y;
      CHECK(teeth[dark] > 0.7f * skin[dark] && teeth[dark] < 1.35f * skin[dark]);
      if (!dark && expression == Expression::kNeutral) CHECK(luma[2] < teeth[dark] - 12);
    }
    CHECK_NEAR((teeth[1] - 16) / (teeth[0] - 16), (skin[1] - 16) / (skin[0] - 16), 0.08);
  }
}

CHECK_CASE("the tongue shows between the teeth in TH, and behind them in DD and nn") {
  for (const Expression expression : {Expression::kNeutral, Expression::kMaya, Expression::kTheo}) {
    TalkingFace face = close_up(expression, "neutral", 512);
    // From the teeth's edge to the lower lip, in the middle of the mouth.
    const auto share_of_tongue = [&](Viseme viseme) {
      const MouthPose pose = pose_of({{viseme, 1}});
      const auto points = face.posed(pose);
      const I420View picture = face.drawn(pose);
      const Sample lip = sample_picture(picture, points[kLowerLip[2][5]]);
      int all = 0, tongue = 0;
      for (float t = 0.1f; t < 0.95f; t += 0.05f) {
        const Sample s = sample_picture(picture, between(points[kUpperLip[0][5]], points[kLowerLip[0][5]], t));
        ++all;
        const float light = (s.y - 16) / (lip.y - 16);
        if (s.v - 128 > 0.6f * (lip.v - 128) && light > 0.35f && light < 0.95f) ++tongue;
      }
      return static_cast<float>(tongue) / static_cast<float>(all);
    };
    CHECK(share_of_tongue(Viseme::TH) > 0.25f);
    CHECK(share_of_tongue(Viseme::TH) > share_of_tongue(Viseme::kk));
    CHECK(share_of_tongue(Viseme::DD) > 0.1f && share_of_tongue(Viseme::nn) > 0.1f);
  }
}

CHECK_CASE("a face of any size has the same mouth in proportion") {
  struct Measures {
    float gap, width, chin;
  };
  const std::array<Viseme, 4> visemes = {Viseme::aa, Viseme::O, Viseme::FF, Viseme::I};
  for (const Expression expression : check::some_of(std::array{Expression::kMaya, Expression::kSmiling}, 2)) {
    const auto measure = [&](int side) {
      const TalkingFace face(test::draw_face(side, side, expression));
      std::vector<Measures> all;
      const auto rest = face.posed({});
      const float tall = std::hypot(rest[152].x - rest[10].x, rest[152].y - rest[10].y);
      for (const Viseme viseme : visemes) {
        const auto points = face.posed(pose_of({{viseme, 1}}));
        const auto apart = [&](PointF a, PointF b) { return std::hypot(a.x - b.x, a.y - b.y) / tall; };
        all.push_back({apart(points[13], points[14]), apart(points[61], points[291]), apart(points[152], rest[152])});
      }
      return all;
    };
    const std::vector<Measures> own = measure(512);
    for (const int side : check::some_of(std::array{1080, 720, 256}, 3)) {
      const std::vector<Measures> other = measure(side);
      for (std::size_t k = 0; k < own.size(); ++k) {
        CHECK_NEAR(other[k].gap, own[k].gap, 0.03 * own[k].gap + 0.001);
        CHECK_NEAR(other[k].width, own[k].width, 0.02 * own[k].width);
        CHECK_NEAR(other[k].chin, own[k].chin, 0.05 * own[k].chin + 0.002);
      }
    }
  }
}

CHECK_CASE("weights that tremble by two hundredths tremble less in the picture than its encoder does") {
  // H.264 at CRF 23 leaves 42 to 45 dB in such a box, a mean square of 2.3 to 3.8: bench/mouth_noise_bench measures it.
  constexpr double kMostMse = 2.2, kMostCrossingMse = 10;
  for (const Expression expression : check::some_of(kFaces, 2)) {
    TalkingFace face(test::draw_face(512, 512, expression));
    std::mt19937 random(8);
    std::uniform_real_distribution<float> tremble(-0.02f, 0.02f);
    const auto tremble_of = [&](const char* name, const MouthPose& spoken) {
      double sum = 0, count = 0;
      for (int frame = 0; frame < face.rig().frame_count; frame += 10) {
        MouthPose pose = spoken;
        const I420View calm = face.drawn(pose, frame);
        const std::vector<std::uint8_t> steady(calm.y, calm.y + 512 * 512);
        for (float& weight : pose.weights) {
          if (weight > 0) weight += tremble(random);
        }
        const I420View shaken = face.drawn(pose, frame);
        const auto points = face.posed(pose, frame);
        const int x0 = static_cast<int>(points[61].x) - 8, x1 = static_cast<int>(points[291].x) + 8;
        const int y0 = static_cast<int>(points[0].y) - 8, y1 = static_cast<int>(points[17].y) + 16;
        for (int y = y0; y < y1; ++y) {
          for (int x = x0; x < x1; ++x) {
            const double d =
                int{shaken.y[y * shaken.stride_y + x]} - int{steady[static_cast<std::size_t>(y) * 512 + x]};
            sum += d * d;
            ++count;
          }
        }
      }
      std::printf("tremble in %s: mean square %.2f\n", name, sum / count);
      return sum / count;
    };
    for (const Viseme viseme : {Viseme::aa, Viseme::E, Viseme::O, Viseme::SS}) {
      const std::string name(kVisemeNames[static_cast<std::size_t>(viseme)]);
      CHECK(tremble_of(name.c_str(), pose_of({{viseme, 0.6f}, {Viseme::E, 0.2f}})) < kMostMse);
    }
    // A contact that is whole holds still. Lips that are about to meet show more than the encoder's noise: the teeth
    // between them come and go. Speech passes there within a frame.
    for (const auto& [contact, name] : {std::pair{Viseme::PP, "PP"}, {Viseme::FF, "FF"}}) {
      CHECK(tremble_of(name, pose_of({{contact, 0.85f}, {Viseme::E, 0.1f}})) < 0.01);
      for (const float weight : {0.2f, 0.4f, 0.6f, 0.75f}) {
        std::printf("%.2f ", static_cast<double>(weight));
        CHECK(tremble_of(name, pose_of({{contact, weight}, {Viseme::aa, 1 - weight}})) < kMostCrossingMse);
      }
    }
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
