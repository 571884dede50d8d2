// What the parts of one session share of a card.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "cuda/device.h"
#include "visavis/gpu.h"

namespace visavis {

class GpuSession {
 public:
  enum class Part { kWarp, kNet, kEncoder };

  // Throws DeviceError where the card refuses a stream.
  explicit GpuSession(std::shared_ptr<cuda::Runtime> runtime);

  const std::shared_ptr<cuda::Runtime>& runtime() const { return runtime_; }
  // The session's one stream: whatever is asked of it runs in order.
  const cuda::Stream& stream() const { return stream_; }
  const cuda::Card& card() const { return card_; }
  const std::string& card_name() const { return card_.name; }

  // A part goes on without the GPU; the first reason it gives is kept.
  void leave(Part part, const std::string& why);
  bool left(Part part) const { return !why_left(part).empty(); }
  std::string why_left(Part part) const;
  std::string why_left() const;  // All parts', as left_gpu() says.
  int departures() const { return departures_; }  // Parts that left; cheap enough to ask at each packet.

 private:
  std::shared_ptr<cuda::Runtime> runtime_;
  cuda::Stream stream_;
  cuda::Card card_;
  mutable std::mutex mutex_;
  std::array<std::string, 3> why_;
  std::atomic<int> departures_ = 0;
};

}  // namespace visavis
