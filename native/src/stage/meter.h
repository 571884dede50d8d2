// Rolling figures of the last frames.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "visavis/stage/stage.h"

namespace visavis {

// Percentiles of the last 512 values.
class RollingPercentiles {
 public:
  void add(double value);
  Percentiles get() const;

 private:
  std::array<double, 512> values_{};
  std::size_t count_ = 0;
};

// Frames and bytes of the last two seconds of media time. Where less has passed, of what has.
class RollingRate {
 public:
  void add(std::chrono::nanoseconds at, std::size_t bytes);
  double per_second(std::chrono::nanoseconds now) const;
  double bits_per_second(std::chrono::nanoseconds now) const;

 private:
  struct Entry {
    std::chrono::nanoseconds at;
    std::size_t bytes;
  };
  double span_seconds(std::chrono::nanoseconds now) const;

  std::deque<Entry> entries_;
};

}  // namespace visavis
