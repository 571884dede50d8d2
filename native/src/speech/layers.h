// The net's arithmetic, a layer at a time. The inline functions are the reference: every device repeats them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "host_device.h"

namespace visavis::speech {

inline constexpr int kLanes = 16;  // Outputs that lie together: two 8-float vectors, half a warp.

// A convolution as plain pointers: weights [stride / kLanes][taps][inputs][kLanes], so that what a group of outputs needs
// is one stretch of memory; bias [stride]; tap 0 the oldest frame.
struct ConvView {
  const float* weights;
  const std::uint16_t* halves;  // The same weights as IEEE half precision: they fit a core's own cache.
  const float* bias;
  int inputs;
  int stride;  // Outputs, padded to whole groups.
  int taps;
  int dilation;

  VISAVIS_HOST_DEVICE const float* group(int first_output) const { return weights + first_output * taps * inputs; }
  // The frame that a tap looks at; input frames lie `inputs` floats apart.
  VISAVIS_HOST_DEVICE const float* seen(const float* newest, int tap) const {
    return newest - (taps - 1 - tap) * dilation * inputs;
  }
};

// Output `o` of one frame whose input is `newest`, with older frames before it.
VISAVIS_HOST_DEVICE inline float conv_output(const ConvView& conv, const float* newest, int o) {
  const float* weight = conv.group(o / kLanes * kLanes) + o % kLanes;
  float sum = conv.bias[o];
  for (int tap = 0; tap < conv.taps; ++tap) {
    const float* input = conv.seen(newest, tap);
    for (int i = 0; i < conv.inputs; ++i, weight += kLanes) sum += input[i] * *weight;
  }
  return sum;
}

VISAVIS_HOST_DEVICE inline float relu(float x) { return x > 0.0f ? x : 0.0f; }

// Scores become probabilities in their place.
VISAVIS_HOST_DEVICE inline void softmax(float* scores, int count) {
  float top = scores[0];
  for (int i = 1; i < count; ++i) top = scores[i] > top ? scores[i] : top;
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += scores[i] = expf(scores[i] - top);
  for (int i = 0; i < count; ++i) scores[i] /= sum;
}

// `frames` frames one after another: input frames `inputs` floats apart, output frames `stride` floats apart.
using ConvBlock = void (*)(const ConvView& conv, const float* first_newest, int frames, float* out);

// conv_output() of all outputs, a group at a time.
inline void conv_block_portable(const ConvView& conv, const float* first_newest, int frames, float* out) {
  using Four = float __attribute__((vector_size(16)));  // Compilers keep these in registers, and arrays not.
  constexpr int kFours = kLanes / 4;
  for (int f = 0; f < frames; ++f) {
    for (int o = 0; o < conv.stride; o += kLanes) {
      Four sums[kFours];
      std::memcpy(sums, conv.bias + o, sizeof sums);
      const float* row = conv.group(o);
      for (int tap = 0; tap < conv.taps; ++tap) {
        const float* input = conv.seen(first_newest + f * conv.inputs, tap);
        for (int i = 0; i < conv.inputs; ++i, row += kLanes) {
          Four weights[kFours];
          std::memcpy(weights, row, sizeof weights);
          for (int k = 0; k < kFours; ++k) sums[k] += input[i] * weights[k];
        }
      }
      std::memcpy(out + f * conv.stride + o, sums, sizeof sums);
    }
  }
}

#ifdef VISAVIS_SPEECH_AVX2
void conv_block_avx2(const ConvView& conv, const float* first_newest, int frames, float* out);
#endif

}  // namespace visavis::speech
