#include "creases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "face_topology.h"
#include "mesh.h"

namespace visavis::face {

namespace {

// From the wing of the nose around the corner of the mouth, on both sides.
constexpr std::array<std::uint16_t, 4> kLeftFold = {129, 203, 206, 216}, kRightFold = {358, 423, 426, 436};
// Across the forehead, from temple to temple: brows' upper edge and the outline above it.
constexpr std::array<std::uint16_t, 8> kBrowEdge = {63, 105, 66, 107, 336, 296, 334, 293};
constexpr std::array<std::uint16_t, 8> kHairline = {54, 103, 67, 109, 338, 297, 332, 284};

class Folds {
 public:
  Folds(const ToneTarget& tone, const Face& shown, float smile) : tone_(tone), face_(shown), smile_(smile) {}

  std::vector<Crease> all() {
    laugh_lines();
    cheek_lines();
    frown_lines();
    forehead_lines();
    sinking_corners();
    return std::move(found_);
  }

 private:
  PointF at(std::uint16_t id) const { return face_.points[id]; }

  void add(std::vector<PointF> line, float width_mm, float strength) {
    if (strength > 0.005f) found_.push_back({std::move(line), width_mm * face_.px_per_mm, std::min(strength, 0.35f)});
  }

  void laugh_lines() {
    const float strength = 0.11f * smile_ * std::min(tone_.smile / 7.5f, 1.2f);
    for (const auto* fold : {&kLeftFold, &kRightFold}) {
      std::vector<PointF> line;
      for (std::uint16_t id : *fold) line.push_back(at(id));
      add(std::move(line), 1.5f, strength);
    }
    for (const bool right : {false, true}) {
      const PointF corner = at(kUpperLip[3][right ? kLipColumns - 1 : 0]);
      const PointF out = face_.to_px({right ? 2.2f : -2.2f, -0.6f}), turn = face_.to_px({0, 2.2f});
      add({corner + out - turn, corner + out * 1.3f, corner + out + turn}, 1.2f, 1.2f * strength);
    }
  }

  void cheek_lines() {
    const float strength = 0.05f * std::min(tone_.cheek, 3.5f) * smile_;
    for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
      std::vector<PointF> line;
      for (std::size_t k = 1; k + 1 < eye->below.size(); ++k) {
        line.push_back(at(eye->below[k]) + face_.to_px({0, 1.2f}));
      }
      add(std::move(line), 0.9f, strength);
    }
  }

  void frown_lines() {
    const float strength = 0.035f * tone_.knit;
    const PointF left = at(55), right = at(285);
    for (const float side : {-1.0f, 1.0f}) {
      const PointF foot = side < 0 ? left : right;
      const PointF in = face_.to_px({-side * 2.6f, 0});
      add({foot + in + face_.to_px({0, 1.0f}), foot + in * 0.9f + face_.to_px({0, -4.0f}),
           foot + in * 0.5f + face_.to_px({0, -9.0f})},
          1.6f, strength);
    }
  }

  void forehead_lines() {
    const float rise = std::min(tone_.brow_inner, 6.0f), both = std::min(rise, tone_.brow_outer);
    if (rise < 2.5f) return;
    for (const float up : {0.30f, 0.52f}) {
      std::vector<PointF> line;
      // Brows that rise at their inner ends alone furrow the middle of the forehead alone.
      const std::size_t skip = both > 1.5f ? 0 : 2;
      for (std::size_t k = skip; k + skip < kBrowEdge.size(); ++k) {
        line.push_back(at(kBrowEdge[k]) * (1 - up) + at(kHairline[k]) * up);
      }
      add(std::move(line), 0.8f, 0.017f * rise);
    }
  }

  void sinking_corners() {
    const float strength = 0.018f * tone_.frown;
    for (const bool right : {false, true}) {
      const PointF corner = at(kUpperLip[3][right ? kLipColumns - 1 : 0]);
      const float out = right ? 1.0f : -1.0f;
      add({corner + face_.to_px({out, 0.5f}), corner + face_.to_px({out * 2.2f, 4.0f}),
           corner + face_.to_px({out * 2.8f, 9.0f})},
          2.0f, strength);
    }
  }

  const ToneTarget& tone_;
  const Face& face_;
  float smile_;
  std::vector<Crease> found_;
};

}  // namespace

std::vector<Crease> find_creases(const ToneTarget& tone, const Face& shown, float smile) {
  return Folds(tone, shown, smile).all();
}

std::vector<float> shade_creases(const std::vector<Crease>& creases, const Box& box) {
  std::vector<float> shade(static_cast<std::size_t>(box.width) * box.height, 0.0f);
  for (const Crease& crease : creases) {
    std::vector<float> own(shade.size(), 0.0f);
    const float reach = 3 * crease.width;
    float whole = 0;
    for (std::size_t k = 0; k + 1 < crease.line.size(); ++k) whole += length(crease.line[k + 1] - crease.line[k]);
    float begun = 0;
    for (std::size_t k = 0; k + 1 < crease.line.size(); ++k) {
      const PointF from = crease.line[k], way = crease.line[k + 1] - from;
      const float span = std::max(length(way), 1e-3f);
      const auto kept = [](float value, int low, int high) {
        return static_cast<int>(std::clamp(value, static_cast<float>(low), static_cast<float>(high)));
      };
      const int x0 = kept(std::min(from.x, from.x + way.x) - reach, box.x, box.x + box.width);
      const int x1 = kept(std::max(from.x, from.x + way.x) + reach + 1, box.x, box.x + box.width);
      const int y0 = kept(std::min(from.y, from.y + way.y) - reach, box.y, box.y + box.height);
      const int y1 = kept(std::max(from.y, from.y + way.y) + reach + 1, box.y, box.y + box.height);
      for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
          const PointF p = PointF{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f} - from;
          const float t = std::clamp(dot(p, way) / (span * span), 0.0f, 1.0f);
          const float away = length(p - way * t) / crease.width;
          // Folds end in nothing on both sides.
          const float along = (begun + t * span) / whole;
          const float taper = std::min(1.0f, 4.0f * along * (1 - along));
          float& value = own[static_cast<std::size_t>(y - box.y) * box.width + (x - box.x)];
          value = std::max(value, crease.strength * taper * std::exp(-0.5f * away * away));
        }
      }
      begun += span;
    }
    for (std::size_t i = 0; i < shade.size(); ++i) shade[i] = 1 - (1 - shade[i]) * (1 - own[i]);
  }
  return shade;
}

}  // namespace visavis::face
