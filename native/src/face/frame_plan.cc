#include "frame_plan.h"

#include <algorithm>
#include <cmath>

#include "fill_triangle.h"
#include "mesh.h"
#include "mouth_contact.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

constexpr float kLeastMovePx = 1.0f / 32;  // What moves less is left alone: nobody sees it.
constexpr float kFadeInWeight = 0.12f;     // From rest to this weight the painted mouth takes over from the picture's.
constexpr float kShadowMm = 2.4f;
constexpr float kRimMm = 0.5f;
constexpr float kSeamMm = 1.1f;
constexpr float kSeamColorPx = 3.0f;        // A block of colour and a half.
constexpr float kLowerTeethFollow = 0.92f;  // Of the jaw's travel at the chin.
constexpr float kTongueFollow = 0.86f;

}  // namespace

MouthPose sanitized(const MouthPose& pose) {
  MouthPose clean;
  float sum = 0;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    const float weight = pose.weights[v];
    clean.weights[v] = weight > 0 ? std::min(weight, 1.0f) : 0.0f;
    sum += clean.weights[v];
  }
  if (sum > 1) {
    for (float& weight : clean.weights) weight /= sum;
  }
  clean.loudness = pose.loudness > 0 ? std::min(pose.loudness, 1.0f) : 0.0f;
  return clean;
}

FramePlan::FramePlan(const Rig& rig) : rig_(rig), opening_(rig.width), shadow_px_(kShadowMm * rig.px_per_mm) {
  const std::vector<char> moves = moving_points(rig_);
  for (const Triangle& t : rig_.triangles) {
    if (moves[t.a] != 0 || moves[t.b] != 0 || moves[t.c] != 0) moving_.push_back(t);
  }
  const auto& upper = rig_.contours.inner_upper_lip;
  const auto& lower = rig_.contours.inner_lower_lip;
  for (std::size_t k = 0; k + 1 < upper.size(); ++k) {
    fill_.push_back({upper[k], upper[k + 1], lower[k]});
    fill_.push_back({lower[k], upper[k + 1], lower[k + 1]});
  }
  triangles_.reserve(most_triangles());
  points_.resize(rig_.point_count());
  offsets_.resize(rig_.point_count());
  still_.resize(rig_.point_count());
}

void FramePlan::make(int index, const MouthPose& pose) {
  box_ = rig_.face_box(index);
  pose_points(rig_, index, pose, points_);
  const auto track = rig_.track(index);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const PointF d = track[i] - points_[i];
    offsets_[i] = {kept_offset(d.x), kept_offset(d.y)};
    still_[i] = std::max(std::fabs(d.x), std::fabs(d.y)) < kLeastMovePx ? 1 : 0;
  }
  triangles_.clear();
  for (const auto* list : {&fill_, &moving_}) {
    for (const Triangle& t : *list) {
      if ((still_[t.a] & still_[t.b] & still_[t.c]) == 0) triangles_.push_back(t);
    }
  }
  // Lips that were apart in the photograph carry a rim of what was between them.
  const bool seam = rig_.mouth.seam_shade > 0;
  opening_.trace(points_, rig_.contours, box_, seam ? kRimMm * rig_.px_per_mm : 0.0f);
  float activity = 0;
  for (float weight : pose.weights) activity += weight;
  fade_ = static_cast<int>(std::min(1.0f, activity / kFadeInWeight) * 256.0f + 0.5f);
  dark_seam_ = color_seam_ = {};
  if (seam) {
    const float reach = std::max(kSeamMm * rig_.px_per_mm, 1.0f), color_reach = std::max(reach, kSeamColorPx);
    const float fade = static_cast<float>(fade_) / 256.0f;
    dark_seam_ = {opening_.seam_box(reach, box_), rig_.mouth.seam_shade * static_cast<float>(fade_) / 256.0f, reach};
    color_seam_ = {opening_.seam_box(color_reach, box_), fade, color_reach};
  }
  inside_ = opening_.box();
  if (inside_.width < 2 || inside_.height < 2 || rig_.mouth.width < 4 || rig_.mouth.height < 4) {
    inside_ = {};
    return;
  }
  place_layers(index, pose);
}

void FramePlan::place_layers(int index, const MouthPose& pose) {
  const Affine& head = rig_.head[static_cast<std::size_t>(index)];
  const float det = head.xx * head.yy - head.xy * head.yx;
  Affine back;
  back.xx = head.yy / det;
  back.xy = -head.xy / det;
  back.yx = -head.yx / det;
  back.yy = head.xx / det;
  const PointF origin = back.turn({head.x0, head.y0}) + rig_.mouth.origin;
  float lift = 0;
  const VisemeWeights weights = with_contact(pose.weights);
  for (std::size_t v = 1; v < kVisemeCount; ++v) lift += weights[v] * rig_.tongue_mm[v];
  const float open = jaw_opening_mm(rig_, pose);
  const auto place = [&](float sink_mm) {
    const PointF sink = rig_.down * (sink_mm * rig_.px_per_mm);
    Affine map = back;
    map.x0 = -origin.x - sink.x;
    map.y0 = -origin.y - sink.y;
    return map;
  };
  maps_ = {place(0), place(open * kTongueFollow - lift), place(open * kLowerTeethFollow), place(0)};
}

}  // namespace visavis::face
