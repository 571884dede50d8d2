#include "expression_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "creases.h"
#include "face_topology.h"
#include "mesh.h"
#include "raster.h"

namespace visavis::face {

namespace {

constexpr float kLeastPx = 0.02f;
constexpr float kTornPx = 1.5f;  // Neighbours that come from places further apart than this lie on two lips.

// How much of a lid's way the eyeball's picture goes along at a share `v` of the opening away from that lid. The half
// of the eye beyond the middle, and with it the pupil, stays where it is.
float drag(float v) {
  const float t = std::clamp(1 - v / 0.5f, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

ExpressionMap::ExpressionMap(const Face& face, const Expression& expression, const Face& shown)
    : face_(face), expression_(expression), moved_(face.points.size()) {
  std::vector<std::int8_t> lid(face.points.size(), 0);  // 1 upper, 2 lower, 3 both.
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    for (std::uint16_t id : eye->upper) lid[id] = static_cast<std::int8_t>(lid[id] | 1);
    for (std::uint16_t id : eye->lower) lid[id] = static_cast<std::int8_t>(lid[id] | 2);
  }
  std::vector<char> right_eye(face.points.size(), 0);
  for (const auto* edge : {&kRightEye.upper, &kRightEye.lower}) {
    for (std::uint16_t id : *edge) right_eye[id] = 1;
  }
  for (const int side : {0, 1}) {
    // The middle of each iris and the four points around it.
    const int middle = side == 0 ? 468 : 473;
    irises_[side].center = face.points[middle];
    for (int k = 1; k <= 4; ++k) irises_[side].radius += length(face.points[middle + k] - face.points[middle]) / 4;
  }
  constexpr float kDown[4] = {0, 0, 1, 0.5f};
  float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
  const auto moves = [&](std::uint16_t id) {
    return length(expression.brows[id]) > kLeastPx || length(expression.steady[id]) > kLeastPx ||
           length(expression.lower[id]) > kLeastPx;
  };
  const auto keep = [&](const Triangle& t) {
    if (!moves(t.a) && !moves(t.b) && !moves(t.c)) return false;
    for (std::uint16_t id : {t.a, t.b, t.c}) {
      // Room for what an expression swells to.
      for (const PointF p : {face.points[id], face.points[id] + expression.at(id, 0.3f, 0.3f)}) {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        top = std::min(top, p.y);
        bottom = std::max(bottom, p.y);
      }
    }
    return true;
  };
  for (const Triangle& t : face.triangles) {
    if (!keep(t)) continue;
    if (lid[t.a] != 0 && lid[t.b] != 0 && lid[t.c] != 0) {
      eyes_.push_back({t, {kDown[lid[t.a]], kDown[lid[t.b]], kDown[lid[t.c]]}, right_eye[t.a] != 0});
    } else {
      skin_.push_back(t);
    }
  }
  for (int k = 0; k + 1 < kLipColumns; ++k) {
    const Triangle upper = {kUpperLip[0][k], kUpperLip[0][k + 1], kLowerLip[0][k]};
    const Triangle lower = {kLowerLip[0][k], kUpperLip[0][k + 1], kLowerLip[0][k + 1]};
    for (const Triangle& t : {upper, lower}) {
      if (keep(t)) opening_.push_back(t);
    }
  }
  if (left > right) return;
  box_.x = std::max(static_cast<int>(std::floor(left)) - 1, 0);
  box_.y = std::max(static_cast<int>(std::floor(top)) - 1, 0);
  box_.width = std::max(static_cast<int>(std::ceil(right)) + 2 - box_.x, 2);
  box_.height = std::max(static_cast<int>(std::ceil(bottom)) + 2 - box_.y, 2);
  map_.resize(static_cast<std::size_t>(box_.width) * box_.height);
  shade_ = shade_creases(find_creases(expression.target, shown, expression.smile), box_);
}

void ExpressionMap::add_skin(const Triangle& ids) {
  const auto to = [&](std::uint16_t id) { return face_.points[id] + moved_[id]; };
  LinearPair offset;
  if (!LinearPair::through(to(ids.a), to(ids.b), to(ids.c), moved_[ids.a] * -1.0f, moved_[ids.b] * -1.0f,
                           moved_[ids.c] * -1.0f, offset)) {
    return;
  }
  scan_triangle(to(ids.a), to(ids.b), to(ids.c), box_, [&](int y, int begin, int end) {
    PointF* row = map_.data() + static_cast<std::size_t>(y - box_.y) * box_.width;
    for (int x = begin; x < end; ++x) {
      row[x - box_.x] = offset.at(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
    }
  });
}

// Each lid drags the picture of the eyeball along next to itself only.
void ExpressionMap::add_eye(const EyeTriangle& eye) {
  const std::array<std::uint16_t, 3> ids = {eye.ids.a, eye.ids.b, eye.ids.c};
  std::array<PointF, 3> to, shares, ways;
  for (int k = 0; k < 3; ++k) {
    to[k] = face_.points[ids[k]] + moved_[ids[k]];
    const float way = -dot(moved_[ids[k]], face_.down);
    shares[k] = {eye.down[k], 0};
    ways[k] = {way * (1 - eye.down[k]), way * eye.down[k]};
  }
  LinearPair share, way;
  if (!LinearPair::through(to[0], to[1], to[2], shares[0], shares[1], shares[2], share)) return;
  if (!LinearPair::through(to[0], to[1], to[2], ways[0], ways[1], ways[2], way)) return;
  scan_triangle(to[0], to[1], to[2], box_, [&](int y, int begin, int end) {
    PointF* row = map_.data() + static_cast<std::size_t>(y - box_.y) * box_.width;
    for (int x = begin; x < end; ++x) {
      const PointF at = {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f};
      const float v = std::clamp(share.at(at.x, at.y).x, 0.0f, 1.0f);
      const PointF both = way.at(at.x, at.y);
      const float upper = both.x / std::max(1 - v, 0.4f) * drag(v), lower = both.y / std::max(v, 0.4f) * drag(1 - v);
      row[x - box_.x] = face_.down * (upper + lower) + face_.right * keep_round(irises_[eye.right], at, upper + lower);
    }
  });
}

// Where a lid drags the eyeball's picture by `dy`, the iris would become an egg. How far to the side its picture must
// come from, too, for its outline to stay the circle it is; the white gives way.
float ExpressionMap::keep_round(const Iris& iris, PointF p, float dy) const {
  const float y = dot(p - iris.center, face_.down), x = dot(p - iris.center, face_.right);
  const float reach = 2.0f * iris.radius, away = std::fabs(x);
  if (away >= reach || std::fabs(dy) < 0.01f) return 0;
  const auto half_width = [&](float at) { return std::sqrt(std::max(iris.radius * iris.radius - at * at, 0.0f)); };
  const float here = half_width(y), there = half_width(y + dy);
  if (there < 0.05f * iris.radius) return 0;
  const float from = away < here ? away * there / std::max(here, 0.05f * iris.radius)
                                 : there + (away - here) * (reach - there) / (reach - here);
  // Next to the very top of the circle both sides would come from far apart.
  const float top = std::min(here / (0.35f * iris.radius), 1.0f);
  return (x < 0 ? -1.0f : 1.0f) * (from - away) * top * top;
}

void ExpressionMap::set(float brow_swell, float mouth_swell) {
  if (map_.empty()) return;
  for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] = expression_.at(i, brow_swell, mouth_swell);
  std::fill(map_.begin(), map_.end(), PointF{});
  // The mouth's opening first: whatever skin overlaps it wins.
  for (const Triangle& t : opening_) add_skin(t);
  for (const EyeTriangle& t : eyes_) add_eye(t);
  for (const Triangle& t : skin_) add_skin(t);
}

ExpressionMap::Source ExpressionMap::source(PointF p) const {
  const float x = p.x - 0.5f - static_cast<float>(box_.x), y = p.y - 0.5f - static_cast<float>(box_.y);
  const auto last_x = static_cast<float>(box_.width - 1), last_y = static_cast<float>(box_.height - 1);
  if (!(x >= 0 && y >= 0 && x < last_x && y < last_y)) return {};
  const int ix = static_cast<int>(x), iy = static_cast<int>(y);
  const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
  const std::size_t first = static_cast<std::size_t>(iy) * box_.width + ix;
  const PointF* at = map_.data() + first;
  const float* dark = shade_.data() + first;
  const PointF* below = at + box_.width;
  const float shade =
      (dark[0] * (1 - fx) + dark[1] * fx) * (1 - fy) + (dark[box_.width] * (1 - fx) + dark[box_.width + 1] * fx) * fy;
  // Between lips that were brought together the mean of both would be a place on the teeth.
  const auto [least, most] = std::minmax({at[0].y, at[1].y, below[0].y, below[1].y});
  if (most - least > kTornPx) return {(fy < 0.5f ? at : below)[fx < 0.5f ? 0 : 1], shade};
  return {(at[0] * (1 - fx) + at[1] * fx) * (1 - fy) + (below[0] * (1 - fx) + below[1] * fx) * fy, shade};
}

}  // namespace visavis::face
