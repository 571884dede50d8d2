// The trained weights as the file native/model/visemes.vvn holds them.
//
// Little endian throughout. Header: "VVNT", version 1, bytes of body, CRC-32 (IEEE 802.3) of body. Body: sample rate,
// window, hop, FFT size, mels, classes, look-ahead (all uint32), lowest and highest Hz, floor (float32); mean and scale
// of each mel (float32); number of layers; then each layer: inputs, outputs, taps, dilation (uint32), bias (float32
// each output) and weights (IEEE half precision, [tap][input][output], tap 0 oldest). Layers are the first convolution,
// then a dilated and a pointwise one for each residual block, then the pointwise scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "speech/layers.h"
#include "visavis/errors.h"
#include "visavis/gpu.h"
#include "visavis/speech/lip_sync.h"

namespace visavis::speech {

inline constexpr int kWindow = 400;  // 25 ms at 16 kHz.
inline constexpr int kHop = 160;     // 10 ms.
inline constexpr int kFft = 512;
inline constexpr int kMels = 40;
inline constexpr int kMaxLookAhead = 16;  // Frames that a net may look ahead.

// One causal convolution over time, its weights as ConvView has them.
struct ConvLayer {
  int inputs = 0;
  int outputs = 0;
  int stride = 0;  // Outputs, padded to whole groups of kLanes.
  int taps = 0;
  int dilation = 0;
  std::vector<float> bias;  // `stride` values, the padding zero.
  std::vector<float> weights;
  std::vector<std::uint16_t> halves;

  int past() const { return (taps - 1) * dilation; }
  ConvView view() const { return {weights.data(), halves.data(), bias.data(), inputs, stride, taps, dilation}; }
};

struct NetWeights {
  int channels = 0;
  int look_ahead = 0;  // Output i speaks of frame i - look_ahead.
  float low_hz = 0.0f;
  float high_hz = 0.0f;
  float floor = 0.0f;  // Added to each mel's power before the logarithm.
  std::vector<float> mean;
  std::vector<float> scale;
  std::vector<ConvLayer> layers;
};

// Throws FormatError, naming `what`, for anything but a whole and consistent file.
NetWeights parse_weights(std::span<const std::uint8_t> bytes, const std::string& what);

class GpuWeights;

// The loaded net behind the public handle.
class LoadedNet final : public VisemeNet {
 public:
  explicit LoadedNet(NetWeights weights) : weights_(std::move(weights)) {}
  const NetWeights& weights() const { return weights_; }

  // A copy on the session's card, the one that another session holds if there is one. Throws cuda::DeviceError.
  std::shared_ptr<const GpuWeights> on_gpu(const GpuSession& gpu) const;

 private:
  NetWeights weights_;
  mutable std::mutex mutex_;
  mutable std::weak_ptr<const GpuWeights> on_gpu_;
  mutable const void* runtime_ = nullptr;  // Of the card that on_gpu_ is on.
};

}  // namespace visavis::speech
