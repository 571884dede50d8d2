#include "mouth_opening.h"

#include <algorithm>
#include <cmath>

#include "mesh.h"

namespace visavis::face {

namespace {

constexpr int kSplineSteps = 4;  // Straight pieces for each stretch between two points of a lip.
constexpr float kSteepest = 6.0f;

PointF catmull_rom(PointF a, PointF b, PointF c, PointF d, float t) {
  const PointF linear = (c - a) * 0.5f;
  const PointF square = a - b * 2.5f + c * 2.0f - d * 0.5f;
  const PointF cube = (d - a) * 0.5f + (b - c) * 1.5f;
  return b + (linear + (square + cube * t) * t) * t;
}

}  // namespace

MouthOpening::MouthOpening(int width) : columns_(static_cast<std::size_t>(width)) {}

void MouthOpening::trace_lip(std::span<const PointF> points, const std::vector<std::uint16_t>& lip,
                             float LipColumn::* edge, float LipColumn::* soft) {
  const int last = static_cast<int>(lip.size()) - 1;
  const auto at = [&](int k) { return points[lip[static_cast<std::size_t>(std::clamp(k, 0, last))]]; };
  PointF from = at(0);
  for (int k = 0; k < last; ++k) {
    for (int step = 1; step <= kSplineSteps; ++step) {
      const float t = static_cast<float>(step) / kSplineSteps;
      const PointF to = catmull_rom(at(k - 1), at(k), at(k + 1), at(k + 2), t);
      if (to.x > from.x) {
        const float slope = (to.y - from.y) / (to.x - from.x);
        const float fade = std::clamp(std::fabs(slope), 1.0f, kSteepest);
        const float low = static_cast<float>(clip_.x), high = static_cast<float>(clip_.x + clip_.width);
        const int begin = static_cast<int>(std::ceil(std::clamp(from.x - 0.5f, low, high)));
        const int end = static_cast<int>(std::ceil(std::clamp(to.x - 0.5f, low, high)));
        for (int x = begin; x < std::min(end, clip_.x + clip_.width); ++x) {
          columns_[x].*edge = from.y + (static_cast<float>(x) + 0.5f - from.x) * slope;
          columns_[x].*soft = fade;
        }
      }
      from = to;
    }
  }
}

void MouthOpening::trace(std::span<const PointF> points, const FaceContours& contours, const Box& clip, float grow_px) {
  clip_ = clip;
  box_ = {};
  for (LipColumn& column : columns_) column.upper_soft = column.lower_soft = 0;
  trace_lip(points, contours.inner_upper_lip, &LipColumn::upper, &LipColumn::upper_soft);
  trace_lip(points, contours.inner_lower_lip, &LipColumn::lower, &LipColumn::lower_soft);
  first_ = clip.x + clip.width;
  last_ = clip.x - 1;
  float top = 1e9f, bottom = -1e9f;
  int open_first = first_, open_last = last_;
  for (int x = clip.x; x < clip.x + clip.width; ++x) {
    LipColumn& lips = columns_[x];
    if (!lips.reached()) continue;
    first_ = std::min(first_, x);
    last_ = x;
    const float gap = lips.lower - lips.upper;
    if (gap <= 0) continue;
    const float grow = std::min(grow_px, 0.15f * gap);
    lips.upper -= grow;
    lips.lower += grow;
    open_first = std::min(open_first, x);
    open_last = x;
    top = std::min(top, lips.upper - lips.upper_soft);
    bottom = std::max(bottom, lips.lower + lips.lower_soft);
  }
  if (open_first > open_last) return;
  const int low = clip.y, high = clip.y + clip.height;
  const int x0 = open_first & ~1, x1 = std::min((open_last + 2) & ~1, clip.x + clip.width);
  const int y0 = static_cast<int>(std::clamp(std::floor(top), static_cast<float>(low), static_cast<float>(high))) & ~1;
  const int y1 =
      static_cast<int>(std::clamp(std::ceil(bottom) + 1, static_cast<float>(low), static_cast<float>(high))) & ~1;
  box_ = {x0, y0, x1 - x0, std::max(y1 - y0, 0)};
}

void MouthOpening::row(int y, float shadow, float shadow_px, std::uint8_t* coverage, std::uint8_t* light) const {
  const float center = static_cast<float>(y) + 0.5f;
  const float per_px = shadow_per_px(shadow_px);
  for (int i = 0; i < box_.width; ++i) {
    const OpeningPixel pixel = opening_pixel(columns_[box_.x + i], center, shadow, per_px);
    coverage[i] = pixel.coverage;
    light[i] = pixel.light;
  }
}

Box MouthOpening::seam_box(float reach_px, const Box& clip) const {
  float top = 1e9f, bottom = -1e9f;
  for (int x = first_; x <= last_; ++x) {
    if (!columns_[x].reached()) continue;
    top = std::min(top, columns_[x].upper);
    bottom = std::max(bottom, columns_[x].lower);
  }
  if (top > bottom + 1e6f || first_ > last_) return {};
  const float low = static_cast<float>(clip.y), high = static_cast<float>(clip.y + clip.height);
  const int y0 = static_cast<int>(std::clamp(std::floor(top - reach_px), low, high));
  const int y1 = static_cast<int>(std::clamp(std::ceil(bottom + reach_px), low, high));
  return {first_, y0, last_ + 1 - first_, std::max(y1 - y0, 0)};
}

bool MouthOpening::seam_row(int y, float strength, float reach_px, std::uint8_t* dark) const {
  const float center = static_cast<float>(y) + 0.5f;
  const Seam seam = {first_, last_, strength, reach_px};
  bool any = false;
  for (int x = first_; x <= last_; ++x) {
    dark[x - first_] = seam_pixel(columns_[x], center, x, seam);
    any = any || dark[x - first_] != 0;
  }
  return any;
}

}  // namespace visavis::face
