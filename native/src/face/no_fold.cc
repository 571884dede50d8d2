#include "no_fold.h"

#include <random>

#include "mesh.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

constexpr int kBlends = 160;
constexpr int kMostRounds = 7;
constexpr float kWeaken = 0.9f;

// A point of the weight simplex, more often near its edges than the uniform distribution would be.
MouthPose random_pose(std::mt19937_64& random) {
  std::exponential_distribution<float> exponential(1.0f);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  MouthPose pose;
  float sum = exponential(random) * 0.3f;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    const float e = exponential(random);
    pose.weights[v] = e * e * e;
    sum += pose.weights[v];
  }
  for (float& weight : pose.weights) weight /= sum;
  pose.loudness = unit(random);
  return pose;
}

}  // namespace

int count_folds(const Rig& rig, int frame, const MouthPose& pose) {
  const std::vector<char> moves = moving_points(rig);
  std::vector<PointF> points(rig.point_count());
  pose_points(rig, frame, pose, points);
  int folds = 0;
  for (const Triangle& t : rig.triangles) {
    if (moves[t.a] == 0 && moves[t.b] == 0 && moves[t.c] == 0) continue;
    const float rest = signed_area2(rig.rest[t.a], rig.rest[t.b], rig.rest[t.c]);
    const float now = signed_area2(points[t.a], points[t.b], points[t.c]);
    if (rest * now <= 0) ++folds;
  }
  return folds;
}

bool unfold_poses(Rig& rig) {
  std::mt19937_64 random(7);
  std::vector<MouthPose> poses;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    for (const float loudness : {0.0f, 1.0f}) {
      MouthPose pose;
      pose.weights[v] = 1;
      pose.loudness = loudness;
      poses.push_back(pose);
    }
  }
  for (int i = 0; i < kBlends; ++i) poses.push_back(random_pose(random));
  const auto folds = [&](int frame, const MouthPose& pose) { return count_folds(rig, frame, pose) > 0; };
  for (int round = 0; round < kMostRounds; ++round) {
    bool clean = true;
    for (std::size_t i = 0; clean && i < poses.size(); ++i) {
      // Every pose in a few frames, every frame in a few poses.
      for (int k = 0; clean && k < 4; ++k) {
        clean = !folds(static_cast<int>((i * 37 + k * 61) % static_cast<std::size_t>(rig.frame_count)), poses[i]);
      }
    }
    if (clean) return true;
    for (auto& shape : rig.shapes) {
      for (PointF& d : shape) d = d * kWeaken;
    }
    for (float& jaw : rig.jaw_mm) jaw *= kWeaken;
  }
  return false;
}

}  // namespace visavis::face
