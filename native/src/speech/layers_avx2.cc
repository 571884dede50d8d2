// Compiled with -mavx2 -mfma -mf16c: nothing here may be inline elsewhere, or the linker could pick this copy on an old
// machine.
#include <immintrin.h>

#include "speech/layers.h"

namespace visavis::speech {
namespace {

__m256 eight_halves(const std::uint16_t* at) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// kFrames frames times kGroups groups of outputs stay in registers; each output is summed in the same order however
// frames are grouped, so that the answer does not depend on how the audio was cut.
template <int kFrames, int kGroups>
void tile(const ConvView& conv, const float* first_newest, float* out, int o) {
  __m256 sums[kFrames][kGroups][2];
  const std::uint16_t* rows[kGroups];
  for (int g = 0; g < kGroups; ++g) {
    rows[g] = conv.halves + (o + g * kLanes) * conv.taps * conv.inputs;
    for (int f = 0; f < kFrames; ++f) {
      for (int half = 0; half < 2; ++half) sums[f][g][half] = _mm256_loadu_ps(conv.bias + o + g * kLanes + 8 * half);
    }
  }
  for (int tap = 0, at = 0; tap < conv.taps; ++tap) {
    const float* input = conv.seen(first_newest, tap);
    for (int i = 0; i < conv.inputs; ++i, at += kLanes) {
      for (int g = 0; g < kGroups; ++g) {
        const __m256 low = eight_halves(rows[g] + at);
        const __m256 high = eight_halves(rows[g] + at + 8);
        for (int f = 0; f < kFrames; ++f) {
          const __m256 x = _mm256_broadcast_ss(input + f * conv.inputs + i);
          sums[f][g][0] = _mm256_fmadd_ps(x, low, sums[f][g][0]);
          sums[f][g][1] = _mm256_fmadd_ps(x, high, sums[f][g][1]);
        }
      }
    }
  }
  for (int f = 0; f < kFrames; ++f) {
    for (int g = 0; g < kGroups; ++g) {
      for (int half = 0; half < 2; ++half) {
        _mm256_storeu_ps(out + f * conv.stride + o + g * kLanes + 8 * half, sums[f][g][half]);
      }
    }
  }
}

// Few frames leave registers free: several groups at once hide how long a sum takes.
template <int kFrames, int kGroups>
void rows(const ConvView& conv, const float* first_newest, float* out) {
  int o = 0;
  for (; o + kGroups * kLanes <= conv.stride; o += kGroups * kLanes) {
    tile<kFrames, kGroups>(conv, first_newest, out, o);
  }
  for (; o < conv.stride; o += kLanes) tile<kFrames, 1>(conv, first_newest, out, o);
}

}  // namespace

void conv_block_avx2(const ConvView& conv, const float* first_newest, int frames, float* out) {
  switch (frames) {
    case 1:
      return rows<1, 4>(conv, first_newest, out);
    case 2:
      return rows<2, 2>(conv, first_newest, out);
    case 3:
      return rows<3, 2>(conv, first_newest, out);
    case 4:
      return rows<4, 1>(conv, first_newest, out);
    case 5:
      return rows<5, 1>(conv, first_newest, out);
    default:
      break;
  }
  // Groups of outputs outside: the weights of one are read from the outer caches once and then serve all frames.
  for (int o = 0; o < conv.stride; o += kLanes) {
    for (int f = 0; f < frames; f += 6) {
      // The last six may overlap the ones before, whose sums come out the same again.
      const int at = f + 6 <= frames ? f : frames - 6;
      tile<6, 1>(conv, first_newest + at * conv.inputs, out + at * conv.stride, o);
    }
  }
}

}  // namespace visavis::speech
