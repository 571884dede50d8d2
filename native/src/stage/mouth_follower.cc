#include "mouth_follower.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace visavis {
namespace {

// A half cosine: the lips leave and arrive without a jerk.
float closing(double elapsed) {
  const double share = elapsed / MouthFollower::kCloseSeconds;
  return share >= 1.0 ? 0.0f : static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * share));
}

// The larger of both, viseme by viseme, brought back to a sum of at most 1.
MouthPose either(MouthPose pose, const MouthPose& other, float share) {
  for (std::size_t i = 0; i < kVisemeCount; ++i) {
    pose.weights[i] = std::max(pose.weights[i], other.weights[i] * share);
  }
  pose.loudness = std::max(pose.loudness, other.loudness * share);
  const float sum = std::accumulate(pose.weights.begin(), pose.weights.end(), 0.0f);
  if (sum > 1.0f) {
    for (float& weight : pose.weights) weight /= sum;
  }
  return pose;
}

}  // namespace

MouthPose MouthFollower::step(double seconds, const std::optional<LivePose>& live) {
  if (last_ && (!live || live->stretch != last_->stretch)) {
    tail_ = last_->pose;
    tail_at_ = last_at_;
  }
  last_ = live;
  last_at_ = seconds;
  const MouthPose current = live ? live->pose : MouthPose{};
  const float left = closing(seconds - tail_at_);
  return left > 0 ? either(current, tail_, left) : current;
}

}  // namespace visavis
