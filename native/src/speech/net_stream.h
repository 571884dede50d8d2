// The net's streaming state: log-mel frames in, class probabilities out, a block of frames at a time.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "speech/layers.h"
#include "speech/weights.h"

namespace visavis::speech {

using Posteriors = std::array<float, kVisemeCount>;  // Sum to 1.

// What kAuto means on this machine. Throws std::invalid_argument for a device that this machine or build lacks.
NetDevice resolve_device(NetDevice wanted);

class NetStream {
 public:
  static constexpr int kMaxBlock = 12;

  NetStream(std::shared_ptr<const LoadedNet> net, NetDevice device);

  // 1..kMaxBlock frames of raw log-mels in, as many rows of probabilities out; row i speaks of the frame look_ahead
  // before.
  void run(std::span<const std::array<float, kMels>> mels, std::span<Posteriors> out);
  void reset();

  NetDevice device() const { return device_; }

 private:
  // A layer's newest input frames: `past` old ones, then room for a block.
  struct Input {
    std::vector<float> frames;
    int channels = 0;
    int past = 0;

    float* block() { return frames.data() + past * channels; }
    void keep_last(int count);  // Moves the frames that the next block will look back on to the front.
  };

  void conv(std::size_t layer, int frames, float* out);

  std::shared_ptr<const LoadedNet> net_;
  NetDevice device_;
  ConvBlock conv_;
  std::vector<Input> inputs_;   // One for each layer.
  std::vector<float> scratch_;  // A block of the widest layer's outputs.
};

}  // namespace visavis::speech
