#include "eye_warp.h"

#include <algorithm>
#include <cmath>

#include "face_topology.h"
#include "mesh.h"
#include "plane_sample.h"
#include "raster.h"

namespace visavis::face {

namespace {

float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// From a point on a lid's edge towards the skin beside it, past lashes and whatever of the eye the landmark left
// outside: these are darker or less red than skin.
PointF skin_margin(const Face& face, const I420View& still, std::uint16_t edge, std::uint16_t beside) {
  constexpr float kLeastMm = 0.9f, kMostMm = 3.5f;
  const PointF from = face.points[edge], way = face.points[beside] - from;
  const float room = length(way) / face.px_per_mm;
  if (room < 0.1f) return {};
  const Sample cheek_left = sample_picture(still, face.points[50]),
               cheek_right = sample_picture(still, face.points[280]);
  const float skin_y = (cheek_left.y + cheek_right.y) / 2, skin_v = (cheek_left.v + cheek_right.v) / 2 - 128;
  float mm = kLeastMm;
  for (; mm < kMostMm; mm += 0.25f) {
    const Sample s = sample_picture(still, from + way * (mm / room));
    if (s.y - 16 > 0.5f * (skin_y - 16) && s.v - 128 > 0.5f * skin_v) break;
  }
  return way * std::min((mm + 0.3f) / room, 0.75f);
}

}  // namespace

EyeWarp::EyeWarp(const Face& shown, const Face& face, const I420View& still)
    : face_(shown), closing_(face.points.size()), margin_(face.points.size()), moved_(face.points.size()) {
  shut_lids(false, face, still);
  shut_lids(true, face, still);
}

void EyeWarp::shut_lids(bool right, const Face& face, const I420View& still) {
  const EyeRing& eye = right ? kRightEye : kLeftEye;
  const PointF inner = face_.points[eye.upper.front()], outer = face_.points[eye.upper.back()];
  const PointF axis = outer - inner;
  const float span2 = std::max(dot(axis, axis), 1e-3f);
  const auto along = [&](PointF p) { return dot(p - inner, axis) / span2; };
  const auto height = [&](PointF p) { return dot(p - inner, face_.down); };
  // Height of a lid's edge at a place along the eye.
  const auto lid_height = [&](const auto& lid, float s) {
    for (std::size_t k = 1; k < lid.size(); ++k) {
      const float s0 = along(face_.points[lid[k - 1]]), s1 = along(face_.points[lid[k]]);
      if (s <= s1 || k + 1 == lid.size()) {
        const float t = std::clamp((s - s0) / std::max(s1 - s0, 1e-4f), 0.0f, 1.0f);
        return height(face_.points[lid[k - 1]]) * (1 - t) + height(face_.points[lid[k]]) * t;
      }
    }
    return 0.0f;
  };
  // Lids meet near the lower one: it rises by an eighth of the opening only.
  constexpr float kLowerShare = 0.12f;
  // And overlap a little, or a dotted line of eyeball is left between them.
  constexpr float kOverlapMm = 0.4f;
  std::vector<char> touched(face_.points.size(), 0);
  for (std::size_t k = 1; k + 1 < eye.upper.size(); ++k) {
    const PointF up = face_.points[eye.upper[k]], low = face_.points[eye.lower[k]];
    const float opening = std::max(lid_height(eye.lower, along(up)) - height(up), 0.0f);
    const float fall = opening * (1 - kLowerShare) + std::min(kOverlapMm * face_.px_per_mm, 0.5f * opening);
    const float rise = std::max(height(low) - lid_height(eye.upper, along(low)), 0.0f) * kLowerShare;
    closing_[eye.upper[k]] = face_.down * fall;
    closing_[eye.lower[k]] = face_.down * -rise;
    closing_[eye.fold[k - 1]] = face_.down * (0.42f * fall);
    closing_[eye.socket[k - 1]] = face_.down * (0.10f * fall);
    closing_[eye.below[k - 1]] = face_.down * (-0.5f * rise);
    for (std::uint16_t id : {eye.upper[k], eye.lower[k], eye.fold[k - 1], eye.socket[k - 1], eye.below[k - 1]})
      touched[id] = 1;
  }
  for (std::size_t k = 1; k + 1 < eye.upper.size(); ++k) {
    margin_[eye.upper[k]] = skin_margin(face, still, eye.upper[k], eye.fold[k - 1]);
    margin_[eye.lower[k]] = skin_margin(face, still, eye.lower[k], eye.below[k - 1]);
  }
  std::vector<char> lid(face_.points.size(), 0);
  for (std::size_t k = 0; k < eye.upper.size(); ++k) lid[eye.upper[k]] = lid[eye.lower[k]] = 1;
  Patch& patch = patches_[right ? 1 : 0];
  float left = 1e9f, top = 1e9f, far = -1e9f, bottom = -1e9f;
  for (std::uint32_t t = 0; t < face_.triangles.size(); ++t) {
    const Triangle& ids = face_.triangles[t];
    if (touched[ids.a] == 0 && touched[ids.b] == 0 && touched[ids.c] == 0) continue;
    // The eyeball stays where it is; lids slide over it.
    if (lid[ids.a] == 0 || lid[ids.b] == 0 || lid[ids.c] == 0) patch.triangles.push_back(t);
    for (std::uint16_t id : {ids.a, ids.b, ids.c}) {
      left = std::min(left, face_.points[id].x);
      far = std::max(far, face_.points[id].x);
      top = std::min(top, face_.points[id].y);
      bottom = std::max(bottom, face_.points[id].y);
    }
  }
  // A face at the picture's border has lids beyond it; nothing is seen of them.
  patch.box = {std::max(static_cast<int>(std::floor(left)) - 1, 0), std::max(static_cast<int>(std::floor(top)) - 1, 0),
               0, 0};
  patch.box.width = std::max(static_cast<int>(std::ceil(far)) + 2 - patch.box.x, 2);
  patch.box.height = std::max(static_cast<int>(std::ceil(bottom)) + 2 - patch.box.y, 2);
  patch.map.resize(static_cast<std::size_t>(patch.box.width) * patch.box.height);
}

// 1 in the middle of the opening, 0 at the lids and the corners.
float EyeWarp::gaze_share(PointF p, bool right) const {
  const EyeRing& eye = right ? kRightEye : kLeftEye;
  const PointF inner = face_.points[eye.upper.front()], outer = face_.points[eye.upper.back()];
  const PointF axis = outer - inner;
  const float s = dot(p - inner, axis) / std::max(dot(axis, axis), 1e-3f);
  if (s <= 0 || s >= 1) return 0;
  const float at = s * static_cast<float>(eye.upper.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), eye.upper.size() - 2);
  const float t = at - static_cast<float>(k);
  const auto height = [&](const auto& lid) {
    return dot(face_.points[lid[k]] - inner, face_.down) * (1 - t) +
           dot(face_.points[lid[k + 1]] - inner, face_.down) * t;
  };
  const float top = height(eye.upper), bottom = height(eye.lower), y = dot(p - inner, face_.down);
  const float margin = std::max(0.18f * (bottom - top), 0.5f);
  return smooth_step(0, margin, y - top) * smooth_step(0, margin, bottom - y) * smooth_step(0, 0.22f, s) *
         smooth_step(0, 0.22f, 1 - s);
}

void EyeWarp::set(float blink, float gaze_x_mm, float gaze_y_mm) {
  active_ = blink > 0.002f || std::fabs(gaze_x_mm) > 0.01f || std::fabs(gaze_y_mm) > 0.01f;
  if (!active_) {
    std::fill(moved_.begin(), moved_.end(), PointF{});
    return;
  }
  const PointF gaze = face_.to_px({gaze_x_mm, gaze_y_mm});
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i] = closing_[i] * blink;
    if (i >= kMeshPointCount && i < kLandmarkCount) moved_[i] = gaze;
  }
  for (int side = 0; side < 2; ++side) {
    Patch& patch = patches_[side];
    std::fill(patch.map.begin(), patch.map.end(), Source{});
    for (std::uint32_t t : patch.triangles) {
      const Triangle& ids = face_.triangles[t];
      const auto to = [&](std::uint16_t id) { return face_.points[id] + moved_[id]; };
      const auto back = [&](std::uint16_t id) { return margin_[id] * blink - moved_[id]; };
      LinearPair offset;
      if (!LinearPair::through(to(ids.a), to(ids.b), to(ids.c), back(ids.a), back(ids.b), back(ids.c), offset))
        continue;
      scan_triangle(to(ids.a), to(ids.b), to(ids.c), patch.box, [&](int y, int begin, int end) {
        Source* row = patch.map.data() + static_cast<std::size_t>(y - patch.box.y) * patch.box.width;
        for (int x = begin; x < end; ++x) {
          row[x - patch.box.x].offset = offset.at(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
        }
      });
    }
    for (int y = 0; y < patch.box.height; ++y) {
      for (int x = 0; x < patch.box.width; ++x) {
        PointF& to = patch.map[static_cast<std::size_t>(y) * patch.box.width + x].offset;
        const PointF p = {static_cast<float>(patch.box.x + x) + 0.5f + to.x,
                          static_cast<float>(patch.box.y + y) + 0.5f + to.y};
        to = to - gaze * gaze_share(p, side == 1);
      }
    }
    if (blink > 0) draw_lashes(blink, side == 1);
  }
}

// A soft dark line along the upper lid's edge as it comes down: the lashes' own pixels are left behind on the way.
void EyeWarp::draw_lashes(float blink, bool right) {
  constexpr float kDarkest = 0.62f, kThicknessMm = 0.55f;
  const EyeRing& eye = right ? kRightEye : kLeftEye;
  Patch& patch = patches_[right ? 1 : 0];
  const float strength = kDarkest * smooth_step(0.15f, 0.8f, blink);
  const PointF inner = face_.points[eye.upper.front()], outer = face_.points[eye.upper.back()];
  const PointF axis = outer - inner;
  const float span2 = std::max(dot(axis, axis), 1e-3f);
  for (int y = 0; y < patch.box.height; ++y) {
    for (int x = 0; x < patch.box.width; ++x) {
      const PointF p = {static_cast<float>(patch.box.x + x) + 0.5f, static_cast<float>(patch.box.y + y) + 0.5f};
      const float s = dot(p - inner, axis) / span2;
      if (s <= 0 || s >= 1) continue;
      std::size_t k = 1;
      const auto at = [&](std::size_t i) { return face_.points[eye.upper[i]] + moved_[eye.upper[i]] - inner; };
      while (k + 1 < eye.upper.size() && dot(at(k), axis) / span2 < s) ++k;
      const float s0 = dot(at(k - 1), axis) / span2, s1 = dot(at(k), axis) / span2;
      const float t = std::clamp((s - s0) / std::max(s1 - s0, 1e-4f), 0.0f, 1.0f);
      const float edge = dot(at(k - 1), face_.down) * (1 - t) + dot(at(k), face_.down) * t;
      const float away = (dot(p - inner, face_.down) - edge) / (kThicknessMm * face_.px_per_mm);
      const float taper = smooth_step(0, 0.18f, s) * smooth_step(0, 0.12f, 1 - s);
      patch.map[static_cast<std::size_t>(y) * patch.box.width + x].shade = strength * taper * std::exp(-away * away);
    }
  }
}

EyeWarp::Source EyeWarp::source(PointF p) const {
  for (const Patch& patch : patches_) {
    const float x = p.x - 0.5f - static_cast<float>(patch.box.x), y = p.y - 0.5f - static_cast<float>(patch.box.y);
    if (!(x >= 0 && y >= 0 && x < static_cast<float>(patch.box.width - 1) &&
          y < static_cast<float>(patch.box.height - 1))) {
      continue;
    }
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
    const Source* at = patch.map.data() + static_cast<std::size_t>(iy) * patch.box.width + ix;
    const Source* below = at + patch.box.width;
    const auto mix = [](float a, float b, float c, float d, float tx, float ty) {
      return (a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty;
    };
    // Between lids that meet, one fallen and one risen, the mean of both would be a place on the eyeball.
    constexpr float kFallenPx = -2.5f, kRisenPx = 0.25f;
    const auto [least, most] = std::minmax({at[0].offset.y, at[1].offset.y, below[0].offset.y, below[1].offset.y});
    const Source& nearest = (fy < 0.5f ? at : below)[fx < 0.5f ? 0 : 1];
    if (least < kFallenPx && most > kRisenPx) return nearest;
    return {{mix(at[0].offset.x, at[1].offset.x, below[0].offset.x, below[1].offset.x, fx, fy),
             mix(at[0].offset.y, at[1].offset.y, below[0].offset.y, below[1].offset.y, fx, fy)},
            mix(at[0].shade, at[1].shade, below[0].shade, below[1].shade, fx, fy)};
  }
  return {};
}

}  // namespace visavis::face
