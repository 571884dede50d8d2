#include "mesh.h"

#include <algorithm>

namespace visavis::face {

bool untangle(std::span<const Triangle> triangles, float orientation, std::span<const float> min_area2,
              std::span<const float> mobility, std::span<PointF> points, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    bool clean = true;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const std::uint16_t ids[3] = {triangles[t].a, triangles[t].b, triangles[t].c};
      const PointF a = points[ids[0]], b = points[ids[1]], c = points[ids[2]];
      const float lack = min_area2[t] - orientation * signed_area2(a, b, c);
      if (lack <= 0) continue;
      clean = false;
      // One Gauss-Newton step on this triangle's area alone, as in position-based dynamics.
      const PointF gradient[3] = {{b.y - c.y, c.x - b.x}, {c.y - a.y, a.x - c.x}, {a.y - b.y, b.x - a.x}};
      float norm = 1e-6f;
      for (int k = 0; k < 3; ++k) norm += mobility[ids[k]] * dot(gradient[k], gradient[k]);
      const float longest = std::max({length(b - a), length(c - b), length(a - c), 1e-3f});
      // Overshooting a little spares many rounds; the cap keeps a degenerate triangle from being flung away.
      const float step = 1.05f * (lack + 1e-4f) / norm;
      for (int k = 0; k < 3; ++k) {
        PointF move = gradient[k] * (orientation * step * mobility[ids[k]]);
        const float far = length(move), cap = 0.25f * longest;
        if (far > cap) move = move * (cap / far);
        points[ids[k]] = points[ids[k]] + move;
      }
    }
    if (clean) return true;
  }
  return false;
}

HarmonicExtension::HarmonicExtension(std::span<const Triangle> triangles, std::span<const PointF> points) {
  std::vector<std::vector<std::uint32_t>> neighbours(points.size());
  const auto link = [&](std::uint32_t from, std::uint32_t to) {
    auto& list = neighbours[from];
    if (std::find(list.begin(), list.end(), to) == list.end()) list.push_back(to);
  };
  for (const Triangle& t : triangles) {
    const std::uint32_t ids[3] = {t.a, t.b, t.c};
    for (int k = 0; k < 3; ++k) {
      link(ids[k], ids[(k + 1) % 3]);
      link(ids[(k + 1) % 3], ids[k]);
    }
  }
  begin_.push_back(0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    float total = 0;
    const std::size_t first = links_.size();
    for (std::uint32_t to : neighbours[i]) {
      const float weight = 1.0f / std::max(length(points[to] - points[i]), 1e-2f);
      links_.push_back({to, weight});
      total += weight;
    }
    for (std::size_t k = first; k < links_.size(); ++k) links_[k].weight /= total;
    begin_.push_back(static_cast<std::uint32_t>(links_.size()));
  }
}

void HarmonicExtension::solve(std::span<const char> fixed, std::span<PointF> displacement) const {
  constexpr float kOverRelaxation = 1.7f;
  for (int round = 0; round < 400; ++round) {
    float moved = 0;
    for (std::size_t i = 0; i < displacement.size(); ++i) {
      if (fixed[i] != 0 || begin_[i] == begin_[i + 1]) continue;
      PointF mean;
      for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
        mean = mean + displacement[links_[k].to] * links_[k].weight;
      }
      const PointF step = (mean - displacement[i]) * kOverRelaxation;
      displacement[i] = displacement[i] + step;
      moved = std::max({moved, std::fabs(step.x), std::fabs(step.y)});
    }
    if (moved < 1e-4f) return;
  }
}

}  // namespace visavis::face
