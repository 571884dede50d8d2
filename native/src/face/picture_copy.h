// Pictures copied row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "visavis/image.h"

namespace visavis::face {

// Rows `begin` up to `end` of a plane.
inline void copy_rows(const std::uint8_t* from, int from_stride, std::uint8_t* to, int to_stride, int width, int begin,
                      int end) {
  from += static_cast<std::ptrdiff_t>(begin) * from_stride;
  to += static_cast<std::ptrdiff_t>(begin) * to_stride;
  if (from_stride == width && to_stride == width) {
    std::memcpy(to, from, static_cast<std::size_t>(width) * (end - begin));
    return;
  }
  for (int y = begin; y < end; ++y, from += from_stride, to += to_stride) {
    std::memcpy(to, from, static_cast<std::size_t>(width));
  }
}

// Luma rows `begin` up to `end`, both even, and the chroma rows that belong to them.
inline void copy_band(const I420View& from, const I420MutView& to, int begin, int end) {
  copy_rows(from.y, from.stride_y, to.y, to.stride_y, from.width, begin, end);
  copy_rows(from.u, from.stride_uv, to.u, to.stride_uv, from.width / 2, begin / 2, end / 2);
  copy_rows(from.v, from.stride_uv, to.v, to.stride_uv, from.width / 2, begin / 2, end / 2);
}

}  // namespace visavis::face
