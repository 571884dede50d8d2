#include "expression_mouth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "face_topology.h"
#include "mesh.h"

namespace visavis::face {

namespace {

constexpr float kNeutralHalfWidthMm = 25.0f;
constexpr float kNeutralCurveMm = 1.5f;
constexpr float kCurveOfSmile = 0.68f;   // How far the corners rise for each millimetre of their way.
constexpr float kUpperFollow[kLipRings] = {1.0f, 0.97f, 0.90f, 0.78f};
constexpr float kLowerFollow[kLipRings] = {1.0f, 0.99f, 0.96f, 0.90f};
constexpr float kCheekOfSmile = 0.4f;
constexpr float kLeastPaintedMm = 0.6f;  // Lips that part or meet by less keep what the photograph has between them.
constexpr float kLeastPartedMm = 0.0625f;
constexpr int kMiddle = kLipColumns / 2;

// The cheek as AU6 lifts it: how much of the rise, and how far out of it, each point takes. Pairs mirror each other.
struct CheekShare {
  std::uint16_t left, right;
  float rise, out;
};
constexpr std::array<CheekShare, 10> kCheeks = {{{50, 280, 0.95f, 0.15f},
                                                 {205, 425, 1.0f, 0.25f},
                                                 {187, 411, 0.75f, 0.45f},
                                                 {36, 266, 0.85f, 0.15f},
                                                 {101, 330, 0.70f, 0.05f},
                                                 {118, 347, 0.70f, 0.05f},
                                                 {117, 346, 0.60f, 0.05f},
                                                 {123, 352, 0.50f, 0.15f},
                                                 {207, 427, 0.65f, 0.50f},
                                                 {119, 348, 0.70f, 0.00f}}};

float lens(float t) { return std::max(0.0f, 1 - t * t); }

class LowerFace {
 public:
  LowerFace(const ToneTarget& tone, const Face& face, const RestMouth& rest)
      : tone_(tone),
        face_(face),
        rest_(rest),
        harmonic_(face.triangles, face.points),
        fixed_(face.points.size(), 0) {
    pin();
    const float corners = (rest.seam.front().y + rest.seam.back().y) / 2;
    curve_ = std::max(0.0f, rest.seam[kMiddle].y - corners - kNeutralCurveMm);
    excess_ = std::max(0.0f, rest.half_width_mm - kNeutralHalfWidthMm);
    const float worn = std::hypot(excess_, curve_);
    // Somebody who smiles more than the tone does calms down to it.
    calm_ = tone.smile > 0 && worn > tone.smile ? std::max(tone.calm, 1 - tone.smile / worn) : tone.calm;
    smile_ = tone.smile < 0 ? tone.smile : std::max(0.0f, tone.smile - worn * (1 - calm_));
    closing_ = tone.shut ? 1.0f : 0.0f;
    // A photograph whose lips are apart needs so much less to part them.
    const float gap = (1 - closing_) * rest.gap_mm;
    const float wanted = tone.show + tone.jaw;
    part_ = wanted > 0 ? std::clamp((wanted - gap) / wanted, 0.0f, 1.0f) : 0.0f;
  }

  // The photograph's own smile undone and its lips brought together, as far as the tone asks.
  std::vector<PointF> undone() const {
    std::vector<PointF> d(face_.points.size());
    if (calm_ <= 0 && closing_ <= 0) return d;
    const float jaw_back = closing_ * 0.75f * std::max(0.0f, rest_.gap_mm - 5.0f);
    for (int k = 0; k < kLipColumns; ++k) {
      const float t = column_t(k);
      const PointF relax = {-1.15f * calm_ * t * excess_, calm_ * curve_ * (0.95f * t * t - 0.2f * (1 - t * t))};
      for (int ring = 0; ring < kLipRings; ++ring) {
        d[kUpperLip[ring][k]] = face_.to_px(relax + to_seam(kUpperLip[0][k], k) * kUpperFollow[ring]);
        d[kLowerLip[ring][k]] = face_.to_px(relax + to_seam(kLowerLip[0][k], k) * kLowerFollow[ring]);
      }
    }
    for (const JawShare& share : kJawShares) d[share.point] = face_.to_px({0, -share.share * jaw_back});
    // Cheeks that the smile had raised sink with it.
    const float sink = kCheekOfSmile * calm_ * std::hypot(excess_, curve_);
    for (const CheekShare& at : kCheeks) {
      d[at.left] = face_.to_px({sink * 0.5f * at.out, sink * at.rise});
      d[at.right] = face_.to_px({-sink * 0.5f * at.out, sink * at.rise});
    }
    harmonic_.solve(fixed_, d);
    return d;
  }

  std::vector<PointF> shaped() const {
    std::vector<PointF> d(face_.points.size());
    for (int k = 0; k < kLipColumns; ++k) {
      for (int ring = 0; ring < kLipRings; ++ring) {
        move_lip(k, ring, to_seam(kUpperLip[0][k], k) * kUpperFollow[ring], kUpperLip[ring][k], d);
        move_lip(k, ring, to_seam(kLowerLip[0][k], k) * kLowerFollow[ring], kLowerLip[ring][k], d);
      }
    }
    for (const JawShare& share : kJawShares) d[share.point] = face_.to_px({0, -share.share * 0.7f * tone_.chin});
    lift_cheeks(d);
    harmonic_.solve(fixed_, d);
    return d;
  }

  std::vector<PointF> parting() const {
    std::vector<PointF> d(face_.points.size());
    if (part_ <= 0) return d;
    const float jaw = part_ * tone_.jaw, show = part_ * tone_.show;
    for (int k = 0; k < kLipColumns; ++k) {
      const float t = column_t(k), swing = std::pow(lens(t), 0.65f), corner = 0.10f * (1 - swing);
      for (int ring = 0; ring < kLipRings; ++ring) {
        d[kUpperLip[ring][k]] = face_.to_px({0, corner * jaw - show * swing * kUpperFollow[ring]});
        d[kLowerLip[ring][k]] = face_.to_px({0, jaw * (swing * (1 - 0.04f * static_cast<float>(ring)) + corner)});
      }
    }
    for (const JawShare& share : kJawShares) d[share.point] = face_.to_px({0, 0.92f * jaw * share.share});
    harmonic_.solve(fixed_, d);
    return d;
  }

  float smile_share() const { return tone_.smile > 0 ? smile_ / tone_.smile : 0.0f; }
  float jaw_mm() const { return part_ * tone_.jaw; }
  float opening_changes_mm() const { return part_ * (tone_.jaw + tone_.show) + closing_ * rest_.gap_mm; }

 private:
  // Along the mouth, -1..1, the same on both sides of the face: whatever the photograph's own mouth is, a smile laid
  // over it is even.
  float column_t(int k) const {
    const auto reach = [&](int at) { return std::fabs(rest_.seam[at].x) / rest_.half_width_mm; };
    const float t = std::min((reach(k) + reach(kLipColumns - 1 - k)) / 2, 1.0f);
    return k == kMiddle ? 0.0f : k < kMiddle ? -t : t;
  }

  PointF to_seam(std::uint16_t inner, int k) const {
    return (rest_.seam[k] - face_.to_mm(face_.points[inner])) * closing_;
  }

  void pin() {
    const float eyes = (face_.to_mm(face_.points[33]).y + face_.to_mm(face_.points[263]).y) / 2;
    const float base = face_.to_mm(face_.points[2]).y + 0.5f;
    const float left = face_.to_mm(face_.points[129]).x - 0.5f, right = face_.to_mm(face_.points[358]).x + 0.5f;
    for (std::size_t i = 0; i < face_.points.size(); ++i) {
      const PointF mm = face_.to_mm(face_.points[i]);
      const bool nose = mm.y <= base && mm.x >= left && mm.x <= right;
      if (mm.y <= eyes || nose || i >= static_cast<std::size_t>(kLandmarkCount + kOvalCount)) fixed_[i] = 1;
    }
    for (int id = kMeshPointCount; id < kLandmarkCount; ++id) fixed_[id] = 1;
    for (std::uint16_t id : kFaceOval) fixed_[id] = 1;
    for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
      for (std::uint16_t id : eye->upper) fixed_[id] = 1;
      for (std::uint16_t id : eye->lower) fixed_[id] = 1;
    }
    for (int ring = 0; ring < kLipRings; ++ring) {
      for (int k = 0; k < kLipColumns; ++k) fixed_[kUpperLip[ring][k]] = fixed_[kLowerLip[ring][k]] = 1;
    }
    for (const JawShare& share : kJawShares) fixed_[share.point] = 1;
    for (const CheekShare& share : kCheeks) fixed_[share.left] = fixed_[share.right] = 1;
  }

  void move_lip(int k, int ring, PointF closing, std::uint16_t id, std::vector<PointF>& d) const {
    const float t = column_t(k), at = std::fabs(t), side = t < 0 ? -1.0f : 1.0f;
    const float depth = static_cast<float>(ring) / (kLipRings - 1);
    const PointF rest = face_.to_mm(face_.points[id]);
    PointF move;
    // The corners go out and up (zygomaticus major); the middle of the lips hardly follows.
    const float pull = std::pow(at, 1.7f);
    move.x += side * smile_ * 0.68f * (0.35f * at + 0.65f * at * at);
    move.y -= std::max(smile_, 0.0f) * (kCurveOfSmile * pull + 0.05f * (1 - pull));
    move.y += tone_.frown * (0.85f * at * at * at - 0.12f * (1 - at)) - tone_.chin * 0.75f * lens(t);
    move.x += side * tone_.frown * 0.12f * at;
    // Stretched lips are thinner, pressed ones rolled in.
    const float thin = std::min(0.022f * std::max(smile_, 0.0f) + 0.30f * tone_.press, 0.4f) * lens(t);
    move.y -= thin * depth * (rest.y + closing.y - rest_.seam[k].y);
    d[id] = face_.to_px(move);
  }

  void lift_cheeks(std::vector<PointF>& d) const {
    const float share = tone_.smile > 0 ? smile_ / tone_.smile : 1.0f;
    for (const CheekShare& at : kCheeks) {
      const float rise = tone_.cheek * share * at.rise, out = 0.22f * std::max(smile_, 0.0f) * at.out;
      d[at.left] = face_.to_px({-out, -rise});
      d[at.right] = face_.to_px({out, -rise});
    }
  }

  const ToneTarget& tone_;
  const Face& face_;
  const RestMouth& rest_;
  HarmonicExtension harmonic_;
  std::vector<char> fixed_;
  float curve_ = 0, excess_ = 0, calm_ = 0, smile_ = 0, closing_ = 0, part_ = 0;
};

}  // namespace

void shape_lower_face(const ToneTarget& tone, const Face& face, const RestMouth& rest, Expression& out) {
  const LowerFace lower(tone, face, rest);
  const std::vector<PointF> undone = lower.undone();
  out.lower = lower.shaped();
  out.parting = lower.parting();
  const float least = kLeastPartedMm * face.px_per_mm;
  for (std::size_t i = 0; i < out.lower.size(); ++i) {
    if (length(out.parting[i]) < least) out.parting[i] = {};
    out.steady[i] = out.steady[i] + undone[i] + out.parting[i];
  }
  out.smile = lower.smile_share();
  out.jaw_mm = lower.jaw_mm();
  out.paints_mouth = lower.opening_changes_mm() >= kLeastPaintedMm;
}

}  // namespace visavis::face
