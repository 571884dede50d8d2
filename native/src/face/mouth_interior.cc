#include "mouth_interior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "face_topology.h"
#include "mesh.h"
#include "plane_sample.h"
#include "rig_limits.h"

namespace visavis::face {

namespace {

// Limited-range BT.709 with opacity.
struct Paint {
  float y = 16, u = 128, v = 128, a = 0;
};

// Outer edges of the teeth of one half, from the midline, in millimetres as seen from the front: widths after Ash &
// Nelson, "Wheeler's Dental Anatomy", narrowed towards the back where the arch turns away.
constexpr std::array<float, 6> kUpperTeeth = {8.2f, 14.4f, 20.2f, 24.6f, 28.0f, 30.5f};
constexpr std::array<float, 6> kUpperLift = {0.0f, 0.7f, 0.2f, 0.9f, 1.6f, 2.2f};
constexpr std::array<float, 6> kLowerTeeth = {5.2f, 10.8f, 16.8f, 22.0f, 26.0f, 29.0f};
constexpr std::array<float, 6> kLowerLift = {0.0f, 0.0f, -0.2f, 0.4f, 0.8f, 1.2f};
constexpr std::array<float, 6> kNoLift = {};
constexpr float kUpperEdgeMm = 1.4f;  // Upper incisors reach this far under the line where the lips meet.
constexpr float kLowerEdgeMm = 1.7f;  // Lower incisors begin here when the jaw is shut.
constexpr float kToothLengthMm = 9.5f;
constexpr float kTongueHalfWidthMm = 19.0f;

float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

Paint look(const I420View& still, PointF p) {
  const Sample s = sample_picture(still, p);
  return {s.y, s.u, s.v, 1.0f};
}

template <typename Ids>
Paint mean_look(const I420View& still, const Face& face, const Ids& ids) {
  Paint sum{0, 0, 0, 1};
  for (std::uint16_t id : ids) {
    const Paint p = look(still, face.points[id]);
    sum.y += p.y;
    sum.u += p.u;
    sum.v += p.v;
  }
  const float n = static_cast<float>(std::size(ids));
  return {sum.y / n, sum.u / n, sum.v / n, 1.0f};
}

// The brightest tenth of what lies between the lids: the white of the eye tells how bright a tooth would be.
float sclera_luma(const I420View& still, const Face& face) {
  std::vector<float> luma;
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    for (std::size_t i = 1; i + 1 < eye->upper.size(); ++i) {
      const PointF top = face.points[eye->upper[i]], bottom = face.points[eye->lower[i]];
      for (const float t : {0.35f, 0.5f, 0.65f, 0.8f}) luma.push_back(look(still, top + (bottom - top) * t).y);
    }
  }
  std::sort(luma.begin(), luma.end());
  return luma[luma.size() * 9 / 10];
}

class Painter {
 public:
  Painter(const Face& face, const RestMouth& rest, const I420View& still) : face_(face), rest_(rest), still_(still) {
    constexpr std::array<std::uint16_t, 6> kCheeks = {50, 280, 205, 425, 101, 330};
    constexpr std::array<std::uint16_t, 6> kLips = {16, 85, 315, 11, 72, 302};
    skin_ = mean_look(still, face, kCheeks);
    lip_ = mean_look(still, face, kLips);
    const float bright = std::max(skin_.y * 1.10f, sclera_luma(still, face) * 1.02f);
    tooth_ = {std::clamp(bright, 50.0f, 214.0f), 128 + (skin_.u - 128) * 0.45f, 128 + (skin_.v - 128) * 0.32f, 1};
    middle_ = rest.seam[kLipColumns / 2].y;
    find_photo_teeth();
  }

  bool photo_teeth() const { return photo_teeth_; }

  Paint cavity(PointF mm) const {
    const float side = std::clamp(std::fabs(mm.x) / 28.0f, 0.0f, 1.0f);
    const float depth = smooth_step(-4, 10, mm.y - middle_);
    const float luma = 16 + (skin_.y - 16) * (0.11f + 0.08f * depth) * (1 - 0.35f * side * side);
    return {luma, 128 + (lip_.u - 128) * 0.6f, 128 + (lip_.v - 128) * 0.75f, 1};
  }

  Paint tongue(PointF mm) const {
    const float across = mm.x / kTongueHalfWidthMm;
    const float top = middle_ + kLowerEdgeMm - 2.4f + 7.0f * across * across;
    const float inside = smooth_step(-0.5f, 0.5f, mm.y - top) * smooth_step(1.0f, 0.93f, std::fabs(across));
    const float lit = 0.52f + 0.26f * smooth_step(0, 7, mm.y - top) - 0.10f * across * across;
    // A shallow furrow along the middle.
    const float furrow = 1 - 0.10f * std::exp(-mm.x * mm.x / 2.0f);
    const float luma = 16 + (lip_.y - 16) * lit * furrow;
    return {luma, lip_.u, 128 + (lip_.v - 128) * 1.08f, inside};
  }

  Paint lower_teeth(PointF mm) const {
    const float y = mm.y - middle_ - lower_edge();
    Paint p = tooth_row(mm.x, -y, kLowerTeeth, kLowerLift);
    p.y = 16 + (p.y - 16) * 0.84f;
    return p;
  }

  Paint upper_teeth(PointF mm) const {
    if (photo_teeth_) return teeth_of_photo(mm);
    return tooth_row(mm.x, mm.y - middle_ - kUpperEdgeMm, kUpperTeeth, kUpperLift);
  }

 private:
  // `y` is 0 at the biting edge and negative towards the gum.
  Paint tooth_row(float x, float y, const std::array<float, 6>& edges, const std::array<float, 6>& lift) const {
    const float ax = std::fabs(x);
    std::size_t i = 0;
    while (i + 1 < edges.size() && ax > edges[i]) ++i;
    const float inner = i == 0 ? 0.0f : edges[i - 1];
    const float half = (edges[i] - inner) / 2;
    const float off = (ax - inner - half) / half;
    const float edge = -lift[i] - 0.8f * std::pow(std::min(std::fabs(off), 1.0f), 4.0f);
    float alpha = smooth_step(0.25f, -0.25f, y - edge) * smooth_step(edges.back() + 0.3f, edges.back() - 0.3f, ax);
    const float to_gap = std::min(ax - inner, edges[i] - ax);
    const float gap = 1 - 0.20f * std::exp(-to_gap * to_gap / 0.10f);
    const float round = 1 - 0.07f * off * off;
    const float away = 1 - 0.50f * (ax / 30) * (ax / 30);
    // Enamel is a little darker and greyer at the biting edge, where it lets light through.
    const float edge_shade = 0.90f + 0.10f * smooth_step(0, -2.2f, y - edge);
    Paint p = tooth_;
    p.y = 16 + (tooth_.y - 16) * gap * round * away * edge_shade;
    const float gum = smooth_step(-kToothLengthMm + 0.5f, -kToothLengthMm - 0.5f, y - 0.8f * off * off);
    p.y += (16 + (lip_.y - 16) * 0.85f - p.y) * gum;
    p.u += (lip_.u - p.u) * gum;
    p.v += (lip_.v - p.v) * gum;
    p.a = alpha;
    return p;
  }

  float lower_edge() const { return photo_teeth_ ? std::max(kLowerEdgeMm, photo_edge_ + 0.3f) : kLowerEdgeMm; }

  // Inner lips at x (millimetres), as the photograph has them.
  void opening_at(float x, float& top, float& bottom) const {
    const auto along = [&](const LipRow& row) {
      PointF before = face_.to_mm(face_.points[row[0]]);
      if (x <= before.x) return before.y;
      for (int k = 1; k < kLipColumns; ++k) {
        const PointF after = face_.to_mm(face_.points[row[k]]);
        if (x <= after.x) {
          return before.y + (after.y - before.y) * (x - before.x) / std::max(after.x - before.x, 1e-3f);
        }
        before = after;
      }
      return before.y;
    };
    top = along(kUpperLip[0]);
    bottom = along(kLowerLip[0]);
  }

  PointF to_picture(PointF mm) const { return face_.mouth + face_.to_px(mm); }

  float toothness(const Paint& p) const {
    const float bright = smooth_step(0.45f, 0.68f, (p.y - 16) / std::max(photo_bright_ - 16, 20.0f));
    const float red = (p.v - 128) - 0.5f * ((skin_.v - 128) + (lip_.v - 128));
    return bright * smooth_step(6.0f, 0.0f, red);
  }

  void find_photo_teeth() {
    if (rest_.gap_mm < 2.2f || rest_.gap_mm * face_.px_per_mm < 3.0f) return;
    std::vector<Paint> seen;
    for (float x = -0.7f * rest_.half_width_mm; x <= 0.7f * rest_.half_width_mm; x += 0.5f) {
      float top = 0, bottom = 0;
      opening_at(x, top, bottom);
      for (float y = top + kLipBlurMm; y <= std::min(bottom - kLipBlurMm, top + kToothLengthMm); y += 0.4f) {
        seen.push_back(look(still_, to_picture({x, y})));
      }
    }
    if (seen.size() < 24) return;
    std::vector<float> luma;
    for (const Paint& p : seen) luma.push_back(p.y);
    std::nth_element(luma.begin(), luma.begin() + luma.size() * 3 / 4, luma.end());
    photo_bright_ = luma[luma.size() * 3 / 4];
    if (photo_bright_ < 0.72f * skin_.y) return;
    float share = 0;
    Paint mean{0, 0, 0, 1};
    for (const Paint& p : seen) {
      const float w = toothness(p);
      share += w;
      mean.y += w * p.y;
      mean.u += w * p.u;
      mean.v += w * p.v;
    }
    if (share < 0.35f * static_cast<float>(seen.size())) return;
    photo_teeth_ = true;
    tooth_ = {mean.y / share, mean.u / share, mean.v / share, 1};
    float top = 0, bottom = 0;
    opening_at(0, top, bottom);
    photo_edge_ = std::min(bottom - 0.3f, top + kToothLengthMm) - middle_;
  }

  Paint teeth_of_photo(PointF mm) const {
    const float reach = 0.93f * rest_.half_width_mm;
    const float x = std::clamp(mm.x, -reach, reach);
    float top = 0, bottom = 0;
    opening_at(x, top, bottom);
    const float edge = std::min(bottom - 0.3f, top + kToothLengthMm);
    const float low = std::max(top + kLipBlurMm, edge - kLipBlurMm + 0.3f);
    // Above the lip the highest row that was seen goes on, below the edge nothing.
    const float y = std::clamp(mm.y, std::min(top + kLipBlurMm, low), low);
    const Paint seen = look(still_, to_picture({x, y}));
    // Where the photograph shows no enamel, in the corners and under the lip, drawn teeth go on in the shade.
    Paint p = tooth_row(mm.x, mm.y - edge - 0.3f, kUpperTeeth, kNoLift);
    p.y = 16 + (p.y - 16) * 0.62f;
    const float real = toothness(seen) * smooth_step(2.5f, 0.0f, std::fabs(mm.x) - reach);
    p.y += (seen.y - p.y) * real;
    p.u += (seen.u - p.u) * real;
    p.v += (seen.v - p.v) * real;
    p.a = std::max(p.a, real) * smooth_step(0.4f, -0.4f, mm.y - edge);
    const float gum = smooth_step(-3.5f, -5.5f, mm.y - top);
    p.y += (16 + (lip_.y - 16) * 0.85f - p.y) * gum;
    p.u += (lip_.u - p.u) * gum;
    p.v += (lip_.v - p.v) * gum;
    return p;
  }

  static constexpr float kLipBlurMm = 0.7f;  // So close to a lip a pixel is partly lip.

  const Face& face_;
  const RestMouth& rest_;
  const I420View& still_;
  Paint skin_, lip_, tooth_;
  float middle_ = 0;
  bool photo_teeth_ = false;
  float photo_bright_ = 0;
  float photo_edge_ = 0;
};

template <typename ColorAt>
MouthLayer paint_layer(const Face& face, const MouthInterior& mouth, ColorAt color_at) {
  const std::size_t luma = static_cast<std::size_t>(mouth.width) * mouth.height;
  MouthLayer layer;
  layer.y.resize(luma);
  layer.alpha.resize(luma);
  layer.u.resize(luma / 4);
  layer.v.resize(luma / 4);
  std::vector<float> chroma(static_cast<std::size_t>(mouth.width / 2) * 3);
  const auto byte = [](float v) { return static_cast<std::uint8_t>(std::clamp(v + 0.5f, 0.0f, 255.0f)); };
  for (int y = 0; y < mouth.height; ++y) {
    if (y % 2 == 0) std::fill(chroma.begin(), chroma.end(), 0.0f);
    for (int x = 0; x < mouth.width; ++x) {
      Paint sum{0, 0, 0, 0};
      float weight = 0;
      for (int s = 0; s < 4; ++s) {
        const PointF at = {mouth.origin.x + static_cast<float>(x) + (s % 2 == 0 ? 0.25f : 0.75f),
                           mouth.origin.y + static_cast<float>(y) + (s / 2 == 0 ? 0.25f : 0.75f)};
        const Paint p = color_at(face.to_mm(at));
        const float w = p.a + 1e-3f;
        sum.y += w * p.y;
        sum.u += w * p.u;
        sum.v += w * p.v;
        sum.a += p.a / 4;
        weight += w;
      }
      const std::size_t at = static_cast<std::size_t>(y) * mouth.width + x;
      layer.y[at] = byte(sum.y / weight);
      layer.alpha[at] = byte(sum.a * 255);
      float* c = chroma.data() + static_cast<std::size_t>(x / 2) * 3;
      c[0] += sum.u;
      c[1] += sum.v;
      c[2] += weight;
    }
    if (y % 2 == 0) continue;
    for (int x = 0; x < mouth.width / 2; ++x) {
      const std::size_t at = static_cast<std::size_t>(y / 2) * (mouth.width / 2) + x;
      layer.u[at] = byte(chroma[x * 3] / chroma[x * 3 + 2]);
      layer.v[at] = byte(chroma[x * 3 + 1] / chroma[x * 3 + 2]);
    }
  }
  return layer;
}

}  // namespace

MouthInterior paint_mouth(const Face& face, const RestMouth& rest, const I420View& still) {
  MouthInterior mouth;
  // The window in the still that holds the opening in every viseme, with the jaw wide.
  const float reach = rest.half_width_mm + 7, above = 13, below = 24;
  const float middle = rest.seam[kLipColumns / 2].y;
  float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
  for (const PointF corner : {PointF{-reach, middle - above}, PointF{reach, middle - above},
                              PointF{-reach, middle + below}, PointF{reach, middle + below}}) {
    const PointF p = face.mouth + face.to_px(corner);
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  mouth.origin = {std::floor(left), std::floor(top)};
  mouth.width = std::min((static_cast<int>(std::ceil(right - mouth.origin.x)) + 1) & ~1, kMaxMouthSide);
  mouth.height = std::min((static_cast<int>(std::ceil(bottom - mouth.origin.y)) + 1) & ~1, kMaxMouthSide);
  const Painter painter(face, rest, still);
  mouth.cavity = paint_layer(face, mouth, [&](PointF mm) { return painter.cavity(mm); });
  mouth.tongue = paint_layer(face, mouth, [&](PointF mm) { return painter.tongue(mm); });
  mouth.lower_teeth = paint_layer(face, mouth, [&](PointF mm) { return painter.lower_teeth(mm); });
  mouth.upper_teeth = paint_layer(face, mouth, [&](PointF mm) { return painter.upper_teeth(mm); });
  mouth.lip_shadow = painter.photo_teeth() ? 0.15f : 0.38f;
  // Lips that part in the photograph have no shadow line of their own once they are brought together.
  mouth.seam_shade = 0.34f * smooth_step(0.6f, 2.5f, rest.gap_mm);
  return mouth;
}

}  // namespace visavis::face
