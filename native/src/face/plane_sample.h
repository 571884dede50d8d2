// Looks up colours in a picture at any position, for the builder.
#pragma once

#include <algorithm>
#include <cstdint>

#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis::face {

// Limited-range BT.709.
struct Sample {
  float y = 16, u = 128, v = 128;
};

inline float sample_plane(const std::uint8_t* plane, int stride, int width, int height, float x, float y) {
  x = std::clamp(x - 0.5f, 0.0f, static_cast<float>(width - 1));
  y = std::clamp(y - 0.5f, 0.0f, static_cast<float>(height - 1));
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min(x0 + 1, width - 1), y1 = std::min(y0 + 1, height - 1);
  const float fx = x - static_cast<float>(x0), fy = y - static_cast<float>(y0);
  const auto at = [&](int px, int py) { return static_cast<float>(plane[static_cast<std::size_t>(py) * stride + px]); };
  return (at(x0, y0) * (1 - fx) + at(x1, y0) * fx) * (1 - fy) + (at(x0, y1) * (1 - fx) + at(x1, y1) * fx) * fy;
}

inline Sample sample_picture(const I420View& picture, PointF p) {
  const int width = picture.width / 2, height = picture.height / 2;
  return {sample_plane(picture.y, picture.stride_y, picture.width, picture.height, p.x, p.y),
          sample_plane(picture.u, picture.stride_uv, width, height, p.x / 2, p.y / 2),
          sample_plane(picture.v, picture.stride_uv, width, height, p.x / 2, p.y / 2)};
}

}  // namespace visavis::face
