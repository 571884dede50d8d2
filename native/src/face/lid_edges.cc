#include "lid_edges.h"

#include <algorithm>

#include "face_topology.h"
#include "mesh.h"
#include "plane_sample.h"

namespace visavis::face {

namespace {

constexpr float kStepMm = 0.25f;
constexpr float kMostMm = 4.0f;
constexpr float kGapMm = 0.8f;  // A dark rim or a highlight may interrupt the white this far, skin ends it.
constexpr float kMostStretchMm = 12.0f;
constexpr float kYieldingMm = 28.0f;  // Skin this near a corner follows it.

// Skin as lit on the cheeks, for comparison: the white of an eye is about as bright and hardly red.
struct Skin {
  float luma, red;

  bool is_white(const Sample& s) const { return s.y > 0.8f * luma && s.v - 128 < 0.45f * red; }
};

Skin cheek_skin(const Face& face, const I420View& still) {
  const Sample a = sample_picture(still, face.points[50]), b = sample_picture(still, face.points[280]);
  return {(a.y + b.y) / 2, (a.v + b.v) / 2 - 128};
}

// From a corner of the eye along the white's middle to its end. Nothing where the white goes on and on, or most of the
// way to the outline of the face: that is no eye.
PointF to_corner(const Face& face, const I420View& still, const Skin& skin, std::uint16_t id, PointF way) {
  constexpr float kReachMm = 1.5f;   // The white is looked for this far above and below.
  constexpr float kSteepest = 0.5f;  // The line from corner to corner is no steeper against the eye's axis.
  const auto white_at = [&](PointF p) { return skin.is_white(sample_picture(still, p)); };
  const float step = kStepMm * face.px_per_mm;
  const PointF from = face.points[id];
  float most = kMostStretchMm * face.px_per_mm;
  for (std::uint16_t outline : kFaceOval) most = std::min(most, 0.6f * length(face.points[outline] - from));
  PointF at = from, end = from;
  float gone = 0;
  for (float mm = kStepMm; mm - gone <= kGapMm; mm += kStepMm) {
    if (mm * face.px_per_mm > most) return {};
    at = at + way * step;
    float sum = 0;
    int count = 0;
    for (float side = -kReachMm; side <= kReachMm; side += kStepMm) {
      if (!white_at(at + face.down * (side * face.px_per_mm))) continue;
      sum += side;
      ++count;
    }
    if (count == 0) continue;
    at = at + face.down * (std::clamp(sum / static_cast<float>(count) / kStepMm, -kSteepest, kSteepest) * step);
    end = at + way * step;
    gone = mm;
  }
  return end - from;
}

// Takes an eye's corners to where the white ends and the lids with them, the more the nearer they are to the corner;
// the skin around yields.
void stretch_eye(Face& face, const I420View& still, const Skin& skin, const EyeRing& eye) {
  const PointF first = face.points[eye.upper.front()], last = face.points[eye.upper.back()];
  const float width = length(last - first);
  if (width < 1) return;
  const PointF axis = (last - first) * (1.0f / width);
  const PointF to_first = to_corner(face, still, skin, eye.upper.front(), axis * -1.0f);
  const PointF to_last = to_corner(face, still, skin, eye.upper.back(), axis);
  std::vector<PointF> moves(face.points.size());
  std::vector<char> fixed(face.points.size(), 1);
  const float near = kYieldingMm * face.px_per_mm;
  for (int i = 0; i < kMeshPointCount; ++i) {
    if (std::min(length(face.points[i] - first), length(face.points[i] - last)) < near) fixed[i] = 0;
  }
  for (std::uint16_t id : kFaceOval) fixed[id] = 1;
  for (std::uint16_t id : eye.brow) fixed[id] = 1;
  for (const auto* lid : {&eye.upper, &eye.lower}) {
    for (std::uint16_t id : *lid) {
      const float s = std::clamp(dot(face.points[id] - first, axis) / width, 0.0f, 1.0f);
      moves[id] = to_first * ((1 - s) * (1 - s)) + to_last * (s * s);
      fixed[id] = 1;
    }
  }
  HarmonicExtension(face.triangles, face.points).solve(fixed, moves);
  for (std::size_t i = 0; i < moves.size(); ++i) face.points[i] = face.points[i] + moves[i];
}

void push_out(Face& face, const I420View& still, const Skin& skin, std::uint16_t id, PointF way) {
  PointF p = face.points[id];
  float gone = 0;
  for (float mm = kStepMm; mm <= kMostMm; mm += kStepMm) {
    if (skin.is_white(sample_picture(still, face.points[id] + way * (mm * face.px_per_mm)))) gone = mm;
    if (mm - gone > kGapMm) break;
  }
  if (gone > 0) face.points[id] = p + way * ((gone + kStepMm) * face.px_per_mm);
}

}  // namespace

void widen_lids(Face& face, const I420View& still) {
  const Skin skin = cheek_skin(face, still);
  // Without colour, white and skin cannot be told apart.
  if (skin.red < 5) return;
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    stretch_eye(face, still, skin, *eye);
    for (std::size_t k = 1; k + 1 < eye->upper.size(); ++k) {
      push_out(face, still, skin, eye->upper[k], face.down * -1.0f);
      push_out(face, still, skin, eye->lower[k], face.down);
    }
  }
}

}  // namespace visavis::face
