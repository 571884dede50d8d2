// One pixel of what lies between the lips and of the line where they meet, for any processor.
#pragma once

#include "fill_triangle.h"

namespace visavis::face {

// Where both inner lips' edges cross one column of pixels, and over how many rows each fades; those are 0 where a lip
// does not reach the column.
struct LipColumn {
  float upper, lower;
  float upper_soft, lower_soft;

  VISAVIS_PIXEL_FUNCTION bool reached() const { return !(upper_soft == 0 || lower_soft == 0); }
};

struct OpeningPixel {
  std::uint8_t coverage;  // By the opening, 0..255.
  std::uint8_t light;     // 255 is unshaded.
};

VISAVIS_PIXEL_FUNCTION float share(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

// The pixel whose centre lies at height `center` of a column. `shadow` (0..1) is the darkening right under the upper
// lip, fading over 1 / per_px rows.
VISAVIS_PIXEL_FUNCTION OpeningPixel opening_pixel(const LipColumn& lips, float center, float shadow, float per_px) {
  OpeningPixel pixel = {0, 255};
  if (!lips.reached()) return pixel;
  const float under = (center - lips.upper) / lips.upper_soft + 0.5f;
  const float over = (lips.lower - center) / lips.lower_soft + 0.5f;
  const float cover = share(under) + share(over) - 1.0f;
  if (cover <= 0) return pixel;
  pixel.coverage = static_cast<std::uint8_t>(cover * 255.0f + 0.5f);
  const float depth = share((center - lips.upper) * per_px);
  const float fade = 1.0f - depth;
  pixel.light = static_cast<std::uint8_t>(255.0f * (1.0f - shadow * fade * fade) + 0.5f);
  return pixel;
}

// How the line where shut lips meet darkens a picture: between which columns, how much (0..1), and over how many pixels
// it fades.
struct Seam {
  int first, last;
  float strength, reach;
};

// That darkening, 0..255, at height `center` of column x, which lies in first..last.
VISAVIS_PIXEL_FUNCTION std::uint8_t seam_pixel(const LipColumn& lips, float center, int x, const Seam& seam) {
  if (!lips.reached()) return 0;
  const float apart = lips.lower - lips.upper, gap = apart < 0.0f ? 0.0f : apart;
  const float up = center - 0.5f * (lips.upper + lips.lower);
  const float away = (up < 0.0f ? -up : up) / (seam.reach * lips.upper_soft);
  // The line goes as the lips part: then the opening itself is dark. It also fades into the corners.
  const float shut = 1.0f - gap / seam.reach;
  if (away >= 1 || shut <= 0) return 0;
  const int columns = seam.last - seam.first;
  const float along = static_cast<float>(x - seam.first) / static_cast<float>(columns < 1 ? 1 : columns);
  const float near = along < 1.0f - along ? along : 1.0f - along;
  const float rise = 8.0f * near + 0.3f, inward = rise < 1.0f ? rise : 1.0f;
  const float bump = (1 - away) * (1 - away) * (1 + 2 * away);
  return static_cast<std::uint8_t>(share(seam.strength * shut * bump * inward) * 255.0f + 0.5f);
}

// Ramp over pixels of a row that begins with its first centre at (x, y) of the frame and goes on in steps of `step`,
// into a layer of the mouth's inside that `map` leads to; `scale` is 1 for luma-sized planes of it and 1/2 for chroma.
VISAVIS_PIXEL_FUNCTION Ramp layer_ramp(const Affine& map, float x, float y, float step, float scale) {
  const float u = map.xx * x + map.xy * y + map.x0, v = map.yx * x + map.yy * y + map.y0;
  return {fixed<kSampleBits>(u * scale - 0.5f), fixed<kSampleBits>(v * scale - 0.5f),
          fixed<kSampleBits>(map.xx * step * scale), fixed<kSampleBits>(map.yx * step * scale)};
}

// A layer's plane at pixel i of such a ramp.
VISAVIS_PIXEL_FUNCTION std::uint8_t sample_ramp(const Plane& plane, const Ramp& ramp, std::uint32_t i) {
  return sample_pixel(plane, static_cast<std::int32_t>(ramp.x + ramp.step_x * i) >> kSampleBits,
                      static_cast<std::int32_t>(ramp.y + ramp.step_y * i) >> kSampleBits);
}

}  // namespace visavis::face
