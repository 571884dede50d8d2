// The mesh over the whole space of poses: every triangle keeps its orientation and some of its area.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "check.h"
#include "mesh.h"
#include "no_fold.h"
#include "talking_face.h"
#include "tone.h"

namespace visavis {
namespace {

using face::signed_area2;
using test::Expression;
using test::pose_of;

constexpr std::array<const char*, 9> kTones = {"neutral", "warm", "happy",     "excited",  "curious",
                                               "serious", "sad",  "concerned", "surprised"};
constexpr float kLeastShare = face::kLeastAreaShare;
constexpr int kMixtures = check::kSanitized ? 200 : 3000;

class Sweep {
 public:
  Sweep(const Rig& rig) : rig_(rig), among_(face::moving_triangles(rig)), points_(rig.point_count()) {}

  void check(const MouthPose& pose, int frame) {
    pose_points(rig_, frame, pose, points_);
    for (const Triangle& t : among_) {
      const float rest = signed_area2(rig_.rest[t.a], rig_.rest[t.b], rig_.rest[t.c]);
      const float share = signed_area2(points_[t.a], points_[t.b], points_[t.c]) / rest;
      least_ = std::min(least_, share);
      // Also what is no number.
      if (!(share >= kLeastShare)) ++folds_;
    }
  }

  // Vertices of the simplex, pairs, and mixtures from its corners to its middle; the loop's frames in turn, so that
  // every turn of the head and every blink is met.
  void everything(std::uint32_t seed) {
    const int frames = rig_.frame_count;
    for (std::size_t v = 1; v < kVisemeCount; ++v) {
      for (const float loudness : {0.0f, 0.5f, 1.0f}) {
        for (int frame = 0; frame < frames; frame += 2) check(pose_of({{static_cast<Viseme>(v), 1}}, loudness), frame);
      }
      for (std::size_t w = v + 1; w < kVisemeCount; ++w) {
        for (const float share : {0.2f, 0.35f, 0.5f, 0.65f, 0.8f}) {
          const auto a = static_cast<Viseme>(v), b = static_cast<Viseme>(w);
          for (const float loudness : {0.0f, 1.0f}) {
            check(pose_of({{a, share}, {b, 1 - share}}, loudness), next(frames));
          }
        }
      }
    }
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < kMixtures; ++i) {
      // Dirichlet: gamma variates over their sum; a small shape keeps to the corners, a large one to the middle.
      std::gamma_distribution<float> gamma(std::array{0.15f, 0.4f, 1.0f, 3.0f}[static_cast<std::size_t>(i % 4)]);
      MouthPose pose;
      float sum = gamma(random) + 1e-6f;  // Rest takes part.
      for (std::size_t v = 1; v < kVisemeCount; ++v) sum += pose.weights[v] = gamma(random);
      for (float& weight : pose.weights) weight /= sum;
      pose.loudness = unit(random);
      check(pose, next(frames));
    }
  }

  int folds() const { return folds_; }
  float least() const { return least_; }
  std::size_t triangles() const { return among_.size(); }

 private:
  int next(int frames) { return turn_++ % frames; }

  const Rig& rig_;
  std::vector<Triangle> among_;
  std::vector<PointF> points_;
  int turn_ = 0, folds_ = 0;
  float least_ = 1;
};

void sweep_face(Expression expression, const char* name) {
  for (const char* tone : check::some_of(kTones, 4)) {
    const test::TalkingFace face(test::draw_face(256, 256, expression), tone);
    Sweep sweep(face.rig());
    sweep.everything(2024);
    std::printf("%s, %s: least area %.3f of its own over %zu triangles\n", name, tone, sweep.least(),
                sweep.triangles());
    CHECK(sweep.triangles() > 200);
    CHECK(sweep.folds() == 0);
  }
}

CHECK_CASE("no pose folds a neutral face, in any tone") { sweep_face(Expression::kNeutral, "neutral face"); }
CHECK_CASE("no pose folds a smiling face, in any tone") { sweep_face(Expression::kSmiling, "smiling face"); }
CHECK_CASE("no pose folds Maya's face, in any tone") { sweep_face(Expression::kMaya, "Maya"); }
CHECK_CASE("no pose folds Theo's face, in any tone") { sweep_face(Expression::kTheo, "Theo"); }

CHECK_CASE("a fold is found where there is one") {
  const test::TalkingFace face(test::draw_face(256, 256, Expression::kNeutral));
  Rig rig = face.rig();
  // The chin's point goes up beyond the lip.
  rig.shapes[static_cast<std::size_t>(Viseme::kk)][152].y -= 60 * rig.px_per_mm;
  Sweep sweep(rig);
  sweep.everything(1);
  CHECK(sweep.folds() > 0 && sweep.least() < 0);
  rig = face.rig();
  rig.shapes[static_cast<std::size_t>(Viseme::kk)][152].y = std::nanf("");
  Sweep lost(rig);
  lost.check(pose_of({{Viseme::kk, 1}}), 0);
  CHECK(lost.folds() > 0);
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
