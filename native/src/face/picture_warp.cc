#include "picture_warp.h"

#include <algorithm>

#include "fill_triangle.h"
#include "mesh.h"

namespace visavis::face {

PictureWarp::PictureWarp(int width, int height)
    : width_(width),
      height_(height),
      pitch_(width + 8),
      kernels_(avx2_kernels() != nullptr ? *avx2_kernels() : portable_kernels()),
      map_(static_cast<std::size_t>(pitch_) * height),
      chroma_map_(static_cast<std::size_t>(pitch_)),
      rows_(static_cast<std::size_t>(height)) {}

void PictureWarp::render(const I420View& source, std::span<const PointF> from, std::span<const PointF> to,
                         std::span<const Triangle> triangles, I420MutView out) {
  const auto copy = [](const std::uint8_t* a, int stride_a, std::uint8_t* b, int stride_b, int width, int height) {
    for (int y = 0; y < height; ++y) {
      std::copy_n(a + static_cast<std::ptrdiff_t>(y) * stride_a, width, b + static_cast<std::ptrdiff_t>(y) * stride_b);
    }
  };
  copy(source.y, source.stride_y, out.y, out.stride_y, width_, height_);
  copy(source.u, source.stride_uv, out.u, out.stride_uv, width_ / 2, height_ / 2);
  copy(source.v, source.stride_uv, out.v, out.stride_uv, width_ / 2, height_ / 2);

  std::fill(map_.begin(), map_.end(), 0);
  std::fill(rows_.begin(), rows_.end(), RowExtent{width_, 0});
  const OffsetMap map = {{0, 0, width_, height_}, map_.data(), pitch_, rows_.data()};
  for (const Triangle& t : triangles) {
    const std::uint16_t ids[3] = {t.a, t.b, t.c};
    PointF at[3], offset[3];
    bool moves = false;
    for (int k = 0; k < 3; ++k) {
      const PointF d = from[ids[k]] - to[ids[k]];
      at[k] = to[ids[k]];
      offset[k] = {kept_offset(d.x), kept_offset(d.y)};
      moves = moves || d.x != 0 || d.y != 0;
    }
    if (moves) kernels_.fill_triangle(map, at, offset);
  }
  const Plane luma = {source.y, source.stride_y, width_, height_};
  const Plane u = {source.u, source.stride_uv, width_ / 2, height_ / 2};
  const Plane v = {source.v, source.stride_uv, width_ / 2, height_ / 2};
  for (int y = 0; y < height_; y += 2) {
    const RowExtent &upper = rows_[static_cast<std::size_t>(y)], &lower = rows_[static_cast<std::size_t>(y) + 1];
    const int begin = std::min(upper.begin, lower.begin) & ~1, end = (std::max(upper.end, lower.end) + 1) & ~1;
    if (begin >= end) continue;
    const std::int32_t* const top = map_.data() + static_cast<std::size_t>(y) * pitch_ + begin;
    std::uint8_t* const at = out.y + static_cast<std::ptrdiff_t>(y) * out.stride_y + begin;
    kernels_.warp_row(luma, begin, y, top, end - begin, at);
    kernels_.warp_row(luma, begin, y + 1, top + pitch_, end - begin, at + out.stride_y);
    const int count = (end - begin) / 2;
    kernels_.halve_offsets(top, top + pitch_, count, chroma_map_.data());
    const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(y / 2) * out.stride_uv + begin / 2;
    kernels_.warp_pair(u, v, begin / 2, y / 2, chroma_map_.data(), count, out.u + chroma, out.v + chroma);
  }
}

}  // namespace visavis::face
