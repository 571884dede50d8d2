// The time a Stage lives by.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

namespace visavis {

// Monotonic. Tests bring one that they move by hand.
class MediaClock {
 public:
  // std::chrono::steady_clock.
  static std::unique_ptr<MediaClock> steady();

  virtual ~MediaClock() = default;
  virtual std::chrono::nanoseconds now() = 0;

  // Returns at `deadline` or when a stop is requested, whichever comes first; may return late, never early.
  virtual void wait_until(std::chrono::nanoseconds deadline, std::stop_token stop) = 0;
};

}  // namespace visavis
