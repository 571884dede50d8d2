#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "drawn_face.h"
#include "face_topology.h"
#include "mesh.h"
#include "no_fold.h"
#include "rig_limits.h"
#include "tone.h"
#include "visavis/face/avatar.h"

namespace visavis {
namespace {

using face::operator-;
using face::operator*;
using face::operator+;
using face::dot;
using face::length;
using test::Expression;
using test::kFaces;

const std::array<std::string, 8> kWorn = {"warm",    "happy", "excited",   "curious",
                                          "serious", "sad",   "concerned", "surprised"};
constexpr int kSide = 256;

struct Built {
  test::TempDir dir;
  std::shared_ptr<const Avatar> avatar;

  Built(const test::DrawnFace& face, const std::string& tone, double motion = 0.5) {
    BuildOptions options = test::options_for(face, dir.path());
    options.tone = tone;
    options.motion = motion;
    build_avatar(options);
    avatar = Avatar::load(dir.path());
  }
  Built(Expression expression, const std::string& tone) : Built(test::draw_face(kSide, kSide, expression), tone) {}
  const Rig& rig() const { return avatar->rig(); }
};

// The axes of a face as its eyes and its mouth show them.
struct Axes {
  PointF right, down;
  explicit Axes(const Rig& rig) : right{rig.down.y, -rig.down.x}, down(rig.down) {}
};

// How far a point of the tone's still stands above (y) and beside (x) the neutral one, in millimetres.
PointF moved_mm(const Rig& neutral, const Rig& worn, int id) {
  const Axes axes(neutral);
  const PointF d = worn.rest[id] - neutral.rest[id];
  return {dot(d, axes.right) / neutral.px_per_mm, -dot(d, axes.down) / neutral.px_per_mm};
}

float raised_mm(const Rig& neutral, const Rig& worn, std::initializer_list<int> ids) {
  float sum = 0;
  for (const int id : ids) sum += moved_mm(neutral, worn, id).y;
  return sum / static_cast<float>(ids.size());
}

float inner_gap_mm(const Rig& rig, int frame, const MouthPose& pose) {
  std::vector<PointF> points(rig.point_count());
  pose_points(rig, frame, pose, points);
  float gap = 0;
  for (std::size_t k = 0; k < rig.contours.inner_upper_lip.size(); ++k) {
    gap = std::max(gap, length(points[rig.contours.inner_lower_lip[k]] - points[rig.contours.inner_upper_lip[k]]));
  }
  return gap / rig.px_per_mm;
}

MouthPose pose_of(Viseme viseme, float loudness = 0.5f) {
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(viseme)] = 1;
  pose.loudness = loudness;
  return pose;
}

double worst_in(const I420View& a, const I420View& b, int x0, int y0, int x1, int y1) {
  double sum = 0;
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) sum += std::abs(int{a.y[y * a.stride_y + x]} - int{b.y[y * b.stride_y + x]});
  }
  return sum / std::max((x1 - x0) * (y1 - y0), 1);
}

CHECK_CASE("each tone moves what it is made of") {
  const Built neutral(Expression::kMaya, "neutral");
  const auto brows_in = [&](const Built& b) { return raised_mm(neutral.rig(), b.rig(), {107, 336, 55, 285}); };
  const auto brows_out = [&](const Built& b) { return raised_mm(neutral.rig(), b.rig(), {70, 300, 46, 276}); };
  const auto corners = [&](const Built& b) { return raised_mm(neutral.rig(), b.rig(), {61, 291}); };
  const auto upper_lids = [&](const Built& b) { return raised_mm(neutral.rig(), b.rig(), {159, 386}); };
  const auto lower_lids = [&](const Built& b) { return raised_mm(neutral.rig(), b.rig(), {145, 374}); };
  const auto gap = [](const Built& b) { return inner_gap_mm(b.rig(), 0, {}); };
  const Built warm(Expression::kMaya, "warm"), happy(Expression::kMaya, "happy"), excited(Expression::kMaya, "excited");
  CHECK(corners(warm) > 1.5f && corners(happy) > corners(warm) + 1.5f && lower_lids(happy) > lower_lids(warm) + 0.2f);
  CHECK(corners(excited) > corners(warm) && brows_in(excited) > brows_in(happy) + 2 && gap(excited) > gap(neutral) + 1);
  CHECK(upper_lids(excited) > 0.3f && gap(happy) < gap(neutral) + 0.3f);
  const Built sad(Expression::kMaya, "sad"), concerned(Expression::kMaya, "concerned");
  CHECK(brows_in(sad) > 3 && brows_out(sad) < -1 && corners(sad) < -2 && upper_lids(sad) < -0.4f);
  CHECK(brows_in(concerned) > 2 && corners(concerned) > corners(sad) + 1.5f && lower_lids(concerned) > 0.3f);
  const auto knit = [&](const Built& b) {
    return moved_mm(neutral.rig(), b.rig(), 107).x - moved_mm(neutral.rig(), b.rig(), 336).x;
  };
  const Built serious(Expression::kMaya, "serious"), surprised(Expression::kMaya, "surprised");
  CHECK(brows_in(serious) < -2 && knit(serious) > 3 && knit(concerned) > knit(sad));
  CHECK(brows_in(surprised) > 4 && brows_out(surprised) > 4 && upper_lids(surprised) > 0.8f && gap(surprised) > 4);
  const Built curious(Expression::kMaya, "curious");
  CHECK(brows_out(curious) > 2 && brows_out(curious) < brows_out(surprised) && gap(curious) < 0.15f);
}

CHECK_CASE("a tone is seen in the face, and nothing outside of the head changes") {
  const test::DrawnFace drawn = test::draw_face(kSide, kSide, Expression::kTheo);
  for (const std::string& tone : check::some_of(kWorn, 4)) {
    const Built neutral(drawn, "neutral", 0.0), worn(drawn, tone, 0.0);
    const face::ToneTarget& target = *face::find_tone(tone);
    const bool upright = target.pitch == 0 && target.roll == 0;
    const PointF brow = neutral.rig().rest[9], mouth = neutral.rig().rest[13];
    const int bx = static_cast<int>(brow.x), by = static_cast<int>(brow.y);
    const int mx = static_cast<int>(mouth.x), my = static_cast<int>(mouth.y);
    const double brows = worst_in(neutral.avatar->frame(0), worn.avatar->frame(0), bx - 30, by - 12, bx + 30, by + 12);
    const double lips = worst_in(neutral.avatar->frame(0), worn.avatar->frame(0), mx - 24, my - 10, mx + 24, my + 10);
    CHECK(brows + lips > 1.0);
    for (int frame = 0; frame < worn.rig().frame_count; frame += 9) {
      const I420View a = neutral.avatar->frame(frame), b = worn.avatar->frame(frame);
      // A head held another way carries what is close around it along, but never the picture's borders.
      const int side = upright ? 40 : 3, foot = upright ? 24 : 3;
      CHECK(worst_in(a, b, 0, 0, kSide, side / 2) < 0.05);
      CHECK(worst_in(a, b, 0, 0, side, kSide) < 0.05);
      CHECK(worst_in(a, b, kSide - side, 0, kSide, kSide) < 0.05);
      CHECK(worst_in(a, b, 0, kSide - foot, kSide, kSide) < 0.05);
    }
  }
}

CHECK_CASE("a smile is even in the face's own axes, also on a turned and tilted head") {
  test::DrawnFace face = test::draw_face(kSide, kSide, Expression::kMaya);
  const float c = std::cos(0.25f), s = std::sin(0.25f), cy = std::cos(0.3f), sy = std::sin(0.3f);
  for (std::size_t i = 0; i < face.landmarks.size(); i += 3) {
    const float x = face.landmarks[i] - 128, y = face.landmarks[i + 1] - 128, z = face.landmarks[i + 2];
    const float turned = x * cy + z * sy;
    face.landmarks[i] = 128 + turned * c - y * s;
    face.landmarks[i + 1] = 128 + turned * s + y * c;
    face.landmarks[i + 2] = z * cy - x * sy;
  }
  for (const test::DrawnFace& drawn : {face, test::draw_face(kSide, kSide, Expression::kTheo)}) {
    const Built neutral(drawn, "neutral");
    for (const std::string tone : {"warm", "happy", "excited"}) {
      const Built worn(drawn, tone);
      const PointF left = moved_mm(neutral.rig(), worn.rig(), 61), right = moved_mm(neutral.rig(), worn.rig(), 291);
      CHECK(left.y > 1 && right.y > 1 && left.x < -1 && right.x > 1);
      CHECK_NEAR(left.y, right.y, 0.35);
      CHECK_NEAR(-left.x, right.x, 0.35);
    }
  }
}

CHECK_CASE("somebody who smiles already gets no second smile, and a frown first takes the smile away") {
  const Built neutral(Expression::kNeutral, "neutral"), smiling(Expression::kSmiling, "neutral");
  const auto corners = [](const Built& base, const Built& b) { return raised_mm(base.rig(), b.rig(), {61, 291}); };
  const float fresh = corners(neutral, Built(Expression::kNeutral, "happy"));
  const float again = corners(smiling, Built(Expression::kSmiling, "happy"));
  CHECK(fresh > 3 && again < 0.7f * fresh);
  CHECK(corners(smiling, Built(Expression::kSmiling, "sad")) < corners(neutral, Built(Expression::kNeutral, "sad")));
  CHECK_NEAR(inner_gap_mm(Built(Expression::kSmiling, "sad").rig(), 0, {}), 0.0, 0.35);
}

CHECK_CASE("every tone has the neutral loop's head, blinks and length, frame by frame, and its own seam is even") {
  for (const std::string& tone : check::some_of(kWorn, 4)) {
    const Built neutral(Expression::kTheo, "neutral"), worn(Expression::kTheo, tone);
    const Rig &a = neutral.rig(), &b = worn.rig();
    CHECK(a.frame_count == b.frame_count && a.fps == b.fps && a.rest.size() == b.rest.size());
    // Points of the skull that no expression moves: between the eyes, on the nose.
    const auto offset = [&](int frame, int id) { return b.track(frame)[id] - a.track(frame)[id]; };
    float worst = 0, step = 0;
    for (int i = 0; i < a.frame_count; ++i) {
      for (const int id : {6, 197, 5}) worst = std::max(worst, length(offset(i, id) - offset(0, id)));
      const auto open = [&](const Rig& rig) {
        return length(rig.track(i)[145] - rig.track(i)[159]) / length(rig.rest[145] - rig.rest[159]);
      };
      CHECK(std::fabs(open(a) - open(b)) < 0.12f);
      if (i + 1 == a.frame_count) continue;
      for (const int id : {107, 61, 13, 152}) step = std::max(step, length(b.track(i + 1)[id] - b.track(i)[id]));
    }
    CHECK(worst < 0.5f);
    for (const int id : {107, 61, 13, 152}) {
      CHECK(length(b.track(0)[id] - b.track(b.frame_count - 1)[id]) <= step + 0.02f);
    }
  }
}

CHECK_CASE("lips shut at PP and open at aa in every tone of every face, and no pose folds the mesh") {
  for (const Expression expression : check::some_of(kFaces, 2)) {
    for (const std::string& tone : check::some_of(kWorn, 4)) {
      const Built worn(expression, tone);
      const Rig& rig = worn.rig();
      const std::vector<Triangle> among = face::moving_triangles(rig);
      for (int frame = 0; frame < rig.frame_count; frame += 3) {
        for (const float loudness : {0.0f, 1.0f}) {
          CHECK(inner_gap_mm(rig, frame, pose_of(Viseme::PP, loudness)) < 0.15f);
          CHECK(inner_gap_mm(rig, frame, pose_of(Viseme::aa, loudness)) > 6.0f);
          for (std::size_t v = 1; v < kVisemeCount; ++v) {
            CHECK(face::folded(rig, among, frame, pose_of(static_cast<Viseme>(v), loudness)).empty());
          }
        }
      }
      std::mt19937 random(5);
      std::uniform_real_distribution<float> unit(0, 1);
      for (int i = 0; i < 300; ++i) {
        MouthPose pose;
        float sum = unit(random);
        for (std::size_t v = 1; v < kVisemeCount; ++v) sum += pose.weights[v] = std::pow(unit(random), 4.0f);
        for (float& weight : pose.weights) weight /= sum;
        pose.loudness = unit(random);
        CHECK(face::folded(rig, among, i % rig.frame_count, pose).empty());
      }
    }
  }
}

CHECK_CASE("the iris stays where it is between lids that move") {
  for (const Expression expression : {Expression::kMaya, Expression::kTheo}) {
    const Built neutral(expression, "neutral");
    for (const std::string& tone : check::some_of(kWorn, 4)) {
      const Built worn(expression, tone);
      for (const int id : {468, 473}) CHECK(length(moved_mm(neutral.rig(), worn.rig(), id)) < 0.05f);
      for (const auto& [iris, upper, lower] : {std::array{468, 159, 145}, std::array{473, 386, 374}}) {
        const Rig& rig = worn.rig();
        const float top = dot(rig.rest[iris] - rig.rest[upper], rig.down) / rig.px_per_mm;
        const float bottom = dot(rig.rest[lower] - rig.rest[iris], rig.down) / rig.px_per_mm;
        CHECK(top > 1.2f && bottom > 1.2f);
      }
    }
  }
}

CHECK_CASE("a tone is built the same every time, and one that does not exist is refused") {
  const test::DrawnFace drawn = test::draw_face(160, 160);
  const Built once(drawn, "excited"), again(drawn, "excited");
  CHECK(once.rig().serialize() == again.rig().serialize());
  for (int i = 0; i < once.rig().frame_count; i += 10) {
    CHECK(worst_in(once.avatar->frame(i), again.avatar->frame(i), 0, 0, 160, 160) == 0);
  }
  const test::TempDir dir;
  BuildOptions options = test::options_for(drawn, dir.path());
  for (const char* tone : {"", "angry", "Happy", "happy "}) {
    options.tone = tone;
    CHECK_THROWS(BuildError, build_avatar(options));
  }
  CHECK(!std::filesystem::exists(dir.path() / "rig.vvr"));
}

CHECK_CASE("a tone that is worn keeps the timeline periodic") {
  for (const std::string& tone : check::some_of(kWorn, 4)) {
    auto poses = face::idle_timeline(25, 200, 0.5, 9);
    const auto before = poses;
    face::wear_tone(*face::find_tone(tone), 25, 9, poses);
    float fastest = 0;
    for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
      CHECK(poses[i].blink == before[i].blink && poses[i].yaw == before[i].yaw && poses[i].breath == before[i].breath);
      CHECK_NEAR(poses[i].pitch - before[i].pitch, poses[0].pitch - before[0].pitch, 1e-5);
      fastest = std::max(fastest, std::fabs(poses[i + 1].mouth_swell - poses[i].mouth_swell));
    }
    CHECK(fastest > 0);
    CHECK(std::fabs(poses.back().mouth_swell - poses.front().mouth_swell) <= fastest * 1.01f);
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
