#include "landmarks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "face_topology.h"
#include "mesh.h"
#include "visavis/face/builder.h"

namespace visavis::face {

namespace {

// Mean distance between the pupils of adults (Dodgson, "Variation and extrema of human interpupillary distance", 2004).
constexpr float kPupilDistanceMm = 63.0f;
// From nose tip to the ears in front of which the outline ends, as a share of the face's width: MediaPipe's canonical
// face.
constexpr float kDepthOverWidth = 0.62f;
constexpr float kMinPupilDistancePx = 14.0f;
constexpr float kMaxTurnDegrees = 50.0f;
constexpr float kLeastThicknessMm = 0.15f;
constexpr float kRingScale[kRingCount] = {1.13f, 1.38f};

void check_numbers(std::span<const float> landmarks) {
  if (landmarks.size() != static_cast<std::size_t>(kLandmarkCount) * 3) {
    throw BuildError("expected " + std::to_string(kLandmarkCount) + " landmarks of 3 numbers, got " +
                     std::to_string(landmarks.size()) + " numbers");
  }
  for (std::size_t i = 0; i < landmarks.size(); ++i) {
    if (!std::isfinite(landmarks[i])) throw BuildError("landmark " + std::to_string(i / 3) + " is not a number");
  }
}

void check_inside(const std::vector<PointF>& points, int width, int height) {
  const auto inside = [&](std::uint16_t id, float margin) {
    const PointF p = points[id];
    return p.x >= -margin && p.y >= -margin && p.x <= width + margin && p.y <= height + margin;
  };
  for (const LipRow& row : {kUpperLip[3], kLowerLip[3]}) {
    for (std::uint16_t id : row) {
      if (!inside(id, 0)) throw BuildError("the mouth lies outside the picture");
    }
  }
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    for (std::uint16_t id : eye->upper) {
      if (!inside(id, 0)) throw BuildError("an eye lies outside the picture");
    }
  }
  const float margin = 0.25f * std::max(width, height);
  for (std::uint16_t id = 0; id < kLandmarkCount; ++id) {
    if (!inside(id, margin)) throw BuildError("the face lies mostly outside the picture");
  }
}

void check_not_folded(const Face& face) {
  std::size_t wrong = 0;
  const std::size_t mesh = mesh_triangle_indices().size() / 3;
  for (std::size_t t = 0; t < mesh; ++t) {
    const Triangle& ids = face.triangles[t];
    if (kMeshOrientation * signed_area2(face.points[ids.a], face.points[ids.b], face.points[ids.c]) <= 0) ++wrong;
  }
  if (wrong > mesh / 2) throw BuildError("the landmarks are mirrored or upside down");
  if (wrong > mesh / 6) throw BuildError("the landmarks are folded: they do not look like a face mesh");
}

// Lips, lids and nose hold their place; the outline, which profile views fold behind itself, gives way.
std::vector<float> mobilities() {
  std::vector<float> mobility(kRigPointCount, 0.5f);
  for (std::uint16_t id : kFaceOval) mobility[id] = 1.0f;
  for (int ring = 0; ring < kLipRings; ++ring) {
    for (std::uint16_t id : kUpperLip[ring]) mobility[id] = ring == 0 ? 0.15f : 0.4f;
    for (std::uint16_t id : kLowerLip[ring]) mobility[id] = ring == 0 ? 0.15f : 0.4f;
  }
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    for (std::uint16_t id : eye->upper) mobility[id] = 0.05f;
    for (std::uint16_t id : eye->lower) mobility[id] = 0.05f;
  }
  return mobility;
}

// Detectors let the inner lips of a shut mouth cross by a pixel or so; they meet in the middle instead.
void uncross_lips(Face& face) {
  for (int k = 1; k + 1 < kLipColumns; ++k) {
    PointF& upper = face.points[kUpperLip[0][k]];
    PointF& lower = face.points[kLowerLip[0][k]];
    const float gap = dot(lower - upper, face.down);
    if (gap >= 0) continue;
    upper = upper + face.down * (gap / 2);
    lower = lower - face.down * (gap / 2);
  }
}

void add_rings(Face& face) {
  PointF center;
  for (std::uint16_t id : kFaceOval) center = center + face.points[id] * (1.0f / kOvalCount);
  for (int ring = 0; ring < kRingCount; ++ring) {
    for (int i = 0; i < kOvalCount; ++i) {
      const PointF p = face.points[kFaceOval[i]];
      const std::size_t to = static_cast<std::size_t>(kLandmarkCount + ring * kOvalCount + i);
      face.points[to] = center + (p - center) * kRingScale[ring];
      face.depth[to] = face.depth[kFaceOval[i]];
    }
  }
}

// A triangle no thinner than this survives the small shears of head motion.
std::vector<float> least_areas(std::span<const Triangle> triangles, const Face& face) {
  std::vector<float> least;
  for (const Triangle& t : triangles) {
    const PointF a = face.points[t.a], b = face.points[t.b], c = face.points[t.c];
    least.push_back(kLeastThicknessMm * face.px_per_mm * std::max({length(b - a), length(c - b), length(a - c)}));
  }
  return least;
}

void scale_depth(std::span<const float> landmarks, Face& face) {
  float outline = 0;
  for (std::uint16_t id : {234, 454, 93, 323}) outline += landmarks[id * 3 + 2] / 4;
  const float nose = landmarks[4 * 3 + 2];
  const float width = length(face.points[454] - face.points[234]);
  const float range = outline - nose;
  if (!(range > 0)) throw BuildError("the landmarks have no depth: the nose must lie nearer than the ears");
  for (int i = 0; i < kLandmarkCount; ++i) {
    face.depth[i] = std::clamp((landmarks[i * 3 + 2] - outline) / range, -1.5f, 1.0f) * kDepthOverWidth * width;
  }
}

void measure(Face& face) {
  const auto mid = [&](int a, int b) { return (face.points[a] + face.points[b]) * 0.5f; };
  // Eye centres from the corners: unlike the pupils they do not follow the gaze.
  const PointF left = mid(33, 133), right = mid(362, 263);
  const float dz = (face.depth[362] + face.depth[263] - face.depth[33] - face.depth[133]) / 2;
  const float across = length(right - left);
  if (across < kMinPupilDistancePx) {
    throw BuildError("the face is too small: " + std::to_string(static_cast<int>(across)) +
                     " pixels between the eyes, at least " + std::to_string(static_cast<int>(kMinPupilDistancePx)) +
                     " are needed");
  }
  face.yaw = std::atan2(dz, across);
  if (std::fabs(face.yaw) > kMaxTurnDegrees * 0.0174533f) {
    throw BuildError("the face is turned away too far: both eyes and the whole mouth must be seen");
  }
  face.cos_yaw = std::cos(face.yaw);
  const PointF corners = face.points[kUpperLip[3][10]] - face.points[kUpperLip[3][0]];
  PointF axis = (right - left) * (1.0f / across) + corners * (1.0f / std::max(length(corners), 1e-3f));
  axis = axis * (1.0f / std::max(length(axis), 1e-3f));
  face.right = axis;
  face.down = {-axis.y, axis.x};
  face.mouth = mid(kUpperLip[3][0], kUpperLip[3][10]);
  face.px_per_mm = across / face.cos_yaw / kPupilDistanceMm;
  const PointF eyes = (left + right) * 0.5f;
  const float drop = dot(face.mouth - eyes, face.down);
  if (face.down.y < 0.5f) throw BuildError("the face must be upright: it is tilted by more than 60 degrees");
  if (drop < 0.35f * across || drop > 4.0f * across) throw BuildError("the landmarks do not look like a face");
  face.pitch = std::atan2(face.depth[152] - face.depth[10], length(face.points[152] - face.points[10]));
}

}  // namespace

PointF Face::to_mm(PointF p) const {
  const PointF d = p - mouth;
  return {dot(d, right) / (px_per_mm * cos_yaw), dot(d, down) / px_per_mm};
}

PointF Face::to_px(PointF mm) const { return right * (mm.x * px_per_mm * cos_yaw) + down * (mm.y * px_per_mm); }

Face fit_face(std::span<const float> landmarks, int source_width, int source_height, int width, int height) {
  check_numbers(landmarks);
  Face face;
  face.triangles = rig_triangles();
  face.points.resize(kRigPointCount);
  face.depth.resize(kRigPointCount);
  for (int i = 0; i < kLandmarkCount; ++i) {
    face.points[i] = {landmarks[i * 3] * width / source_width, landmarks[i * 3 + 1] * height / source_height};
  }
  check_inside(face.points, width, height);
  check_not_folded(face);
  scale_depth(landmarks, face);
  measure(face);
  uncross_lips(face);
  add_rings(face);
  settle(face);
  return face;
}

void settle(Face& face) {
  const std::vector<float> mobility = mobilities();
  const std::vector<float> least = least_areas(face.triangles, face);
  untangle(face.triangles, kMeshOrientation, least, mobility, face.points, 600);
  uncross_lips(face);
  for (std::size_t t = 0; t < least.size(); ++t) {
    const Triangle& ids = face.triangles[t];
    const float area2 = kMeshOrientation * signed_area2(face.points[ids.a], face.points[ids.b], face.points[ids.c]);
    if (area2 < 0.2f * least[t]) throw BuildError("the landmarks are folded: they do not look like a face mesh");
  }
}

}  // namespace visavis::face
