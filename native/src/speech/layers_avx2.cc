// Compiled with -mavx2 -mfma: nothing here may be inline elsewhere, or the linker could pick this copy on an old
// machine.
#include <immintrin.h>

#include "speech/layers.h"

namespace visavis::speech {
namespace {

// kFrames frames times 16 outputs stay in registers; each output is summed in the same order however frames are
// grouped, so that the answer does not depend on how the audio was cut.
template <int kFrames>
void tile(const ConvView& conv, const float* first_newest, float* out, int o) {
  __m256 low[kFrames], high[kFrames];
  for (int f = 0; f < kFrames; ++f) {
    low[f] = _mm256_loadu_ps(conv.bias + o);
    high[f] = _mm256_loadu_ps(conv.bias + o + 8);
  }
  for (int tap = 0; tap < conv.taps; ++tap) {
    const float* input = first_newest - (conv.taps - 1 - tap) * conv.dilation * conv.inputs;
    const float* row = conv.weights + tap * conv.inputs * conv.stride + o;
    for (int i = 0; i < conv.inputs; ++i, row += conv.stride) {
      const __m256 w0 = _mm256_loadu_ps(row);
      const __m256 w1 = _mm256_loadu_ps(row + 8);
      for (int f = 0; f < kFrames; ++f) {
        const __m256 x = _mm256_broadcast_ss(input + f * conv.inputs + i);
        low[f] = _mm256_fmadd_ps(x, w0, low[f]);
        high[f] = _mm256_fmadd_ps(x, w1, high[f]);
      }
    }
  }
  for (int f = 0; f < kFrames; ++f) {
    _mm256_storeu_ps(out + f * conv.stride + o, low[f]);
    _mm256_storeu_ps(out + f * conv.stride + o + 8, high[f]);
  }
}

template <int kFrames>
void tiles(const ConvView& conv, const float* first_newest, float* out) {
  for (int o = 0; o < conv.stride; o += 16) tile<kFrames>(conv, first_newest, out, o);
}

}  // namespace

void conv_block_avx2(const ConvView& conv, const float* first_newest, int frames, float* out) {
  int f = 0;
  for (; f + 6 <= frames; f += 6) tiles<6>(conv, first_newest + f * conv.inputs, out + f * conv.stride);
  const float* rest = first_newest + f * conv.inputs;
  float* rest_out = out + f * conv.stride;
  switch (frames - f) {
    case 5:
      return tiles<5>(conv, rest, rest_out);
    case 4:
      return tiles<4>(conv, rest, rest_out);
    case 3:
      return tiles<3>(conv, rest, rest_out);
    case 2:
      return tiles<2>(conv, rest, rest_out);
    case 1:
      return tiles<1>(conv, rest, rest_out);
    default:
      return;
  }
}

}  // namespace visavis::speech
