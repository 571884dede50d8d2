// Bilinear samples with AVX2, for warp_avx2.cc alone: what is here may only be compiled for such a processor.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "warp_kernels.h"

namespace visavis::face {

namespace {

// Lanes 0..7 of a ramp that starts at `first`.
__m256i ramp_lanes(std::uint32_t first, std::uint32_t step) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                          _mm256_mullo_epi32(index, _mm256_set1_epi32(static_cast<int>(step))));
}

// sample_pixel() of eight pixels that may come from anywhere.
class Sampler {
 public:
  explicit Sampler(const Plane& plane)
      : data_(reinterpret_cast<const int*>(plane.data)),
        most_u_(_mm256_set1_epi32((plane.width - 1) * kSubpixel)),
        most_v_(_mm256_set1_epi32((plane.height - 1) * kSubpixel)),
        most_x_(_mm256_set1_epi32(plane.width - 2)),
        most_y_(_mm256_set1_epi32(plane.height - 2)),
        stride_(_mm256_set1_epi32(plane.stride)),
        last_(_mm256_set1_epi32((plane.height - 1) * plane.stride + plane.width - 4)) {}

  // Eight results, one in each 32-bit lane.
  __m256i operator()(__m256i u, __m256i v) const {
    const __m256i zero = _mm256_setzero_si256();
    u = _mm256_min_epi32(_mm256_max_epi32(u, zero), most_u_);
    v = _mm256_min_epi32(_mm256_max_epi32(v, zero), most_v_);
    const __m256i x = _mm256_min_epi32(_mm256_srli_epi32(u, kSubpixelBits), most_x_);
    const __m256i y = _mm256_min_epi32(_mm256_srli_epi32(v, kSubpixelBits), most_y_);
    const __m256i fx = _mm256_sub_epi32(u, _mm256_slli_epi32(x, kSubpixelBits));
    const __m256i fy = _mm256_sub_epi32(v, _mm256_slli_epi32(y, kSubpixelBits));
    const __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(y, stride_), x);
    const __m256i wx = weights(fx), wy = weights(fy);
    const __m256i top = _mm256_madd_epi16(pairs(at), wx);
    const __m256i bottom = _mm256_madd_epi16(pairs(_mm256_add_epi32(at, stride_)), wx);
    const __m256i both = _mm256_or_si256(top, _mm256_slli_epi32(bottom, 16));
    const __m256i sum = _mm256_madd_epi16(both, wy);
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << (2 * kSubpixelBits - 1))), 2 * kSubpixelBits);
  }

 private:
  // (128 - f) in the low half of each lane, f in the high one.
  static __m256i weights(__m256i f) {
    return _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(kSubpixel), f), _mm256_slli_epi32(f, 16));
  }

  // The two bytes at each offset, widened to 16 bits. A gather reads four bytes: near the end of the plane it starts
  // earlier and what is wanted is shifted down, so that nothing past the plane is touched.
  __m256i pairs(__m256i at) const {
    const __m256i from = _mm256_min_epi32(at, last_);
    const __m256i late = _mm256_slli_epi32(_mm256_sub_epi32(at, from), 3);
    const __m256i raw = _mm256_srlv_epi32(_mm256_i32gather_epi32(data_, from, 1), late);
    const __m256i low = _mm256_and_si256(raw, _mm256_set1_epi32(0xFF));
    const __m256i high = _mm256_and_si256(_mm256_slli_epi32(raw, 8), _mm256_set1_epi32(0xFF0000));
    return _mm256_or_si256(low, high);
  }

  const int* data_;
  __m256i most_u_, most_v_, most_x_, most_y_, stride_, last_;
};

// The low byte of eight lanes to eight bytes.
void store_bytes(__m256i lanes, std::uint8_t* out) {
  const __m256i words = _mm256_packus_epi32(lanes, lanes);
  const __m256i bytes = _mm256_packus_epi16(words, words);
  const __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi32(low, high));
}

// Sixteen neighbours whose sources lie close together: each half of eight comes from a window of three rows of sixteen
// bytes, out of which a byte shuffle picks. Positions count 1/128 pixel from their window's first pixel, in words; the
// words of a half hold pixels 0 4 1 5 2 6 3 7, as two vectors of 32-bit pairs are woven into one.
constexpr int kWindowWidth = 16, kWindowHeight = 3;
constexpr int kWindowMostU = (kWindowWidth - 1) * kSubpixel - 1;  // Its right neighbour still lies in the window.
constexpr int kWindowMostV = (kWindowHeight - 1) * kSubpixel - 1;
constexpr int kTallWindowHeight = 7;  // For places where the picture is sheared.
constexpr int kTallWindowMostV = (kTallWindowHeight - 1) * kSubpixel - 1;

class WindowSampler {
 public:
  WindowSampler(__m256i u, __m256i v) {
    const __m256i x = _mm256_srli_epi16(u, kSubpixelBits);
    const __m256i fx = _mm256_and_si256(u, _mm256_set1_epi16(kSubpixel - 1));
    pick_ = _mm256_add_epi16(_mm256_or_si256(x, _mm256_slli_epi16(x, 8)), _mm256_set1_epi16(0x100));
    // Bytes (128 - fx, fx).
    across_ = _mm256_add_epi16(_mm256_sub_epi16(_mm256_slli_epi16(fx, 8), fx), _mm256_set1_epi16(kSubpixel));
    lower_ = _mm256_cmpgt_epi16(v, _mm256_set1_epi16(kSubpixel - 1));
    down_ = _mm256_slli_epi16(v, 16 - kSubpixelBits);
  }

  // Stores sixteen bytes, sampled from the windows at `first` and `second`.
  void store(const std::uint8_t* first, const std::uint8_t* second, std::ptrdiff_t stride, std::uint8_t* out) const {
    const __m256i a = row(first, second), b = row(first + stride, second + stride);
    const __m256i c = row(first + 2 * stride, second + 2 * stride);
    finish(_mm256_blendv_epi8(a, b, lower_), _mm256_blendv_epi8(b, c, lower_), out);
  }

  // The same from windows of kTallWindowHeight rows.
  void store_tall(const std::uint8_t* first, const std::uint8_t* second, std::ptrdiff_t stride, __m256i v,
                  std::uint8_t* out) const {
    const __m256i y = _mm256_srli_epi16(v, kSubpixelBits);
    __m256i above = row(first, second), top = above, bottom = above;
    for (int k = 1; k < kTallWindowHeight; ++k) {
      const __m256i here = row(first + k * stride, second + k * stride);
      const __m256i between = _mm256_cmpeq_epi16(y, _mm256_set1_epi16(static_cast<short>(k - 1)));
      top = _mm256_blendv_epi8(top, above, between);
      bottom = _mm256_blendv_epi8(bottom, here, between);
      above = here;
    }
    finish(top, bottom, out);
  }

 private:
  // A row's samples times 128, each 128 * 128 too small: the multiplication wants pixels with a sign.
  __m256i row(const std::uint8_t* first, const std::uint8_t* second) const {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(second));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    const __m256i picked = _mm256_shuffle_epi8(_mm256_xor_si256(both, _mm256_set1_epi8(-128)), pick_);
    return _mm256_maddubs_epi16(across_, picked);
  }

  void finish(__m256i top, __m256i bottom, std::uint8_t* out) const {
    // top + floor((bottom - top) * fy / 128). The weight takes all 16 bits, so that from 64 on it counts as negative
    // and the difference is missing once.
    const __m256i difference = _mm256_sub_epi16(bottom, top);
    const __m256i part = _mm256_add_epi16(_mm256_mulhi_epi16(difference, down_),
                                          _mm256_and_si256(difference, _mm256_srai_epi16(down_, 15)));
    constexpr int kBias = 128 * kSubpixel + kSubpixel / 2;
    const __m256i sum = _mm256_add_epi16(_mm256_add_epi16(top, part), _mm256_set1_epi16(kBias));
    const __m256i result = _mm256_srli_epi16(sum, kSubpixelBits);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1));
    const __m128i order = _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(bytes, order));
  }

  __m256i pick_, across_, lower_, down_;
};

// Places of windows: inside the plane as a whole, so that no border has to be minded.
class WindowRoom {
 public:
  WindowRoom(const Plane& plane, int height) : most_x_(plane.width - kWindowWidth), most_y_(plane.height - height) {}

  bool holds(int x, int y) const { return x >= 0 && x <= most_x_ && y >= 0 && y <= most_y_; }

 private:
  int most_x_, most_y_;
};

template <typename Use>
void with_pairs(const std::int32_t* first, const std::int32_t* second, Use use) {
  const auto load = [](const std::int32_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  const __m256i a = _mm256_inserti128_si256(_mm256_castsi128_si256(load(first)), load(second), 1);
  const __m256i b = _mm256_inserti128_si256(_mm256_castsi128_si256(load(first + 4)), load(second + 4), 1);
  use(_mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xAA), _mm256_blend_epi16(_mm256_srli_epi32(a, 16), b, 0xAA));
}

}  // namespace

}  // namespace visavis::face
