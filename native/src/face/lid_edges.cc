#include "lid_edges.h"

#include <algorithm>

#include "face_topology.h"
#include "mesh.h"
#include "plane_sample.h"

namespace visavis::face {

namespace {

constexpr float kStepMm = 0.25f;
constexpr float kMostMm = 4.0f;

// Skin as lit on the cheeks, for comparison: the white of an eye is about as bright and hardly red.
struct Skin {
  float luma, red;

  bool is_white(const Sample& s) const { return s.y > 0.8f * luma && s.v - 128 < 0.45f * red; }
};

Skin cheek_skin(const Face& face, const I420View& still) {
  const Sample a = sample_picture(still, face.points[50]), b = sample_picture(still, face.points[280]);
  return {(a.y + b.y) / 2, (a.v + b.v) / 2 - 128};
}

void push_out(Face& face, const I420View& still, const Skin& skin, std::uint16_t id, PointF way) {
  PointF p = face.points[id];
  float gone = 0;
  for (float mm = kStepMm; mm <= kMostMm; mm += kStepMm) {
    if (skin.is_white(sample_picture(still, face.points[id] + way * (mm * face.px_per_mm)))) gone = mm;
    // A dark rim or a highlight may interrupt the white, skin ends it.
    if (mm - gone > 0.8f) break;
  }
  if (gone > 0) face.points[id] = p + way * ((gone + kStepMm) * face.px_per_mm);
}

}  // namespace

void widen_lids(Face& face, const I420View& still) {
  const Skin skin = cheek_skin(face, still);
  // Without colour, white and skin cannot be told apart.
  if (skin.red < 5) return;
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    const PointF first = face.points[eye->upper.front()], last = face.points[eye->upper.back()];
    const PointF axis = (last - first) * (1.0f / std::max(length(last - first), 1e-3f));
    for (std::size_t k = 1; k + 1 < eye->upper.size(); ++k) {
      push_out(face, still, skin, eye->upper[k], face.down * -1.0f);
      push_out(face, still, skin, eye->lower[k], face.down);
    }
    push_out(face, still, skin, eye->upper.front(), axis * -1.0f);
    push_out(face, still, skin, eye->upper.back(), axis);
  }
}

}  // namespace visavis::face
