// An utterance's net wherever it runs: on the CPU at once, on a GPU in the background, and on the CPU from where a GPU
// failed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "speech/gpu_net.h"
#include "speech/net_stream.h"

namespace visavis::speech {

// Rows come out in the order of the frames that went in, one for each. Not thread-safe.
class NetRunner {
 public:
  // kAuto runs on `gpu` where there is one that takes it, kCuda on it or on the machine's own; throws
  // std::invalid_argument for a device that this machine or build lacks.
  NetRunner(std::shared_ptr<const LoadedNet> net, NetDevice device, std::shared_ptr<GpuSession> gpu);

  // No frame may be submitted before a row was taken, wait for it if need be.
  bool full() const { return gpu_net_ && on_gpu_ && gpu_net_->full(); }
  // 1..NetStream::kMaxBlock frames of raw log-mels.
  void submit(std::span<const std::array<float, kMels>> mels);
  // The oldest row not taken yet; null where none was submitted or, unless told to wait, it is not there yet.
  const Posteriors* front(bool wait);
  void pop();
  void reset();

  std::int64_t submitted() const { return submitted_; }  // Frames since reset().
  NetDevice device() const { return on_gpu_ ? NetDevice::kCuda : cpu_.device(); }

 private:
  void keep(std::span<const std::array<float, kMels>> mels);
  void go_on_without(const cuda::DeviceError& error);
  void compute(std::span<const std::array<float, kMels>> mels);

  std::array<float, kMels>& kept(std::int64_t frame) {
    return kept_[static_cast<std::size_t>(frame) & (kept_.size() - 1)];
  }

  NetStream cpu_;
  std::shared_ptr<GpuSession> gpu_;
  std::unique_ptr<GpuNet> gpu_net_;  // Kept when it has failed: freeing it would wait for the card.
  bool on_gpu_ = false;
  std::vector<std::array<float, kMels>> kept_;  // What the CPU would need to take over.
  std::int64_t window_ = 0;                     // Frames that a row looks back on.
  std::int64_t submitted_ = 0;
  std::int64_t taken_ = 0;
  std::vector<Posteriors> ready_;  // The CPU's rows.
  std::size_t next_ready_ = 0;
};

}  // namespace visavis::speech
