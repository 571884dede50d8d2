#include <immintrin.h>

#include "fill_triangle.h"
#include "warp_kernels.h"

namespace visavis::face {

namespace {

template <int kBits>
std::int32_t whole(std::uint32_t fixed) {
  return static_cast<std::int32_t>(fixed) >> kBits;
}

// Lanes 0..7 of a ramp that starts at `first`.
__m256i ramp_lanes(std::uint32_t first, std::uint32_t step) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                          _mm256_mullo_epi32(index, _mm256_set1_epi32(static_cast<int>(step))));
}

// sample_pixel() of eight pixels.
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

void fill_offsets(Ramp ramp, int count, std::int32_t* map) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i x = ramp_lanes(ramp.x, ramp.step_x), y = ramp_lanes(ramp.y, ramp.step_y);
  // Most spans are shorter than a vector, so a masked store beats a loop over what is left.
  for (int i = 0;; i += 8) {
    // The high half of x drops into the low half of y's lane.
    const __m256i packed = _mm256_blend_epi16(_mm256_srli_epi32(x, 16), y, 0xAA);
    if (i + 8 > count) {
      const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(count - i), index);
      _mm256_maskstore_epi32(map + i, mask, packed);
      return;
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(map + i), packed);
    x = _mm256_add_epi32(x, _mm256_set1_epi32(static_cast<int>(ramp.step_x * 8)));
    y = _mm256_add_epi32(y, _mm256_set1_epi32(static_cast<int>(ramp.step_y * 8)));
  }
}

void fill_triangle(const OffsetMap& map, const PointF at[3], const PointF offset[3]) {
  fill_triangle_with(map, at, offset, [](Ramp ramp, int count, std::int32_t* to) { fill_offsets(ramp, count, to); });
}

void halve_offsets(const std::int32_t* top, const std::int32_t* bottom, int count, std::int32_t* out) {
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i a = _mm256_srai_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(top + 2 * i)), 2);
    const __m256i b = _mm256_srai_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bottom + 2 * i)), 2);
    const __m256i sum = _mm256_add_epi16(a, b);
    const __m256i pair = _mm256_srai_epi16(_mm256_add_epi16(sum, _mm256_srli_epi64(sum, 32)), 1);
    const __m256i packed = _mm256_permutevar8x32_epi32(pair, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm256_castsi256_si128(packed));
  }
  for (; i < count; ++i) {
    out[i] = chroma_offset(top[2 * i], top[2 * i + 1], bottom[2 * i], bottom[2 * i + 1]);
  }
}

void warp_row(const Plane& source, int x, int y, const std::int32_t* map, int count, std::uint8_t* out) {
  const Sampler sampler(source);
  const __m256i row = _mm256_set1_epi32(y * kSubpixel);
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i offsets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(map + i));
    const __m256i dx = _mm256_srai_epi32(_mm256_slli_epi32(offsets, 16), 16);
    const __m256i dy = _mm256_srai_epi32(offsets, 16);
    const __m256i column = ramp_lanes(static_cast<std::uint32_t>((x + i) * kSubpixel), kSubpixel);
    store_bytes(sampler(_mm256_add_epi32(column, dx), _mm256_add_epi32(row, dy)), out + i);
  }
  for (; i < count; ++i) {
    out[i] = sample_pixel(source, (x + i) * kSubpixel + offset_x(map[i]), y * kSubpixel + offset_y(map[i]));
  }
}

void sample_row(const Plane& source, Ramp ramp, int count, std::uint8_t* out) {
  int i = 0;
  if (count >= 8) {
    const Sampler sampler(source);
    __m256i u = ramp_lanes(ramp.x, ramp.step_x), v = ramp_lanes(ramp.y, ramp.step_y);
    const __m256i step_u = _mm256_set1_epi32(static_cast<int>(ramp.step_x * 8));
    const __m256i step_v = _mm256_set1_epi32(static_cast<int>(ramp.step_y * 8));
    for (; i + 8 <= count; i += 8) {
      store_bytes(sampler(_mm256_srai_epi32(u, kSampleBits), _mm256_srai_epi32(v, kSampleBits)), out + i);
      u = _mm256_add_epi32(u, step_u);
      v = _mm256_add_epi32(v, step_v);
    }
    ramp.x += ramp.step_x * static_cast<std::uint32_t>(i);
    ramp.y += ramp.step_y * static_cast<std::uint32_t>(i);
  }
  for (; i < count; ++i) {
    out[i] = sample_pixel(source, whole<kSampleBits>(ramp.x), whole<kSampleBits>(ramp.y));
    ramp.x += ramp.step_x;
    ramp.y += ramp.step_y;
  }
}

void blend_row(const std::uint8_t* over, const std::uint8_t* alpha, int count, std::uint8_t* under) {
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto load = [&](const std::uint8_t* p) {
      return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i)));
    };
    const __m256i a = load(alpha);
    const __m256i left = _mm256_sub_epi16(_mm256_set1_epi16(255), a);
    const __m256i product = _mm256_add_epi16(_mm256_mullo_epi16(load(over), a), _mm256_mullo_epi16(load(under), left));
    const __m256i t = _mm256_add_epi16(product, _mm256_set1_epi16(128));
    const __m256i r = _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(under + i), bytes);
  }
  for (; i < count; ++i) under[i] = blend_pixel(under[i], over[i], alpha[i]);
}

void mix_row(const std::uint8_t* under, const std::uint8_t* over, std::uint32_t weight, int count, std::uint8_t* out) {
  const __m256i right = _mm256_set1_epi16(static_cast<short>(weight));
  const __m256i left = _mm256_set1_epi16(static_cast<short>(256 - weight));
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto load = [&](const std::uint8_t* p) {
      return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i)));
    };
    // At most 255 * 256 + 128: it fits into 16 bits without a sign.
    const __m256i sum = _mm256_add_epi16(_mm256_mullo_epi16(load(over), right), _mm256_mullo_epi16(load(under), left));
    const __m256i r = _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), bytes);
  }
  for (; i < count; ++i) out[i] = mix_pixel(under[i], over[i], weight);
}

}  // namespace

const WarpKernels* avx2_kernels() {
  static constexpr WarpKernels kKernels = {fill_offsets, fill_triangle, halve_offsets, warp_row,
                                           sample_row,   blend_row,     mix_row};
  return __builtin_cpu_supports("avx2") ? &kKernels : nullptr;
}

}  // namespace visavis::face
