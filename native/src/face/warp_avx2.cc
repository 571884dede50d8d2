#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "warp_avx2_fill.h"
#include "warp_avx2_sample.h"
#include "warp_kernels.h"

namespace visavis::face {

namespace {

template <int kBits>
std::int32_t whole(std::uint32_t fixed) {
  return static_cast<std::int32_t>(fixed) >> kBits;
}

void fill_triangle(const OffsetMap& map, const PointF at[3], const PointF offset[3]) { TriangleFill(map, at, offset); }

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

// Eight pixels or fewer, from anywhere.
void warp_eight(const Plane& source, const Sampler& sampler, int x, int y, const std::int32_t* map, int count,
                std::uint8_t* out) {
  if (count == 8) {
    const __m256i offsets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(map));
    const __m256i dx = _mm256_srai_epi32(_mm256_slli_epi32(offsets, 16), 16);
    const __m256i dy = _mm256_srai_epi32(offsets, 16);
    const __m256i column = ramp_lanes(static_cast<std::uint32_t>(x * kSubpixel), kSubpixel);
    store_bytes(sampler(_mm256_add_epi32(column, dx), _mm256_add_epi32(_mm256_set1_epi32(y * kSubpixel), dy)), out);
    return;
  }
  for (int i = 0; i < count; ++i) {
    out[i] = sample_pixel(source, (x + i) * kSubpixel + offset_x(map[i]), y * kSubpixel + offset_y(map[i]));
  }
}

// Where a half of a block lies: its first pixel decides the column, the ends of its eight pixels the row.
struct HalfBlock {
  static constexpr int kMargin = 2;  // Columns kept free before the first pixel, for maps that are not quite smooth.

  HalfBlock(int x, int y, const std::int32_t* map)
      : left(x + (offset_x(map[0]) >> kSubpixelBits) - kMargin),
        top(y + (std::min(offset_y(map[0]), offset_y(map[7])) >> kSubpixelBits)) {}

  std::ptrdiff_t at(const Plane& plane) const { return static_cast<std::ptrdiff_t>(top) * plane.stride + left; }

  int left, top;
};

// Planes of one size and stride that one map moves.
template <int kPlanes>
void warp_planes(const Plane* sources, int x, int y, const std::int32_t* map, int count, std::uint8_t* const* outs) {
  const WindowRoom room(sources[0], kWindowHeight), tall_room(sources[0], kTallWindowHeight);
  const __m256i first_word = _mm256_set1_epi16(0x100), last_word = _mm256_set1_epi16(0x0F0E);
  const __m256i whole_pixels = _mm256_set1_epi16(-kSubpixel);
  // Words of a half hold pixels 0 4 1 5 2 6 3 7.
  const __m256i columns =
      _mm256_add_epi16(_mm256_setr_epi16(0, 512, 128, 640, 256, 768, 384, 896, 0, 512, 128, 640, 256, 768, 384, 896),
                       _mm256_set1_epi16(HalfBlock::kMargin * kSubpixel));
  int done = 0;
  while (count - done >= 16) {
    const int i = done;
    const HalfBlock first(x + i, y, map + i), second(x + i + 8, y, map + i + 8);
    done = i + 32 <= count || i + 16 == count ? i + 16 : count - 16;
    bool near = room.holds(first.left, first.top) && room.holds(second.left, second.top);
    if (near) {
      with_pairs(map + i, map + i + 8, [&](__m256i dx, __m256i dy) {
        const __m256i left = _mm256_and_si256(_mm256_shuffle_epi8(dx, first_word), whole_pixels);
        const __m256i top = _mm256_and_si256(
            _mm256_min_epi16(_mm256_shuffle_epi8(dy, first_word), _mm256_shuffle_epi8(dy, last_word)), whole_pixels);
        const __m256i u = _mm256_adds_epi16(_mm256_subs_epi16(dx, left), columns);
        const __m256i v = _mm256_subs_epi16(dy, top);
        const __m256i wide = _mm256_subs_epu16(u, _mm256_set1_epi16(kWindowMostU));
        const __m256i high = _mm256_subs_epu16(v, _mm256_set1_epi16(kWindowMostV));
        const __m256i far = _mm256_or_si256(wide, high);
        const bool flat = _mm256_testz_si256(far, far) != 0;
        if (!flat) {
          const __m256i higher = _mm256_or_si256(wide, _mm256_subs_epu16(v, _mm256_set1_epi16(kTallWindowMostV)));
          near = _mm256_testz_si256(higher, higher) != 0 && tall_room.holds(first.left, first.top) &&
                 tall_room.holds(second.left, second.top);
          if (!near) return;
        }
        const WindowSampler sampler(u, v);
        for (int k = 0; k < kPlanes; ++k) {
          const std::uint8_t* const a = sources[k].data + first.at(sources[k]);
          const std::uint8_t* const b = sources[k].data + second.at(sources[k]);
          if (flat) {
            sampler.store(a, b, sources[k].stride, outs[k] + i);
          } else {
            sampler.store_tall(a, b, sources[k].stride, v, outs[k] + i);
          }
        }
      });
    }
    if (near) continue;
    for (int k = 0; k < kPlanes; ++k) {
      const Sampler sampler(sources[k]);
      warp_eight(sources[k], sampler, x + i, y, map + i, 8, outs[k] + i);
      warp_eight(sources[k], sampler, x + i + 8, y, map + i + 8, 8, outs[k] + i + 8);
    }
  }
  for (; done < count; done += 8) {
    for (int k = 0; k < kPlanes; ++k) {
      warp_eight(sources[k], Sampler(sources[k]), x + done, y, map + done, std::min(count - done, 8), outs[k] + done);
    }
  }
}

void warp_row(const Plane& source, int x, int y, const std::int32_t* map, int count, std::uint8_t* out) {
  warp_planes<1>(&source, x, y, map, count, &out);
}

void warp_pair(const Plane& u, const Plane& v, int x, int y, const std::int32_t* map, int count, std::uint8_t* out_u,
               std::uint8_t* out_v) {
  const Plane sources[2] = {u, v};
  std::uint8_t* const outs[2] = {out_u, out_v};
  warp_planes<2>(sources, x, y, map, count, outs);
}

// Sixteen pixels of a ramp from windows, or false where they lie too far apart or near a border.
bool sample_window(const Plane& source, const WindowRoom& room, const Ramp& ramp, std::uint8_t* out) {
  const auto at = [&](std::uint32_t i) {
    return std::pair{whole<kSampleBits>(ramp.x + i * ramp.step_x), whole<kSampleBits>(ramp.y + i * ramp.step_y)};
  };
  int left[2], top[2];
  for (std::uint32_t half = 0; half < 2; ++half) {
    const auto [u0, v0] = at(8 * half);
    const auto [u7, v7] = at(8 * half + 7);
    left[half] = std::min(u0, u7) >> kSubpixelBits;
    top[half] = std::min(v0, v7) >> kSubpixelBits;
    if (!room.holds(left[half], top[half])) return false;
    if (std::max(u0, u7) - left[half] * kSubpixel > kWindowMostU) return false;
    if (std::max(v0, v7) - top[half] * kSubpixel > kWindowMostV) return false;
  }
  const auto words = [](std::uint32_t start, std::uint32_t step, int first, int second) {
    // Pixels 0..3 and 8..11, then 4..7 and 12..15, so that both weave into the sampler's order.
    const __m256i pixel = _mm256_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11);
    const __m256i a = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(start)),
                                       _mm256_mullo_epi32(pixel, _mm256_set1_epi32(static_cast<int>(step))));
    const __m256i b = _mm256_add_epi32(a, _mm256_set1_epi32(static_cast<int>(step * 4)));
    const __m256i origin = _mm256_setr_m128i(_mm_set1_epi32(first * kSubpixel), _mm_set1_epi32(second * kSubpixel));
    const __m256i low = _mm256_sub_epi32(_mm256_srai_epi32(a, kSampleBits), origin);
    const __m256i high = _mm256_sub_epi32(_mm256_srai_epi32(b, kSampleBits), origin);
    return _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xAA);
  };
  const auto place = [&](int half) {
    return source.data + static_cast<std::ptrdiff_t>(top[half]) * source.stride + left[half];
  };
  WindowSampler(words(ramp.x, ramp.step_x, left[0], left[1]), words(ramp.y, ramp.step_y, top[0], top[1]))
      .store(place(0), place(1), source.stride, out);
  return true;
}

// Pixels `first` and up of a ramp, eight or fewer, from anywhere.
void sample_eight(const Plane& source, const Ramp& ramp, int first, int count, std::uint8_t* out) {
  const auto index = static_cast<std::uint32_t>(first);
  std::uint32_t x = ramp.x + ramp.step_x * index, y = ramp.y + ramp.step_y * index;
  if (count == 8) {
    const __m256i u = ramp_lanes(x, ramp.step_x), v = ramp_lanes(y, ramp.step_y);
    store_bytes(Sampler(source)(_mm256_srai_epi32(u, kSampleBits), _mm256_srai_epi32(v, kSampleBits)), out + first);
    return;
  }
  for (int i = first; i < first + count; ++i, x += ramp.step_x, y += ramp.step_y) {
    out[i] = sample_pixel(source, whole<kSampleBits>(x), whole<kSampleBits>(y));
  }
}

void sample_row(const Plane& source, Ramp ramp, int count, std::uint8_t* out) {
  const WindowRoom room(source, kWindowHeight);
  // Steps so small that sixteen of them do not wrap unseen.
  const auto gentle = [](std::uint32_t step) { return step + (1u << 24) < (2u << 24); };
  const bool windows = gentle(ramp.step_x) && gentle(ramp.step_y);
  for (int i = 0; i < count;) {
    if (windows && count >= 16) {
      // The last block overlaps the one before it.
      const int at = std::min(i, count - 16);
      const Ramp there = {ramp.x + ramp.step_x * static_cast<std::uint32_t>(at),
                          ramp.y + ramp.step_y * static_cast<std::uint32_t>(at), ramp.step_x, ramp.step_y};
      if (sample_window(source, room, there, out + at)) {
        i = at + 16;
        continue;
      }
    }
    sample_eight(source, ramp, i, std::min(count - i, 8), out);
    i += 8;
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
  static constexpr WarpKernels kKernels = {fill_triangle, halve_offsets, warp_row, warp_pair,
                                           sample_row,    blend_row,     mix_row};
  return __builtin_cpu_supports("avx2") ? &kKernels : nullptr;
}

}  // namespace visavis::face
