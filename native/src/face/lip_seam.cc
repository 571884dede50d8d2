#include "lip_seam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "face_topology.h"
#include "mesh.h"
#include "plane_sample.h"

namespace visavis::face {

namespace {

constexpr int kMiddle = kLipColumns / 2;
constexpr float kShutGapMm = 0.8f;   // Below this there is nothing to see between the lips.
constexpr float kLipShare = 0.6f;    // Of the space between the lips, to take it for lip.
constexpr float kTeethGapMm = 2.5f;  // Lips nearer than this show no rim of teeth worth moving for.
constexpr float kMostHugMm = 1.8f;   // Landmarks of a smile's inner lips lie up to this far inside of its teeth.
constexpr float kEdgeBlurMm = 0.35f;
constexpr float kLeastContrast = 60.0f;  // Squared, in weighted levels.

float middle_gap_mm(const Face& face) {
  return dot(face.points[kLowerLip[0][kMiddle]] - face.points[kUpperLip[0][kMiddle]], face.down) / face.px_per_mm;
}

// Share of what lies between the inner lips, in the middle columns, that has the lips' own colour.
float lip_share(const Face& face, const I420View& still) {
  float y = 0, v = 0;
  constexpr std::array<std::uint16_t, 6> kLips = {16, 85, 315, 11, 72, 302};
  for (std::uint16_t id : kLips) {
    const Sample s = sample_picture(still, face.points[id]);
    y += s.y / kLips.size();
    v += s.v / kLips.size();
  }
  int all = 0, alike = 0;
  for (int k = 2; k <= kLipColumns - 3; ++k) {
    const PointF top = face.points[kUpperLip[0][k]], bottom = face.points[kLowerLip[0][k]];
    for (float t = 0.12f; t < 0.9f; t += 0.08f) {
      const Sample s = sample_picture(still, top + (bottom - top) * t);
      const float light = (s.y - 16) / std::max(y - 16, 8.0f);
      // Teeth are less red than lips; in a picture without colour only light tells them apart.
      const bool red = v - 128 < 4 || s.v - 128 > 0.7f * (v - 128);
      ++all;
      if (red && light > 0.55f && light < 1.35f) ++alike;
    }
  }
  return static_cast<float>(alike) / static_cast<float>(all);
}

// The darkest place between the middles of both lips, for each column; nearer to the landmarks' own middle counts more.
std::array<float, kLipColumns> find_line(const Face& face, const I420View& still) {
  std::array<float, kLipColumns> line{};
  for (int k = 0; k < kLipColumns; ++k) {
    const PointF from = face.points[kUpperLip[2][k]], to = face.points[kLowerLip[2][k]];
    const float span = length(to - from);
    if (span < 1e-3f) continue;
    const PointF mid = (face.points[kUpperLip[0][k]] + face.points[kLowerLip[0][k]]) * 0.5f;
    const float expected = std::clamp(dot(mid - from, to - from) / (span * span), 0.0f, 1.0f);
    float best = 1e9f;
    for (float t = 0.1f; t <= 0.9f; t += 0.02f) {
      const float away = (t - expected) * span / face.px_per_mm;
      const float cost = sample_picture(still, from + (to - from) * t).y + 0.6f * away * away;
      if (cost < best) {
        best = cost;
        line[k] = t;
      }
    }
  }
  // A median of three, then a light blur: the line is smooth.
  std::array<float, kLipColumns> calm = line;
  for (int k = 2; k + 2 < kLipColumns; ++k) {
    std::array<float, 3> near = {line[k - 1], line[k], line[k + 1]};
    std::sort(near.begin(), near.end());
    calm[k] = near[1];
  }
  line = calm;
  for (int k = 2; k + 2 < kLipColumns; ++k) line[k] = 0.25f * calm[k - 1] + 0.5f * calm[k] + 0.25f * calm[k + 1];
  return line;
}

// How far from ring 0, in millimetres towards the middle of the red, each column's first place lies that looks like lip
// rather than like what is between the lips; 0 where the picture does not tell them apart.
std::array<float, kLipColumns> find_edge(const Face& face, const I420View& still, const LipRow& inner,
                                         const LipRow& red, const LipRow& opposite) {
  std::array<float, kLipColumns> edge{};
  for (int k = 1; k + 1 < kLipColumns; ++k) {
    const PointF from = face.points[inner[k]], way = face.points[red[k]] - from;
    const float span_mm = length(way) / face.px_per_mm;
    if (span_mm < 0.1f) continue;
    const Sample lip = sample_picture(still, from + way * 0.9f);
    const Sample gap = sample_picture(still, from + (face.points[opposite[k]] - from) * 0.35f);
    const float dy = lip.y - gap.y, du = lip.u - gap.u, dv = lip.v - gap.v;
    const float apart = 0.3f * dy * dy + du * du + 2 * dv * dv;
    if (apart < kLeastContrast) continue;
    for (float mm = 0; mm <= std::min(kMostHugMm, 0.8f * span_mm); mm += 0.1f) {
      const Sample s = sample_picture(still, from + way * (mm / span_mm));
      const float lipness = (0.3f * (s.y - gap.y) * dy + (s.u - gap.u) * du + 2 * (s.v - gap.v) * dv) / apart;
      if (lipness < 0.7f) continue;
      edge[k] = mm;
      break;
    }
  }
  std::array<float, kLipColumns> calm = edge;
  for (int k = 1; k + 1 < kLipColumns; ++k) calm[k] = 0.25f * edge[k - 1] + 0.5f * edge[k] + 0.25f * edge[k + 1];
  return calm;
}

}  // namespace

void hug_parted_lips(Face& face, const I420View& still) {
  if (middle_gap_mm(face) < kTeethGapMm) return;
  const auto hug = [&](const std::array<LipRow, kLipRings>& lip, const std::array<float, kLipColumns>& edge) {
    for (int k = 1; k + 1 < kLipColumns; ++k) {
      const PointF from = face.points[lip[0][k]], way = face.points[lip[2][k]] - from;
      const float span_mm = length(way) / face.px_per_mm;
      if (span_mm < 0.1f) continue;
      // The blur of the edge itself is neither lip nor tooth.
      const float on_lip = std::min((edge[k] + kEdgeBlurMm) / span_mm, 0.7f);
      face.points[lip[0][k]] = from + way * on_lip;
      face.points[lip[1][k]] = from + way * (0.5f * (1 + on_lip));
    }
  };
  const auto upper = find_edge(face, still, kUpperLip[0], kUpperLip[2], kLowerLip[0]);
  const auto lower = find_edge(face, still, kLowerLip[0], kLowerLip[2], kUpperLip[0]);
  hug(kUpperLip, upper);
  hug(kLowerLip, lower);
}

bool snap_shut_lips(Face& face, const I420View& still) {
  if (middle_gap_mm(face) > kShutGapMm && lip_share(face, still) < kLipShare) return false;
  const std::array<float, kLipColumns> line = find_line(face, still);
  for (int k = 1; k + 1 < kLipColumns; ++k) {
    const PointF from = face.points[kUpperLip[2][k]], to = face.points[kLowerLip[2][k]];
    const PointF seam = from + (to - from) * line[k];
    face.points[kUpperLip[0][k]] = face.points[kLowerLip[0][k]] = seam;
    face.points[kUpperLip[1][k]] = from + (seam - from) * 0.5f;
    face.points[kLowerLip[1][k]] = to + (seam - to) * 0.5f;
  }
  return true;
}

void turn_corners(Face& face, const RestMouth& rest) {
  constexpr float kLeastSine = 0.3f, kStep = 0.05f, kLeastRingMm = 0.9f;
  for (const int side : {0, 1}) {
    const int corner_column = side == 0 ? 0 : kLipColumns - 1, next = side == 0 ? 1 : kLipColumns - 2;
    const PointF outward = face.right * (side == 0 ? -1.0f : 1.0f);
    // In a turned face columns and rings run into each other here; they need room to part.
    for (int ring = 0; ring < 2; ++ring) {
      for (const std::uint16_t id : {kUpperLip[ring][next], kLowerLip[ring][next]}) {
        PointF& p = face.points[kUpperLip[0][corner_column]];
        const float lack = kLeastRingMm * face.px_per_mm - dot(p - face.points[id], outward);
        if (lack > 0) p = p + outward * lack;
      }
    }
    for (int ring = 1; ring < kLipRings; ++ring) {
      PointF& p = face.points[kUpperLip[ring][corner_column]];
      const float lack =
          kLeastRingMm * face.px_per_mm - dot(p - face.points[kUpperLip[ring - 1][corner_column]], outward);
      if (lack > 0) p = p + outward * lack;
    }
    const PointF corner = face.points[kUpperLip[0][corner_column]];
    PointF& outer = face.points[kUpperLip[1][corner_column]];
    const PointF along = face.mouth + face.to_px(rest.seam[next]) - corner;
    // The triangle of both points and the seam has the mesh's orientation when this sine is positive.
    const float turn = side == 0 ? 1.0f : -1.0f;
    for (int step = 0; step < 16; ++step) {
      const PointF out = outer - corner;
      const float size = length(out) * length(along);
      if (size < 1e-4f || kMeshOrientation * turn * cross(along, out) >= kLeastSine * size) break;
      // `out` points away from `along`, so turning one way raises the sine the other way lowers.
      const float angle = -kMeshOrientation * turn * kStep;
      outer = corner + PointF{out.x - out.y * angle, out.y + out.x * angle};
    }
  }
}

}  // namespace visavis::face
