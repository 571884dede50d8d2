#include "expression.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expression_mouth.h"
#include "face_topology.h"
#include "mesh.h"

namespace visavis::face {

namespace {

constexpr float kSocketShare = 0.45f, kFoldShare = 0.14f;  // Of the brow's way, for the skin between it and the lid.
constexpr float kMostOfOpening = 0.2f;                     // No lid goes further than this share of the eye's opening.

// Of a brow's ten points: 0 at the inner end, 1 at the outer. Rows run from the picture's left to its right.
float outwards(bool right, std::size_t k, std::size_t last) {
  const float s = static_cast<float>(k) / static_cast<float>(last);
  return right ? s : 1 - s;
}

PointF brow_move(const ToneTarget& tone, bool right, float out) {
  const float lead = 1 + (right ? 0.5f : -0.5f) * tone.brow_lead;
  const float rise = (tone.brow_inner * (1 - out) + tone.brow_outer * out) * lead;
  const float in = tone.knit * (1 - out) * (1 - out);
  return {right ? -in : in, -rise};
}

std::vector<PointF> move_brows(const ToneTarget& tone, const Face& face) {
  std::vector<PointF> d(face.points.size());
  std::vector<char> fixed(face.points.size(), 0);
  const float eyes = (face.to_mm(face.points[33]).y + face.to_mm(face.points[263]).y) / 2;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (i >= kMeshPointCount || face.to_mm(face.points[i]).y > eyes - 2) fixed[i] = 1;
  }
  for (std::uint16_t id : kFaceOval) fixed[id] = 1;
  for (const bool right : {false, true}) {
    const EyeRing& eye = right ? kRightEye : kLeftEye;
    for (std::uint16_t id : eye.upper) fixed[id] = 1;
    for (std::size_t k = 0; k < eye.brow.size(); ++k) {
      d[eye.brow[k]] = face.to_px(brow_move(tone, right, outwards(right, k % 5, 4)));
      fixed[eye.brow[k]] = 1;
    }
    for (std::size_t k = 0; k < eye.socket.size(); ++k) {
      const PointF brow = brow_move(tone, right, outwards(right, k, eye.socket.size() - 1));
      d[eye.socket[k]] = face.to_px(brow * kSocketShare);
      d[eye.fold[k]] = face.to_px(PointF{0, brow.y} * kFoldShare);
      fixed[eye.socket[k]] = fixed[eye.fold[k]] = 1;
    }
  }
  HarmonicExtension(face.triangles, face.points).solve(fixed, d);
  return d;
}

std::vector<PointF> move_lids(const ToneTarget& tone, const Face& face) {
  std::vector<PointF> d(face.points.size());
  // The eye that is less open sets the bound for both: lids that move unevenly would be a wink.
  float most = 1e9f;
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    const float opening = face.to_mm(face.points[eye->lower[4]]).y - face.to_mm(face.points[eye->upper[4]]).y;
    most = std::min(most, kMostOfOpening * std::max(opening, 0.0f));
  }
  const float up = std::clamp(tone.upper_lid, -most, most);
  const float low = std::clamp(tone.lower_lid + 0.2f * tone.cheek, -most, most);
  for (const bool right : {false, true}) {
    const EyeRing& eye = right ? kRightEye : kLeftEye;
    const std::size_t last = eye.upper.size() - 1;
    for (std::size_t k = 1; k < last; ++k) {
      const float arch = std::pow(std::sin(std::numbers::pi_v<float> * static_cast<float>(k) / last), 0.75f);
      // A lid that sinks does so most at its outer end.
      const float lean = up < 0 ? 0.85f + 0.3f * outwards(right, k, last) : 1.0f;
      const float upper = -up * arch * lean, lower = -low * arch;
      d[eye.upper[k]] = face.to_px({0, upper});
      d[eye.lower[k]] = face.to_px({0, lower});
      d[eye.fold[k - 1]] = face.to_px({0, 0.7f * upper});
      d[eye.socket[k - 1]] = face.to_px({0, 0.2f * upper});
      d[eye.below[k - 1]] = face.to_px({0, 0.75f * lower});
    }
  }
  return d;
}

ToneTarget scaled(ToneTarget tone, float strength) {
  for (float* amount : {&tone.brow_inner, &tone.brow_outer, &tone.knit, &tone.upper_lid, &tone.lower_lid, &tone.cheek,
                        &tone.smile, &tone.frown, &tone.chin, &tone.press, &tone.show, &tone.jaw}) {
    *amount *= strength;
  }
  return tone;
}

}  // namespace

Expression make_expression(const ToneTarget& tone, const Face& face, const RestMouth& rest, float strength) {
  const ToneTarget target = scaled(tone, strength);
  Expression expression;
  expression.target = target;
  expression.brows = move_brows(target, face);
  expression.steady = move_lids(target, face);
  shape_lower_face(target, face, rest, expression);
  return expression;
}

Face expressed(const Face& face, const Expression& expression, bool parted) {
  Face out = face;
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    out.points[i] = out.points[i] + expression.at(i, 0, 0);
    if (!parted) out.points[i] = out.points[i] - expression.parting[i];
  }
  return out;
}

}  // namespace visavis::face
