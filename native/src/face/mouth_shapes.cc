#include "mouth_shapes.h"

#include <algorithm>
#include <cmath>

#include "face_topology.h"
#include "mesh.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

// One viseme, in millimetres of an average adult face. The opening between the lips is jaw + raise + drop.
struct MouthTarget {
  float jaw = 0;        // The jaw opens.
  float raise = 0;      // The upper lip rises over the line where the lips meet.
  float drop = 0;       // The lower lip falls further than the jaw.
  float spread = 0;     // Each corner moves outwards; negative is pucker.
  float press = 0;      // 0..1: the red of both lips is rolled in.
  float tuck = 0;       // The lower lip rises from where the jaw carries it, towards the upper teeth.
  float tongue = 0;     // The tongue rises against the jaw.
  float relax = 0.35f;  // 0..1: how much of a smile it undoes.
  float round = 1;      // Exponent of the opening's outline: 1 is a lens, 0.5 an ellipse.
};

// Openings follow what lip readers report (Cappelletta & Harte, "Phoneme-to-viseme mapping", 2012, and the published
// openness of the Oculus set): bilabials shut, labiodentals bring the lower lip under the teeth, aa is widest.
constexpr std::array<MouthTarget, kVisemeCount> kTargets = {{
    {},                                                                                                         // sil
    {.press = 1.0f, .relax = 0.45f},                                                                            // PP
    {.jaw = 0.8f, .raise = 1.7f, .tuck = 0.9f, .relax = 0.4f, .round = 0.8f},                                   // FF
    {.jaw = 2.8f, .raise = 0.9f, .drop = 1.6f, .tongue = 4.4f, .round = 0.75f},                                 // TH
    {.jaw = 1.8f, .raise = 0.8f, .drop = 1.0f, .tongue = 3.0f, .round = 0.85f},                                 // DD
    {.jaw = 2.6f, .raise = 0.8f, .drop = 0.9f, .tongue = 0.5f, .round = 0.8f},                                  // kk
    {.jaw = 1.2f, .raise = 1.5f, .drop = 1.6f, .spread = -3.8f, .relax = 0.7f, .round = 0.55f},                 // CH
    {.jaw = 0.6f, .raise = 1.1f, .drop = 1.3f, .spread = 1.2f, .relax = 0.25f, .round = 0.8f},                  // SS
    {.jaw = 2.0f, .raise = 0.7f, .drop = 0.9f, .tongue = 3.2f, .round = 0.85f},                                 // nn
    {.jaw = 2.2f, .raise = 0.8f, .drop = 1.0f, .spread = -3.0f, .tongue = 1.5f, .relax = 0.6f, .round = 0.6f},  // RR
    {.jaw = 9.5f, .raise = 1.5f, .drop = 1.8f, .spread = -0.6f, .relax = 0.45f, .round = 0.6f},                 // aa
    {.jaw = 5.8f, .raise = 1.4f, .drop = 1.8f, .spread = 1.4f, .relax = 0.25f, .round = 0.7f},                  // E
    {.jaw = 2.6f, .raise = 1.2f, .drop = 1.5f, .spread = 2.4f, .relax = 0.15f, .round = 0.8f},                  // I
    {.jaw = 6.8f, .raise = 1.3f, .drop = 1.0f, .spread = -6.2f, .relax = 0.85f, .round = 0.5f},                 // O
    {.jaw = 3.0f, .raise = 1.0f, .drop = 1.0f, .spread = -8.2f, .relax = 0.95f, .round = 0.5f},                 // U
}};

constexpr float kSeamShare[kLipColumns] = {0.5f, 0.27f, 0.33f, 0.39f, 0.42f, 0.43f, 0.42f, 0.39f, 0.33f, 0.27f, 0.5f};
constexpr float kSmileLift = 0.2f;     // How much further the upper lip comes down where it smiles wholly,
constexpr float kWholeSmileMm = 6.0f;  // its corners so far from where they rest.
constexpr float kReachMm = 52.0f;
constexpr float kNeutralHalfWidthMm = 25.0f;
constexpr float kNeutralCurveMm = 1.5f;

// How much of the inner lip's move each ring of the lip takes part in, from the opening to the border of the red.
constexpr float kUpperFollow[kLipRings] = {1.0f, 0.97f, 0.90f, 0.78f};
constexpr float kLowerFollow[kLipRings] = {1.0f, 0.99f, 0.96f, 0.90f};
constexpr float kMinAreaShare = 0.12f;  // Of a triangle's area at rest, in any viseme.

// Height of the opening at t = -1..1 along the mouth.
float outline(float t, float exponent) { return std::pow(std::max(0.0f, 1.0f - t * t), exponent); }

// The jaw swings about the ears: its travel shrinks from the middle of the lip towards the corner.
float jaw_profile(float t) { return std::pow(std::max(0.0f, 1.0f - t * t), 0.6f); }

class ShapeMaker {
 public:
  ShapeMaker(const Face& face, const RestMouth& rest)
      : face_(face), rest_(rest), harmonic_(face.triangles, face.points), fixed_(face.points.size(), 0) {
    pin_skull();
    for (int ring = 0; ring < kLipRings; ++ring) {
      for (int k = 0; k < kLipColumns; ++k) fixed_[kUpperLip[ring][k]] = fixed_[kLowerLip[ring][k]] = 1;
    }
    for (const JawShare& share : kJawShares) fixed_[share.point] = 1;
  }

  // Displacement for one millimetre of jaw.
  std::vector<PointF> jaw() const {
    std::vector<PointF> d = zero();
    for (int ring = 0; ring < kLipRings; ++ring) {
      for (int k = 0; k < kLipColumns; ++k) {
        const float profile = jaw_profile(column_t(k));
        // Corners sink a little with the jaw; at the corner both lips agree.
        const float corner = 0.10f * (1.0f - profile);
        d[kUpperLip[ring][k]] = face_.to_px({0, 0.10f * (1 - profile)});
        const float follow = profile * (1.0f - 0.04f * ring);
        d[kLowerLip[ring][k]] = face_.to_px({0, follow + corner});
      }
    }
    for (const JawShare& share : kJawShares) d[share.point] = face_.to_px({0, 0.92f * share.share});
    harmonic_.solve(fixed_, d);
    return d;
  }

  std::vector<PointF> shape(const MouthTarget& target) const {
    std::vector<PointF> d = zero();
    // A jaw that hangs open in the photograph comes up before anything else, and the chin with it.
    const float jaw_back = rest_jaw();
    for (int k = 0; k < kLipColumns; ++k) {
      const float t = column_t(k);
      const PointF seam = relaxed_seam(target, k);
      const PointF upper_shut = seam - face_.to_mm(face_.points[kUpperLip[0][k]]);
      const PointF lower_shut = seam - face_.to_mm(face_.points[kLowerLip[0][k]]);
      const float open = outline(t, target.round);
      const PointF upper = {upper_shut.x, upper_shut.y - target.raise * open};
      const PointF lower = {lower_shut.x, lower_shut.y + (target.drop - target.tuck) * open};
      for (int ring = 0; ring < kLipRings; ++ring) {
        move_lip(target, k, ring, upper * kUpperFollow[ring], kUpperLip[ring][k], -1.0f, d);
        move_lip(target, k, ring, lower * kLowerFollow[ring], kLowerLip[ring][k], 1.0f, d);
      }
    }
    for (const JawShare& share : kJawShares) {
      // Puckering and tucking pull the chin up slightly: the mentalis muscle.
      const float lift = 0.25f * target.tuck + 0.06f * std::max(0.0f, -target.spread);
      d[share.point] = face_.to_px({0, -share.share * (jaw_back + lift)});
    }
    harmonic_.solve(fixed_, d);
    return d;
  }

  // Where the jaw stands in the photograph: lips part a few millimetres in a smile without it.
  float rest_jaw() const { return 0.75f * std::max(0.0f, rest_.gap_mm - 5.0f); }

  const std::vector<char>& fixed() const { return fixed_; }

 private:
  std::vector<PointF> zero() const { return std::vector<PointF>(face_.points.size()); }

  float column_t(int k) const { return std::clamp(rest_.seam[k].x / rest_.half_width_mm, -1.0f, 1.0f); }

  // Everything above the nose's wings, the nose itself, what lies far out on the cheeks and the outer ring stay where
  // they are.
  void pin_skull() {
    const float tip = 0.5f * (face_.to_mm(face_.points[4]).y + face_.to_mm(face_.points[2]).y);
    const float base = face_.to_mm(face_.points[2]).y + 0.5f;
    const float wing_left = face_.to_mm(face_.points[129]).x - 0.5f,
                wing_right = face_.to_mm(face_.points[358]).x + 0.5f;
    for (std::size_t i = 0; i < face_.points.size(); ++i) {
      const PointF mm = face_.to_mm(face_.points[i]);
      const bool nose = mm.y <= base && mm.x >= wing_left && mm.x <= wing_right;
      const bool far_out = std::fabs(mm.x) > kReachMm && mm.y < kReachMm / 2;
      if (mm.y <= tip || nose || far_out || i >= static_cast<std::size_t>(kLandmarkCount + kOvalCount)) fixed_[i] = 1;
    }
  }

  // Where the lips meet in this viseme. A mouth that smiles in the photograph is wider and more curved than one that
  // speaks: it gives up part of both.
  PointF relaxed_seam(const MouthTarget& target, int k) const {
    const PointF seam = rest_.seam[k];
    const float t = column_t(k);
    const float corners = (rest_.seam.front().y + rest_.seam.back().y) / 2;
    const float curve = std::max(0.0f, rest_.seam[kLipColumns / 2].y - corners - kNeutralCurveMm);
    const float excess = std::max(0.0f, rest_.half_width_mm - kNeutralHalfWidthMm);
    return {seam.x - t * excess * target.relax, seam.y + target.relax * curve * (0.45f * t * t - 0.25f * (1 - t * t))};
  }

  void move_lip(const MouthTarget& target, int k, int ring, PointF inner, std::uint16_t id, float side,
                std::vector<PointF>& d) const {
    const float t = column_t(k);
    const PointF rest = face_.to_mm(face_.points[id]);
    // Spreading and puckering scale the lips about their middle.
    const float dx = inner.x + target.spread * t * (1.0f - 0.06f * ring);
    float dy = inner.y;
    const float middle = 1.0f - t * t;
    // A puckered lip shows more red; a pressed one is rolled in.
    const float share = static_cast<float>(ring) / (kLipRings - 1);
    dy += side * share * middle * 0.14f * std::max(0.0f, -target.spread);
    if (target.press > 0) dy -= target.press * 0.22f * share * (rest.y + dy - relaxed_seam(target, k).y);
    if (target.tuck > 0 && side > 0) dy -= 0.8f * target.tuck * share * middle;
    d[id] = face_.to_px({dx, dy});
    if (k == 0 || k == kLipColumns - 1) {
      // Both lips share their corners.
      const PointF seam = relaxed_seam(target, k) - rest_.seam[k];
      d[id] = face_.to_px({seam.x + target.spread * t * (1.0f - 0.06f * ring), seam.y});
    }
  }

  const Face& face_;
  const RestMouth& rest_;
  HarmonicExtension harmonic_;
  std::vector<char> fixed_;
};

// Bends `shape` where it folds the mesh, with the jaw at each end of its travel.
void unfold(const Face& face, const std::vector<char>& pinned, float jaw_mm, const std::vector<PointF>& jaw,
            std::vector<PointF>& shape) {
  std::vector<float> min_area(face.triangles.size());
  for (std::size_t t = 0; t < face.triangles.size(); ++t) {
    const Triangle& ids = face.triangles[t];
    min_area[t] = kMinAreaShare * std::fabs(signed_area2(face.points[ids.a], face.points[ids.b], face.points[ids.c]));
  }
  std::vector<float> mobility(face.points.size());
  for (std::size_t i = 0; i < mobility.size(); ++i) {
    const bool moves = pinned[i] == 0 || length(shape[i]) > 0 || length(jaw[i]) > 0;
    mobility[i] = !moves ? 0.0f : pinned[i] != 0 ? 0.3f : 1.0f;
  }
  for (int k = 0; k < kLipColumns; ++k) mobility[kUpperLip[0][k]] = mobility[kLowerLip[0][k]] = 0.0f;
  std::vector<PointF> moved(face.points.size());
  for (const float scale : {kMaxJawScale, kMinJawScale, 1.0f}) {
    const float open = scale * jaw_mm;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = face.points[i] + shape[i] + jaw[i] * open;
    untangle(face.triangles, kMeshOrientation, min_area, mobility, moved, 300);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (mobility[i] > 0) shape[i] = moved[i] - face.points[i] - jaw[i] * open;
    }
  }
}

// Below a sixteenth of a millimetre a point stands still: this bounds what a frame has to redraw.
void drop_specks(const Face& face, std::vector<PointF>& shape) {
  const float least = 0.0625f * face.px_per_mm;
  for (PointF& d : shape) {
    if (length(d) < least) d = {};
  }
}

}  // namespace

RestMouth measure_mouth(const Face& face) {
  RestMouth rest;
  const PointF upper = face.to_mm(face.points[kUpperLip[0][5]]), lower = face.to_mm(face.points[kLowerLip[0][5]]);
  rest.gap_mm = std::max(0.0f, lower.y - upper.y);
  const PointF left = face.to_mm(face.points[kUpperLip[0].front()]);
  const PointF right = face.to_mm(face.points[kUpperLip[0].back()]);
  rest.half_width_mm = std::max((right.x - left.x) / 2, 1.0f);
  const float curve = std::max(0.0f, (upper.y + lower.y - left.y - right.y) / 2 - kNeutralCurveMm);
  const float wide = std::max(0.0f, rest.half_width_mm - kNeutralHalfWidthMm);
  const float smile = std::clamp(std::hypot(wide, curve) / kWholeSmileMm, 0.0f, 1.0f);
  for (int k = 0; k < kLipColumns; ++k) {
    const PointF u = face.to_mm(face.points[kUpperLip[0][k]]), l = face.to_mm(face.points[kLowerLip[0][k]]);
    // A smile raises the upper lip off the teeth, and it has the longer way back; a loose jaw lowers the lower one.
    // Near the corners the line keeps to the upper lip, which leaves the corner at a flatter angle.
    const float share = kSeamShare[k] * (1 + kSmileLift * smile);
    rest.seam[k] = {(u.x + l.x) / 2, u.y + share * (l.y - u.y)};
  }
  if (rest.gap_mm > 1.0f) {
    // Two opened lips are seldom mirror images; the line where they meet is smoother than either.
    for (int pass = 0; pass < 3; ++pass) {
      const auto rough = rest.seam;
      for (int k = 1; k + 1 < kLipColumns; ++k) rest.seam[k].y = (rough[k - 1].y + 2 * rough[k].y + rough[k + 1].y) / 4;
    }
  }
  return rest;
}

MouthShapes make_mouth_shapes(const Face& face, const RestMouth& rest) {
  const ShapeMaker maker(face, rest);
  MouthShapes out;
  out.jaw = maker.jaw();
  drop_specks(face, out.jaw);
  for (std::size_t v = 0; v < kVisemeCount; ++v) {
    const bool still = static_cast<Viseme>(v) == Viseme::sil;
    out.shapes[v] = still ? std::vector<PointF>(face.points.size()) : maker.shape(kTargets[v]);
    if (still) continue;
    out.jaw_mm[v] = kTargets[v].jaw;
    out.tongue_mm[v] = kTargets[v].tongue;
    unfold(face, maker.fixed(), out.jaw_mm[v], out.jaw, out.shapes[v]);
    drop_specks(face, out.shapes[v]);
  }
  return out;
}

}  // namespace visavis::face
