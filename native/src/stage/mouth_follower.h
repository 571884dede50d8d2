// What the mouth does where speech starts and stops.
#pragma once

#include <cstdint>
#include <optional>

#include "visavis/viseme.h"

namespace visavis {

// A pose of the speech that is heard, and the unbroken stretch of playback it belongs to.
struct LivePose {
  MouthPose pose;
  std::uint64_t stretch = 0;
};

// Shows the live pose; where a stretch breaks off, closes the mouth from what was shown last within kCloseSeconds, also
// underneath the first poses of a new one.
class MouthFollower {
 public:
  static constexpr double kCloseSeconds = 0.1;

  // `live` is empty where no speech is heard at `seconds`, a time that never runs backwards.
  MouthPose step(double seconds, const std::optional<LivePose>& live);

 private:
  std::optional<LivePose> last_;
  double last_at_ = 0;
  MouthPose shown_;
  MouthPose tail_;
  double tail_at_ = -kCloseSeconds;
};

}  // namespace visavis
