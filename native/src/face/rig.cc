#include "visavis/face/rig.h"

#include <algorithm>
#include <cmath>

#include "face_topology.h"
#include "mesh.h"
#include "mouth_contact.h"
#include "rig_limits.h"

namespace visavis {

namespace {

using face::cross;
using face::dot;
using face::operator+;
using face::operator-;
using face::operator*;

void require(bool ok, const char* what) {
  if (!ok) throw FormatError(std::string("rig: ") + what);
}

bool sane(PointF p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::fabs(p.x) < face::kMaxCoordinate &&
         std::fabs(p.y) < face::kMaxCoordinate;
}

void check_points(const std::vector<PointF>& points, std::size_t count, const char* what) {
  require(points.size() == count, what);
  for (PointF p : points) require(sane(p), what);
}

void check_indices(const std::vector<std::uint16_t>& ids, std::size_t points, const char* what) {
  require(ids.size() >= 2 && ids.size() <= face::kMaxContour, what);
  for (std::uint16_t id : ids) require(id < points, what);
}

void check_layer(const MouthLayer& layer, std::size_t luma) {
  require(
      layer.y.size() == luma && layer.alpha.size() == luma && layer.u.size() == luma / 4 && layer.v.size() == luma / 4,
      "a mouth layer has the wrong size");
}

void check(const Rig& rig) {
  require(rig.width >= face::kMinSide && rig.width <= face::kMaxSide && rig.width % 2 == 0 &&
              rig.height >= face::kMinSide && rig.height <= face::kMaxSide && rig.height % 2 == 0,
          "the frame size is out of range");
  require(rig.fps == 25 || rig.fps == 30, "the frame rate is neither 25 nor 30");
  require(rig.frame_count >= 1 && rig.frame_count <= face::kMaxFrames, "the frame count is out of range");
  require(std::isfinite(rig.px_per_mm) && rig.px_per_mm > 0.01f && rig.px_per_mm < 100.0f, "the scale is out of range");
  require(sane(rig.down) && std::fabs(dot(rig.down, rig.down) - 1.0f) < 0.01f,
          "the downward axis is not a unit vector");
  const std::size_t points = rig.rest.size();
  require(points >= kLandmarkCount && points <= face::kMaxPoints, "the point count is out of range");
  check_points(rig.rest, points, "a point is out of range");
  check_points(rig.tracks, points * static_cast<std::size_t>(rig.frame_count), "a track is out of range");
  check_points(rig.jaw, points, "the jaw is out of range");
  for (const auto& shape : rig.shapes) check_points(shape, points, "a viseme is out of range");
  for (std::size_t v = 0; v < kVisemeCount; ++v) {
    require(rig.jaw_mm[v] >= 0 && rig.jaw_mm[v] <= 40 && rig.tongue_mm[v] >= 0 && rig.tongue_mm[v] <= 40,
            "a viseme's jaw or tongue is out of range");
  }
  require(!rig.triangles.empty() && rig.triangles.size() <= face::kMaxTriangles, "the triangle count is out of range");
  for (const Triangle& t : rig.triangles) {
    require(t.a < points && t.b < points && t.c < points, "a triangle names a missing point");
  }
  const FaceContours& c = rig.contours;
  for (const auto* ids : {&c.inner_upper_lip, &c.inner_lower_lip, &c.outer_upper_lip, &c.outer_lower_lip,
                          &c.left_upper_lid, &c.left_lower_lid, &c.right_upper_lid, &c.right_lower_lid}) {
    check_indices(*ids, points, "a contour is out of range");
  }
  require(c.inner_upper_lip.size() == c.inner_lower_lip.size(), "the inner lips differ in length");
  const MouthInterior& m = rig.mouth;
  require(m.width >= 2 && m.width <= face::kMaxMouthSide && m.width % 2 == 0 && m.height >= 2 &&
              m.height <= face::kMaxMouthSide && m.height % 2 == 0 && sane(m.origin),
          "the mouth's size is out of range");
  require(m.lip_shadow >= 0 && m.lip_shadow <= 1 && m.seam_shade >= 0 && m.seam_shade <= 1,
          "the mouth's shading is out of range");
  const std::size_t luma = static_cast<std::size_t>(m.width) * m.height;
  for (const MouthLayer* layer : {&m.cavity, &m.tongue, &m.lower_teeth, &m.upper_teeth}) check_layer(*layer, luma);
}

// All that moving triangles can cover in one frame: their points, wherever any viseme takes them.
Box moving_box(const Rig& rig, int frame, const std::vector<char>& touched) {
  const auto track = rig.track(frame);
  const Affine& head = rig.head[static_cast<std::size_t>(frame)];
  float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
  for (std::size_t i = 0; i < track.size(); ++i) {
    if (touched[i] == 0) continue;
    const auto extend = [&](PointF p) {
      left = std::min(left, p.x);
      right = std::max(right, p.x);
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
    };
    extend(track[i]);
    for (std::size_t v = 0; v < kVisemeCount; ++v) {
      extend(track[i] + head.turn(rig.shapes[v][i] + rig.jaw[i] * (face::kMaxJawScale * rig.jaw_mm[v])));
      extend(track[i] + head.turn(rig.shapes[v][i] + rig.jaw[i] * (face::kMinJawScale * rig.jaw_mm[v])));
    }
  }
  if (left > right) return {};
  // Kept to the picture before it is made whole: a file can name places that no int holds.
  const auto even = [](float value, int limit) {
    return static_cast<int>(std::clamp(value, 0.0f, static_cast<float>(limit))) & ~1;
  };
  const int x0 = even(std::floor(left) - 2, rig.width), y0 = even(std::floor(top) - 2, rig.height);
  const int x1 = even(std::ceil(right) + 4, rig.width), y1 = even(std::ceil(bottom) + 4, rig.height);
  return {x0, y0, std::max(x1 - x0, 0), std::max(y1 - y0, 0)};
}

}  // namespace

void Rig::finish() {
  check(*this);
  head.clear();
  boxes.clear();
  const std::vector<char> moves = face::moving_points(*this);
  std::vector<char> touched(rest.size(), 0);
  for (const Triangle& t : triangles) {
    if (moves[t.a] != 0 || moves[t.b] != 0 || moves[t.c] != 0) touched[t.a] = touched[t.b] = touched[t.c] = 1;
  }
  for (const auto* lip : {&contours.inner_upper_lip, &contours.inner_lower_lip}) {
    for (std::uint16_t id : *lip) touched[id] = 1;
  }
  for (int frame = 0; frame < frame_count; ++frame) {
    head.push_back(face::fit_head(rest, track(frame)));
    boxes.push_back(moving_box(*this, frame, touched));
  }
}

namespace {

// How far the jaw opens for weights that have had their contacts made whole. A closure and a bite are as they are
// however loud the voice.
float jaw_of(const Rig& rig, const VisemeWeights& weights, float loudness) {
  const float kept = std::clamp(loudness, 0.0f, 1.0f);
  const float scale = face::kMinJawScale + (face::kMaxJawScale - face::kMinJawScale) * kept;
  float open = 0;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    const auto viseme = static_cast<Viseme>(v);
    const bool contact = viseme == Viseme::PP || viseme == Viseme::FF;
    open += weights[v] * rig.jaw_mm[v] * (contact ? 1.0f : scale);
  }
  return open;
}

}  // namespace

float jaw_opening_mm(const Rig& rig, const MouthPose& pose) {
  return jaw_of(rig, face::with_contact(pose.weights), pose.loudness);
}

void pose_points(const Rig& rig, int frame, const MouthPose& pose, std::span<PointF> out) {
  const auto track = rig.track(frame);
  const Affine& head = rig.head[static_cast<std::size_t>(frame)];
  const VisemeWeights weights = face::with_contact(pose.weights);
  const float open = jaw_of(rig, weights, pose.loudness);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = rig.jaw[i] * open;
  float sum = 0;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    const float weight = weights[v];
    sum += weight;
    if (weight <= 0) continue;
    const PointF* shape = rig.shapes[v].data();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].x += weight * shape[i].x;
      out[i].y += weight * shape[i].y;
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = track[i] + head.turn(out[i]);
  // Every viseme brings the lips together before it parts them again. What the frame's lips are further apart, or
  // nearer, than the skull's movement tells goes the same way, or shut lips would gape in some frames.
  for (std::size_t k = 0; k < rig.contours.inner_upper_lip.size(); ++k) {
    const std::uint16_t upper = rig.contours.inner_upper_lip[k], lower = rig.contours.inner_lower_lip[k];
    const PointF excess = (track[lower] - track[upper]) - head.turn(rig.rest[lower] - rig.rest[upper]);
    out[upper] = out[upper] + excess * (sum / 2);
    out[lower] = out[lower] - excess * (sum / 2);
  }
}

namespace face {

// Least squares over the points that only the skull moves.
Affine fit_head(std::span<const PointF> rest, std::span<const PointF> track) {
  PointF from, to;
  const float share = 1.0f / face::kSkullPoints.size();
  for (std::uint16_t id : face::kSkullPoints) {
    from = from + rest[id] * share;
    to = to + track[id] * share;
  }
  double sxx = 0, sxy = 0, syy = 0, axx = 0, axy = 0, ayx = 0, ayy = 0;
  for (std::uint16_t id : face::kSkullPoints) {
    const PointF p = rest[id] - from, q = track[id] - to;
    sxx += static_cast<double>(p.x) * p.x;
    sxy += static_cast<double>(p.x) * p.y;
    syy += static_cast<double>(p.y) * p.y;
    axx += static_cast<double>(q.x) * p.x;
    axy += static_cast<double>(q.x) * p.y;
    ayx += static_cast<double>(q.y) * p.x;
    ayy += static_cast<double>(q.y) * p.y;
  }
  const double det = sxx * syy - sxy * sxy;
  require(det > 1e-3 * std::max(sxx * syy, 1e-3), "the face has no extent");
  Affine m;
  m.xx = static_cast<float>((axx * syy - axy * sxy) / det);
  m.xy = static_cast<float>((axy * sxx - axx * sxy) / det);
  m.yx = static_cast<float>((ayx * syy - ayy * sxy) / det);
  m.yy = static_cast<float>((ayy * sxx - ayx * sxy) / det);
  const float turn = m.xx * m.yy - m.xy * m.yx;
  require(std::isfinite(turn) && turn > 0.05f && turn < 20.0f, "a track is not a face's movement");
  const PointF moved = m.turn(from);
  m.x0 = to.x - moved.x;
  m.y0 = to.y - moved.y;
  return m;
}

std::vector<char> moving_points(const Rig& rig) {
  std::vector<char> moves(rig.rest.size(), 0);
  const auto mark = [&](const std::vector<PointF>& d) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (d[i].x != 0 || d[i].y != 0) moves[i] = 1;
    }
  };
  mark(rig.jaw);
  for (const auto& shape : rig.shapes) mark(shape);
  return moves;
}

}  // namespace face

}  // namespace visavis
