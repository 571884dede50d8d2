// The net's arithmetic, a layer at a time. The inline functions are the reference: every device repeats them.
#pragma once

#ifdef __CUDACC__
#define VISAVIS_HOST_DEVICE __host__ __device__
#else
#define VISAVIS_HOST_DEVICE
#endif

namespace visavis::speech {

// A convolution as plain pointers: weights [taps][inputs][stride], bias [stride], tap 0 the oldest frame.
struct ConvView {
  const float* weights;
  const float* bias;
  int inputs;
  int stride;
  int taps;
  int dilation;
};

// Outputs begin..end-1 of one frame. `newest` is the newest input frame; older ones lie `inputs` floats apart before
// it.
VISAVIS_HOST_DEVICE inline void conv_frame(const ConvView& conv, const float* newest, float* out, int begin, int end) {
  for (int o = begin; o < end; ++o) out[o] = conv.bias[o];
  for (int tap = 0; tap < conv.taps; ++tap) {
    const float* input = newest - (conv.taps - 1 - tap) * conv.dilation * conv.inputs;
    const float* row = conv.weights + tap * conv.inputs * conv.stride;
    for (int i = 0; i < conv.inputs; ++i, row += conv.stride) {
      const float x = input[i];
      for (int o = begin; o < end; ++o) out[o] += x * row[o];
    }
  }
}

VISAVIS_HOST_DEVICE inline float relu(float x) { return x > 0.0f ? x : 0.0f; }

// `frames` frames one after another: input frames `inputs` floats apart, output frames `stride` floats apart.
using ConvBlock = void (*)(const ConvView& conv, const float* first_newest, int frames, float* out);

inline void conv_block_portable(const ConvView& conv, const float* first_newest, int frames, float* out) {
  for (int f = 0; f < frames; ++f)
    conv_frame(conv, first_newest + f * conv.inputs, out + f * conv.stride, 0, conv.stride);
}

#ifdef VISAVIS_SPEECH_AVX2
void conv_block_avx2(const ConvView& conv, const float* first_newest, int frames, float* out);
#endif

}  // namespace visavis::speech
