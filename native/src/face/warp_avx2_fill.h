// Triangles of the offset map with AVX2, for warp_avx2.cc alone: what is here may only be compiled for such a
// processor.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "fill_triangle.h"
#include "warp_kernels.h"

namespace visavis::face {

namespace {

// fill_triangle_with() with the edges of eight rows at once. Each number comes from the same operations in the same
// order as there, so that both fill the same pixels with the same offsets.
class TriangleFill {
 public:
  TriangleFill(const OffsetMap& map, const PointF* at, const PointF* offset) : map_(map) {
    PointF a = at[0], b = at[1], c = at[2];
    if (!LinearPair::through(a, b, c, offset[0], offset[1], offset[2], offsets_)) return;
    sort_down(a, b);
    sort_down(b, c);
    sort_down(a, b);
    const int low = map.box.y, high = map.box.y + map.box.height;
    const int row_a = first_center(a.y, low, high), row_c = first_center(c.y, low, high);
    if (row_a == row_c) return;
    row_b_ = first_center(b.y, low, high);
    a_ = a;
    b_ = b;
    slope_ac_ = (c.x - a.x) / (c.y - a.y);
    slope_ab_ = (b.x - a.x) / (b.y - a.y);
    slope_bc_ = (c.x - b.x) / (c.y - b.y);
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto step = [](float per_x) { return _mm256_set1_epi32(static_cast<int>(fixed<kOffsetBits>(per_x))); };
    const __m256i step_x = step(offsets_.per_x.x), step_y = step(offsets_.per_x.y);
    ramp_x_ = _mm256_mullo_epi32(index, step_x);
    ramp_y_ = _mm256_mullo_epi32(index, step_y);
    eight_x_ = _mm256_slli_epi32(step_x, 3);
    eight_y_ = _mm256_slli_epi32(step_y, 3);
    for (int y = row_a; y < row_c; y += 8) rows(y, std::min(row_c - y, 8));
  }

 private:
  static __m256 all(float value) { return _mm256_set1_ps(value); }

  // first_center() of eight edges.
  static __m256i first_centers(__m256 edge, __m256 least, __m256 most) {
    const __m256 kept = _mm256_min_ps(_mm256_max_ps(edge, least), most);
    return _mm256_cvttps_epi32(_mm256_add_ps(kept, all(0.5f)));
  }

  // An offset at (dx, dy) from the origin, as fixed-point numbers; what is kept fits without another look.
  static __m256i starts(float origin, float per_x, float per_y, __m256 dx, __m256 dy) {
    const __m256 along = _mm256_add_ps(all(origin), _mm256_mul_ps(all(per_x), dx));
    const __m256 value = _mm256_add_ps(along, _mm256_mul_ps(all(per_y), dy));
    const __m256 kept = _mm256_min_ps(_mm256_max_ps(value, all(-kMaxOffsetPx)), all(kMaxOffsetPx));
    static_assert(kMaxOffsetPx * kSubpixel * (1 << kOffsetBits) < 2147483520.0f);
    return _mm256_cvttps_epi32(_mm256_mul_ps(kept, all(static_cast<float>(kSubpixel << kOffsetBits))));
  }

  void rows(int y, int count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i row = _mm256_add_epi32(_mm256_set1_epi32(y), index);
    const __m256 center = _mm256_add_ps(_mm256_cvtepi32_ps(row), all(0.5f));
    const __m256 from_a = _mm256_sub_ps(center, all(a_.y)), from_b = _mm256_sub_ps(center, all(b_.y));
    const __m256 along = _mm256_add_ps(all(a_.x), _mm256_mul_ps(from_a, all(slope_ac_)));
    const __m256 upper = _mm256_add_ps(all(a_.x), _mm256_mul_ps(from_a, all(slope_ab_)));
    const __m256 lower = _mm256_add_ps(all(b_.x), _mm256_mul_ps(from_b, all(slope_bc_)));
    const __m256i above = _mm256_cmpgt_epi32(_mm256_set1_epi32(row_b_), row);
    const __m256 other = _mm256_blendv_ps(lower, upper, _mm256_castsi256_ps(above));
    const __m256 least = all(static_cast<float>(map_.box.x)),
                 most = all(static_cast<float>(map_.box.x + map_.box.width));
    const __m256i begin = first_centers(_mm256_min_ps(other, along), least, most);
    const __m256i end = first_centers(_mm256_max_ps(along, other), least, most);

    const __m256 dx = _mm256_sub_ps(_mm256_add_ps(_mm256_cvtepi32_ps(begin), all(0.5f)), all(offsets_.origin.x));
    const __m256 dy = _mm256_sub_ps(center, all(offsets_.origin.y));
    alignas(32) std::int32_t column[8], until[8], start_x[8], start_y[8];
    const auto put = [](std::int32_t* to, __m256i v) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), v); };
    const __m256i left = _mm256_set1_epi32(map_.box.x);
    put(column, _mm256_sub_epi32(begin, left));
    put(until, _mm256_sub_epi32(end, left));
    put(start_x, starts(offsets_.at_origin.x, offsets_.per_x.x, offsets_.per_y.x, dx, dy));
    put(start_y, starts(offsets_.at_origin.y, offsets_.per_x.y, offsets_.per_y.y, dx, dy));

    RowExtent* extent = map_.rows + (y - map_.box.y);
    const std::ptrdiff_t pitch = map_.pitch;
    std::int32_t* line = map_.offsets + (y - map_.box.y) * pitch;
    for (int k = 0; k < count; ++k, ++extent, line += pitch) {
      const int length = until[k] - column[k];
      if (length <= 0) continue;
      extent->begin = std::min(extent->begin, column[k]);
      extent->end = std::max(extent->end, until[k]);
      span(start_x[k], start_y[k], length, line + column[k]);
    }
  }

  // Most spans are shorter than a vector, so a masked store beats a loop over what is left.
  void span(std::int32_t start_x, std::int32_t start_y, int count, std::int32_t* map) const {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i x = _mm256_add_epi32(_mm256_set1_epi32(start_x), ramp_x_);
    __m256i y = _mm256_add_epi32(_mm256_set1_epi32(start_y), ramp_y_);
    for (;; count -= 8, map += 8) {
      // The high half of x drops into the low half of y's lane.
      const __m256i packed = _mm256_blend_epi16(_mm256_srli_epi32(x, 16), y, 0xAA);
      if (count <= 8) {
        _mm256_maskstore_epi32(map, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), index), packed);
        return;
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(map), packed);
      x = _mm256_add_epi32(x, eight_x_);
      y = _mm256_add_epi32(y, eight_y_);
    }
  }

  const OffsetMap& map_;
  LinearPair offsets_;
  PointF a_, b_;
  float slope_ac_, slope_ab_, slope_bc_;
  int row_b_;
  __m256i ramp_x_, ramp_y_, eight_x_, eight_y_;
};

}  // namespace

}  // namespace visavis::face
