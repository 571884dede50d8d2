// The viseme net on the GPU: up to kHopFrames frames through all layers in one launch of one block, whose threads meet
// at a barrier after each step below. The weights come from the card's L2 cache; what a layer looks back on stays in
// device memory between launches. Each output is summed in the same order however frames are grouped.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/device.h"
#include "speech/layers.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace visavis::cuda {

inline constexpr int kHopMels = 40;
inline constexpr int kHopClasses = 15;
inline constexpr int kHopFrames = 12;
inline constexpr int kHopThreads = 896;  // The shipped net's 7 groups of 16 outputs, 8 shares of each sum.
inline constexpr int kHopLanes = speech::kLanes;
inline constexpr int kHopGroups = kHopThreads / kHopLanes;
inline constexpr int kHopTogether = 4;  // Frames whose sums a thread keeps in registers.
inline constexpr int kHopQuad = 4;      // Inputs that a thread reads at once.

struct alignas(8) HopHalves {
  std::uint16_t of[kHopQuad];
};
struct alignas(16) HopFloats {
  float of[kHopQuad];
};

// One convolution. Its inputs are a ring of `mask` + 1 frames, `quads` * 4 floats each: the inputs, then zeros.
struct HopLayer {
  const HopHalves* weights;  // [stride / 16][taps][quads][16]: four inputs' weights for each output of a group.
  const float* bias;         // [stride]
  int ring;                  // Where in the state, in floats.
  int mask;
  int quads;
  int outputs;
  int stride;  // Outputs, padded to whole groups.
  int taps;
  int dilation;
  int splits;  // Shares of each sum: 1 .. quads, and no more than the block has threads for.
};

struct NetHopArguments {
  const HopLayer* layers;  // The first convolution, pairs of a residual block, the scores.
  float* state;
  float* rows;         // Out: [frames][kHopClasses] probabilities; pinned memory of the host's.
  std::int64_t first;  // Frames since the start of the utterance: what lies before is zero, whatever the rings hold.
  int layer_count;
  int frames;                         // 1..kHopFrames
  float mels[kHopFrames][kHopMels];  // Normalised.
};

// Shared memory of the block.
struct HopShared {
  float partials[kHopTogether][kHopThreads];
  float scores[kHopFrames][kHopLanes];
};

VISAVIS_HOST_DEVICE inline float* hop_frame(const NetHopArguments& hop, const HopLayer& layer, std::int64_t frame) {
  return hop.state + layer.ring + (static_cast<int>(frame) & layer.mask) * layer.quads * kHopQuad;
}

VISAVIS_HOST_DEVICE inline float hop_float(std::uint16_t half) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(half));
#else
  // The exponent's place, then its bias; what half precision holds as a denormal comes out exactly too.
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7FFFu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  float value;
  std::memcpy(&value, &magnitude, sizeof value);
  value *= 0x1p112f;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits |= sign;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

VISAVIS_HOST_DEVICE inline HopHalves hop_load(const HopHalves* at) {
#ifdef __CUDA_ARCH__
  const uint2 loaded = __ldg(reinterpret_cast<const uint2*>(at));
  HopHalves halves;
  memcpy(&halves, &loaded, sizeof halves);
  return halves;
#else
  return *at;
#endif
}

// Step 1, once: the mels into the first layer's ring.
VISAVIS_HOST_DEVICE inline void hop_enter(const NetHopArguments& hop, const HopLayer& first, int thread) {
  for (int i = thread; i < hop.frames * kHopMels; i += kHopThreads) {
    const int frame = i / kHopMels, mel = i % kHopMels;
    hop_frame(hop, first, hop.first + frame)[mel] = hop.mels[frame][mel];
  }
}

// Step 2, for each layer and each kFrames frames from `from` on: a thread's share of one output of each. Past the last
// frame it sums what lies in the ring, which step 3 leaves alone.
template <int kFrames>
VISAVIS_HOST_DEVICE inline void hop_partials(const NetHopArguments& hop, const HopLayer& layer, int from, int thread,
                                             HopShared& shared) {
  const int lane = thread % kHopLanes, group = thread / kHopLanes;
  const int tile = group / layer.splits, split = group % layer.splits;
  if (tile * kHopLanes >= layer.stride) return;
  const int count = layer.taps * layer.quads;
  const int step = layer.splits * kHopLanes;
  const HopHalves* weights = layer.weights + (tile * count + split) * kHopLanes + lane;
  float sums[kFrames] = {};
  HopHalves next = hop_load(weights);
  int quad = split;
  std::int64_t frame = hop.first + from - (layer.taps - 1) * layer.dilation;  // That the first tap looks at.
  for (int at = split; at < count; at += layer.splits) {
    const HopHalves halves = next;
    weights += step;
    if (at + layer.splits < count) next = hop_load(weights);
    if (quad >= layer.quads) {
      quad -= layer.quads;
      frame += layer.dilation;
    }
    float weight[kHopQuad];
    for (int i = 0; i < kHopQuad; ++i) weight[i] = hop_float(halves.of[i]);
    for (int f = 0; f < kFrames; ++f) {
      if (frame + f < 0) continue;
      const HopFloats input = *reinterpret_cast<const HopFloats*>(hop_frame(hop, layer, frame + f) + quad * kHopQuad);
      for (int i = 0; i < kHopQuad; ++i) sums[f] += input.of[i] * weight[i];
    }
    quad += layer.splits;
  }
  for (int f = 0; f < kFrames; ++f) shared.partials[f][thread] = sums[f];
}

// Step 3, after each step 2: the shares of `count` frames from `from` on summed, and handed to the next layer or, by
// the last one, to the scores.
VISAVIS_HOST_DEVICE inline void hop_sums(const NetHopArguments& hop, int index, int from, int count, int thread,
                                         HopShared& shared) {
  const HopLayer& layer = hop.layers[index];
  for (int i = thread; i < count * layer.stride; i += kHopThreads) {
    const int f = i / layer.stride, o = i % layer.stride;
    if (o >= layer.outputs) continue;
    const int first = o / kHopLanes * layer.splits * kHopLanes + o % kHopLanes;
    float sum = layer.bias[o];
    for (int s = 0; s < layer.splits; ++s) sum += shared.partials[f][first + s * kHopLanes];
    if (index == hop.layer_count - 1) {
      shared.scores[from + f][o] = sum;
      continue;
    }
    const std::int64_t frame = hop.first + from + f;
    // The second layer of a residual block adds what entered the first.
    if (index > 0 && index % 2 == 0) sum += hop_frame(hop, hop.layers[index - 1], frame)[o];
    hop_frame(hop, hop.layers[index + 1], frame)[o] = speech::relu(sum);
  }
}

// Step 4, once.
VISAVIS_HOST_DEVICE inline void hop_softmax(const NetHopArguments& hop, int thread, HopShared& shared) {
  if (thread < hop.frames) speech::softmax(shared.scores[thread], kHopClasses);
}

// Step 5, once: whole lines of the host's memory at a time.
VISAVIS_HOST_DEVICE inline void hop_leave(const NetHopArguments& hop, int thread, const HopShared& shared) {
  for (int i = thread; i < hop.frames * kHopClasses; i += kHopThreads) {
    hop.rows[i] = shared.scores[i / kHopClasses][i % kHopClasses];
  }
}

extern const Kernel kNetHop;

}  // namespace visavis::cuda
