#include "color.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace visavis::face {

namespace {

// Taps of a one-dimensional resampler: for each target pixel a first source pixel and its weights.
struct Taps {
  int per_pixel = 0;
  std::vector<int> first;
  std::vector<float> weights;
};

float catmull_rom(float x) {
  x = std::fabs(x);
  if (x < 1) return (1.5f * x - 2.5f) * x * x + 1;
  if (x < 2) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return 0;
}

Taps make_taps(int source, int target) {
  const float scale = static_cast<float>(source) / static_cast<float>(target);
  const float widen = std::max(scale, 1.0f);
  Taps taps;
  taps.per_pixel = static_cast<int>(std::ceil(4 * widen)) + 1;
  for (int i = 0; i < target; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * scale;
    const int first = static_cast<int>(std::floor(center - 2 * widen));
    taps.first.push_back(first);
    float total = 0;
    const std::size_t begin = taps.weights.size();
    for (int k = 0; k < taps.per_pixel; ++k) {
      const float w = catmull_rom((static_cast<float>(first + k) + 0.5f - center) / widen);
      taps.weights.push_back(w);
      total += w;
    }
    for (std::size_t k = begin; k < taps.weights.size(); ++k) taps.weights[k] /= total;
  }
  return taps;
}

std::uint8_t to_byte(float v) { return static_cast<std::uint8_t>(std::clamp(v + 0.5f, 0.0f, 255.0f)); }

}  // namespace

I420Frame rgb_to_i420(std::span<const std::uint8_t> rgb, int source_width, int source_height, int width, int height) {
  const Taps across = make_taps(source_width, width), down = make_taps(source_height, height);
  const std::size_t row_floats = static_cast<std::size_t>(width) * 3;
  std::vector<float> rows(row_floats * source_height);
  for (int y = 0; y < source_height; ++y) {
    const std::uint8_t* in = rgb.data() + static_cast<std::size_t>(y) * source_width * 3;
    float* out = rows.data() + row_floats * y;
    for (int x = 0; x < width; ++x) {
      float sum[3] = {};
      for (int k = 0; k < across.per_pixel; ++k) {
        const float w = across.weights[static_cast<std::size_t>(x) * across.per_pixel + k];
        const int at = std::clamp(across.first[x] + k, 0, source_width - 1) * 3;
        for (int c = 0; c < 3; ++c) sum[c] += w * in[at + c];
      }
      for (int c = 0; c < 3; ++c) out[x * 3 + c] = sum[c];
    }
  }

  I420Frame frame(width, height);
  const I420MutView view = frame.view();
  std::vector<float> line(row_floats), chroma(static_cast<std::size_t>(width));
  for (int y = 0; y < height; ++y) {
    std::fill(line.begin(), line.end(), 0.0f);
    for (int k = 0; k < down.per_pixel; ++k) {
      const float w = down.weights[static_cast<std::size_t>(y) * down.per_pixel + k];
      const float* in = rows.data() + row_floats * std::clamp(down.first[y] + k, 0, source_height - 1);
      for (std::size_t i = 0; i < row_floats; ++i) line[i] += w * in[i];
    }
    if (y % 2 == 0) std::fill(chroma.begin(), chroma.end(), 0.0f);
    for (int x = 0; x < width; ++x) {
      const float r = std::clamp(line[x * 3], 0.0f, 255.0f), g = std::clamp(line[x * 3 + 1], 0.0f, 255.0f);
      const float b = std::clamp(line[x * 3 + 2], 0.0f, 255.0f);
      // ITU-R BT.709-6, item 3: Kr = 0.2126, Kb = 0.0722; limited range has 219 steps of luma, 224 of chroma.
      const float luma = 0.2126f * r + 0.7152f * g + 0.0722f * b;
      view.y[static_cast<std::size_t>(y) * view.stride_y + x] = to_byte(16.0f + luma * (219.0f / 255.0f));
      chroma[x & ~1] += (b - luma) / 1.8556f * (224.0f / 255.0f) / 4;
      chroma[x | 1] += (r - luma) / 1.5748f * (224.0f / 255.0f) / 4;
    }
    if (y % 2 == 0) continue;
    for (int x = 0; x < width / 2; ++x) {
      const std::size_t at = static_cast<std::size_t>(y / 2) * view.stride_uv + x;
      view.u[at] = to_byte(128.0f + chroma[x * 2]);
      view.v[at] = to_byte(128.0f + chroma[x * 2 + 1]);
    }
  }
  return frame;
}

}  // namespace visavis::face
