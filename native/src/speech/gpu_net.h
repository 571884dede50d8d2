// The viseme net on a session's GPU: frames go in without waiting, rows come out when they are there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "cuda/gpu_session.h"
#include "speech/net_stream.h"

namespace visavis::speech {

// The weights in device memory, shared by all sessions of one net on one card.
class GpuWeights {
 public:
  // Waits for the upload. Throws cuda::DeviceError.
  GpuWeights(const NetWeights& net, const GpuSession& gpu);

  const void* layers() const { return memory_.get(); }  // cuda::HopLayer of each layer.
  int layer_count() const { return layer_count_; }
  std::size_t state_floats() const { return state_floats_; }

 private:
  cuda::DeviceBuffer memory_;
  int layer_count_ = 0;
  std::size_t state_floats_ = 0;
};

// One utterance's state there. Not thread-safe. What throws cuda::DeviceError leaves it fit for destruction alone,
// which waits for the card.
class GpuNet {
 public:
  static constexpr int kMaxFlying = 32;  // Blocks given and not taken.

  // Runs one frame to see that the card does it, and waits for that.
  GpuNet(std::shared_ptr<const LoadedNet> net, std::shared_ptr<GpuSession> gpu);
  bool full() const { return newest_ - oldest_ == kMaxFlying; }
  bool empty() const { return newest_ == oldest_; }
  // 1..NetStream::kMaxBlock frames of raw log-mels; not when full.
  void submit(std::span<const std::array<float, kMels>> mels);
  // The oldest row not taken yet; null where none was submitted or, unless told to wait, it is not there yet.
  const Posteriors* front(bool wait);
  void pop();
  // Forgets what was submitted; the next frame is an utterance's first.
  void reset();

 private:
  struct Block {
    cuda::Event done;
    int rows = 0;
  };
  Block& block(std::int64_t number) { return blocks_[static_cast<std::size_t>(number % kMaxFlying)]; }
  Posteriors* rows(std::int64_t number) {
    return rows_.as<Posteriors>() + number % kMaxFlying * NetStream::kMaxBlock;
  }

  std::shared_ptr<const LoadedNet> net_;
  std::shared_ptr<GpuSession> gpu_;
  std::shared_ptr<const GpuWeights> weights_;
  cuda::DeviceBuffer state_;
  cuda::PinnedBuffer rows_;  // kMaxBlock of each block that flies.
  std::array<Block, kMaxFlying> blocks_;
  cuda::Settled settled_;
  std::int64_t first_ = 0;                // Frames of this utterance.
  std::int64_t oldest_ = 0, newest_ = 0;  // Blocks.
  int taken_ = 0;                         // Rows of the oldest.
  bool landed_ = false;                   // The oldest's rows are there.
};

}  // namespace visavis::speech
