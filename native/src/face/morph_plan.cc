#include "morph_plan.h"

#include <algorithm>
#include <cmath>

#include "face_topology.h"
#include "fill_triangle.h"
#include "mesh.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

constexpr float kLeastMovePx = 1.0f / 32;
constexpr std::size_t kFirstHeld = kLandmarkCount + (kRingCount - 1) * kOvalCount;

}  // namespace

MorphPlan::MorphPlan(int width, int height) : width_(width), height_(height) {
  points_.resize(kRigPointCount);
  for (auto& offsets : offsets_) offsets.resize(kRigPointCount);
  still_.resize(kRigPointCount);
  triangles_.reserve(kMaxTriangles + 2 * kMaxContour);
}

void MorphPlan::make(std::span<const PointF> from, std::span<const PointF> to, std::span<const Triangle> triangles,
                     float share) {
  share = share > 0 ? std::min(share, 1.0f) : 0.0f;
  weight_ = static_cast<std::uint32_t>(share * 256.0f + 0.5f);
  box_ = {};
  triangles_.clear();
  if (weight_ == 0 || weight_ == 256 || triangles.empty()) return;
  if (from.size() != kRigPointCount || to.size() != kRigPointCount) return;
  place(from, to, share);
  if (box_.width < 2 || box_.height < 2) {
    box_ = {};
    return;
  }
  for (const Triangle& t : triangles) {
    if ((still_[t.a] & still_[t.b] & still_[t.c]) == 0) triangles_.push_back(t);
  }
}

void MorphPlan::place(std::span<const PointF> from, std::span<const PointF> to, float share) {
  float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const PointF way = to[i] - from[i];
    points_[i] = from[i] + way * share;
    const bool held = i >= kFirstHeld;
    const PointF back = held ? PointF{} : way * -share, ahead = held ? PointF{} : way * (1 - share);
    offsets_[0][i] = {kept_offset(back.x), kept_offset(back.y)};
    offsets_[1][i] = {kept_offset(ahead.x), kept_offset(ahead.y)};
    still_[i] = held || std::max(std::fabs(way.x), std::fabs(way.y)) < kLeastMovePx ? 1 : 0;
    left = std::min(left, points_[i].x);
    right = std::max(right, points_[i].x);
    top = std::min(top, points_[i].y);
    bottom = std::max(bottom, points_[i].y);
  }
  const auto even = [](float value, int limit) {
    return static_cast<int>(std::clamp(value, 0.0f, static_cast<float>(limit))) & ~1;
  };
  const int x0 = even(std::floor(left), width_), y0 = even(std::floor(top), height_);
  const int x1 = even(std::ceil(right) + 2, width_), y1 = even(std::ceil(bottom) + 2, height_);
  box_ = {x0, y0, std::max(x1 - x0, 0), std::max(y1 - y0, 0)};
}

}  // namespace visavis::face
