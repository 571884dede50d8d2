#include "mouth_follower.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace visavis {
namespace {

// A half cosine: the lips leave and arrive without a jerk.
float closing(double elapsed) {
  const double share = elapsed / MouthFollower::kCloseSeconds;
  return share >= 1.0 ? 0.0f : static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * share));
}

// The larger of both, viseme by viseme, brought back to a sum of at most 1; silence gives way to either.
MouthPose either(MouthPose pose, const MouthPose& other, float share) {
  constexpr std::size_t kSilence = static_cast<std::size_t>(Viseme::sil);
  float sum = 0;
  for (std::size_t i = kSilence + 1; i < kVisemeCount; ++i) {
    pose.weights[i] = std::max(pose.weights[i], other.weights[i] * share);
    sum += pose.weights[i];
  }
  for (std::size_t i = kSilence + 1; sum > 1.0f && i < kVisemeCount; ++i) pose.weights[i] /= sum;
  pose.weights[kSilence] = std::clamp(pose.weights[kSilence], 0.0f, std::max(0.0f, 1.0f - sum));
  pose.loudness = std::max(pose.loudness, other.loudness * share);
  return pose;
}

}  // namespace

MouthPose MouthFollower::step(double seconds, const std::optional<LivePose>& live) {
  if (last_ && (!live || live->stretch != last_->stretch)) {
    tail_ = shown_;
    tail_at_ = last_at_;
  }
  last_ = live;
  last_at_ = seconds;
  shown_ = live ? live->pose : MouthPose{};
  const float left = closing(seconds - tail_at_);
  if (left > 0) shown_ = either(shown_, tail_, left);
  return shown_;
}

}  // namespace visavis
