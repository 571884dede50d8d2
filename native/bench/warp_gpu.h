// The warp on this machine's GPU, for warp_bench and gpu_warp_bench.
#pragma once

#include <memory>
#include <string>

#include "visavis/face/avatar.h"

namespace visavis::bench {

struct GpuWarpFigures {
  bool measured = false;
  std::string why_not;   // Where it was not.
  std::string card;
  double us = 0, p99_us = 0;   // A whole frame on the card, by its own clock, with cold caches.
  double copy_bytes = 0;       // What the card reads and writes a second in a plain copy, measured in the same run.
  double share_of_copy = 0;    // What a frame's bytes, read and written once, take of that.
  double processor_us = 0;     // What a frame costs the thread that asks for it.
};

// At 1920x1080 a frame is to take no longer than this.
inline constexpr double kMostGpuMicroseconds = 60;
inline bool slow(const GpuWarpFigures& figures, int width, int height) {
  return figures.measured && width == 1920 && height == 1080 && figures.us > kMostGpuMicroseconds;
}

// Draws a mouth that talks.
GpuWarpFigures measure_warp_on_gpu(const std::shared_ptr<const Avatar>& avatar);

}  // namespace visavis::bench
