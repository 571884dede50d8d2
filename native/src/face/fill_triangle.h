// A triangle's offsets into the map, for any processor; warp_avx2_fill.h is the same arithmetic, eight rows at once.
#pragma once

#include "raster.h"
#include "warp_kernels.h"

namespace visavis::face {

inline constexpr float kMaxOffsetPx = 250.0f;  // What a packed offset holds, with a margin.

// A length in pixels as 1/128 pixel with `kBits` fractional bits; what does not fit is kept to the ends.
template <int kBits>
VISAVIS_PIXEL_FUNCTION std::uint32_t fixed(float value) {
  constexpr float kScale = static_cast<float>(kSubpixel) * static_cast<float>(1 << kBits);
  constexpr float kMost = 2147483520.0f;  // The largest float below 2^31.
  const float scaled = value * kScale;
  const float kept = scaled > kMost ? kMost : scaled > -kMost ? scaled : -kMost;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(kept));
}

VISAVIS_PIXEL_FUNCTION float kept_offset(float px) {
  return px > kMaxOffsetPx ? kMaxOffsetPx : px > -kMaxOffsetPx ? px : -kMaxOffsetPx;
}

// `fill(ramp, count, map)` writes one span.
template <typename Fill>
VISAVIS_PIXEL_FUNCTION void fill_triangle_with(const OffsetMap& map, const PointF* at, const PointF* offset,
                                               Fill fill) {
  LinearPair offsets;
  if (!LinearPair::through(at[0], at[1], at[2], offset[0], offset[1], offset[2], offsets)) return;
  const std::uint32_t step_x = fixed<kOffsetBits>(offsets.per_x.x), step_y = fixed<kOffsetBits>(offsets.per_x.y);
  scan_triangle(at[0], at[1], at[2], map.box, [&](int y, int begin, int end) __attribute__((always_inline)) {
    const PointF first = offsets.at(static_cast<float>(begin) + 0.5f, static_cast<float>(y) + 0.5f);
    const Ramp ramp = {fixed<kOffsetBits>(kept_offset(first.x)), fixed<kOffsetBits>(kept_offset(first.y)), step_x,
                       step_y};
    const int row = y - map.box.y, column = begin - map.box.x, until = end - map.box.x;
    fill(ramp, end - begin, map.offsets + static_cast<std::int64_t>(row) * map.pitch + column);
    RowExtent& extent = map.rows[row];
    extent.begin = column < extent.begin ? column : extent.begin;
    extent.end = until > extent.end ? until : extent.end;
  });
}

}  // namespace visavis::face
