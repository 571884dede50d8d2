#include "no_fold.h"

#include <numeric>
#include <random>

#include "mesh.h"
#include "mouth_contact.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

constexpr int kBlends = 160;
constexpr int kMostRounds = 80;
constexpr float kCalm = 0.25f;

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

std::vector<Triangle> moving_triangles(const Rig& rig) {
  const std::vector<char> moves = moving_points(rig);
  std::vector<Triangle> moving;
  for (const Triangle& t : rig.triangles) {
    if (moves[t.a] != 0 || moves[t.b] != 0 || moves[t.c] != 0) moving.push_back(t);
  }
  return moving;
}

std::vector<Triangle> folded(const Rig& rig, std::span<const Triangle> among, int frame, const MouthPose& pose) {
  std::vector<PointF> points(rig.point_count());
  pose_points(rig, frame, pose, points);
  std::vector<Triangle> found;
  for (const Triangle& t : among) {
    const float rest = signed_area2(rig.rest[t.a], rig.rest[t.b], rig.rest[t.c]);
    const float now = signed_area2(points[t.a], points[t.b], points[t.c]);
    if (!(now * rest > kLeastAreaShare * rest * rest)) found.push_back(t);
  }
  return found;
}

bool unfold_poses(Rig& rig, std::size_t frames_a_pose) {
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
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    for (std::size_t w = v + 1; w < kVisemeCount; ++w) {
      MouthPose pose;
      // Half of each: of a contact this is half of what makes it whole.
      const auto contact = [](std::size_t k) {
        return k == static_cast<std::size_t>(Viseme::PP) || k == static_cast<std::size_t>(Viseme::FF);
      };
      pose.weights[v] = contact(v) ? kWholeContact / 2 : contact(w) ? 1 - kWholeContact / 2 : 0.5f;
      pose.weights[w] = 1 - pose.weights[v];
      pose.loudness = (v + w) % 2 == 0 ? 1.0f : 0.0f;
      poses.push_back(pose);
    }
  }
  for (int i = 0; i < kBlends; ++i) poses.push_back(random_pose(random));
  const std::vector<Triangle> among = moving_triangles(rig);
  const std::vector<char> moves = moving_points(rig);
  // A point of the inner lips takes its opposite along: what meets still meets.
  std::vector<std::uint16_t> opposite(rig.point_count());
  std::iota(opposite.begin(), opposite.end(), std::uint16_t{0});
  for (std::size_t k = 0; k < rig.contours.inner_upper_lip.size(); ++k) {
    const std::uint16_t upper = rig.contours.inner_upper_lip[k], lower = rig.contours.inner_lower_lip[k];
    opposite[upper] = lower;
    opposite[lower] = upper;
  }
  const auto calm = [&](const Triangle& t, std::vector<PointF>& d) {
    const PointF mean = (d[t.a] + d[t.b] + d[t.c]) * (1.0f / 3);
    for (std::uint16_t id : {t.a, t.b, t.c}) {
      if (moves[id] == 0) continue;
      const PointF step = (mean - d[id]) * kCalm;
      d[id] = d[id] + step;
      if (opposite[id] != id) d[opposite[id]] = d[opposite[id]] + step;
    }
  };
  for (int round = 0; round < kMostRounds; ++round) {
    bool clean = true;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      // Every pose in a few frames, every frame in a few poses.
      for (std::size_t k = 0; k < frames_a_pose; ++k) {
        const int frame = static_cast<int>((i * 37 + k * 61) % static_cast<std::size_t>(rig.frame_count));
        for (const Triangle& t : folded(rig, among, frame, poses[i])) {
          clean = false;
          for (auto& shape : rig.shapes) calm(t, shape);
          calm(t, rig.jaw);
        }
      }
    }
    if (clean) return true;
  }
  return false;
}

}  // namespace visavis::face
