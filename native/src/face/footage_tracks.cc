#include "footage_tracks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "face_topology.h"
#include "mesh.h"
#include "rig_limits.h"
#include "visavis/face/builder.h"

namespace visavis::face {

namespace {

// Savitzky and Golay's weights of a parabola through nine points.
constexpr std::array<float, 9> kParabola = {-21.f / 231, 14.f / 231, 39.f / 231, 54.f / 231, 59.f / 231,
                                            54.f / 231,  39.f / 231, 14.f / 231, -21.f / 231};
constexpr int kCalmReach = 10;  // Frames to either side over which a face's slow changes are averaged.
// What parts the lips is mostly the jaw; and how much of it each ring of a lip takes part in.
constexpr float kUpperShare = 0.25f;
constexpr std::array<float, kLipRings> kFollow = {1.0f, 0.98f, 0.93f, 0.85f};
constexpr float kJawFollow = 0.8f;

// A row beyond either end goes on as the last ones did: mirrored in the end's own point.
PointF beyond(std::span<const PointF> points, std::size_t row, std::size_t id, int frame, int frames) {
  const auto at = [&](int f) { return points[static_cast<std::size_t>(f) * row + id]; };
  if (frame < 0) return at(0) * 2 - at(std::min(-frame, frames - 1));
  if (frame >= frames) return at(frames - 1) * 2 - at(std::max(2 * (frames - 1) - frame, 0));
  return at(frame);
}

// Lips and eyes move fast; everything else of a face changes slowly once the head's movement is taken off.
std::vector<char> lively_points() {
  std::vector<char> lively(kLandmarkCount, 0);
  for (int ring = 0; ring < kLipRings; ++ring) {
    for (int k = 0; k < kLipColumns; ++k) lively[kUpperLip[ring][k]] = lively[kLowerLip[ring][k]] = 1;
  }
  for (const EyeRing* eye : {&kLeftEye, &kRightEye}) {
    for (std::uint16_t id : eye->upper) lively[id] = 1;
    for (std::uint16_t id : eye->lower) lively[id] = 1;
    for (std::uint16_t id : eye->fold) lively[id] = 1;
    for (std::uint16_t id : eye->below) lively[id] = 1;
  }
  for (int id = kMeshPointCount; id < kLandmarkCount; ++id) lively[static_cast<std::size_t>(id)] = 1;
  for (const JawShare& share : kJawShares) {
    if (share.point < kLandmarkCount) lively[share.point] = 1;
  }
  return lively;
}

// What a mouth does by itself, of the few ways in which lips move together: all of them shift, turn, widen and bend,
// and each lip leaves the line where they meet. Tracked one by one they tremble more than they are thick.
class LipMotion {
 public:
  LipMotion() {
    for (int ring = 0; ring < kLipRings; ++ring) {
      for (int k = 0; k < kLipColumns; ++k) {
        const float t = static_cast<float>(2 * k) / (kLipColumns - 1) - 1;
        const float off = std::pow(1 - t * t, 0.7f) * kFollow[static_cast<std::size_t>(ring)];
        samples_.push_back({kUpperLip[ring][k], {1, t, t * t, off, 0}});
        samples_.push_back({kLowerLip[ring][k], {1, t, t * t, 0, off}});
      }
    }
    // The inverse of the normal equations, by elimination: they are small and well behaved.
    std::array<std::array<double, 2 * kWays>, kWays> m{};
    for (const Sample& sample : samples_) {
      for (std::size_t i = 0; i < kWays; ++i) {
        for (std::size_t j = 0; j < kWays; ++j) m[i][j] += static_cast<double>(sample.basis[i]) * sample.basis[j];
      }
    }
    for (std::size_t i = 0; i < kWays; ++i) m[i][kWays + i] = 1;
    for (std::size_t i = 0; i < kWays; ++i) {
      const double pivot = m[i][i];
      for (double& value : m[i]) value /= pivot;
      for (std::size_t other = 0; other < kWays; ++other) {
        if (other == i) continue;
        const double factor = m[other][i];
        for (std::size_t j = 0; j < 2 * kWays; ++j) m[other][j] -= factor * m[i][j];
      }
    }
    for (std::size_t i = 0; i < kWays; ++i) {
      for (std::size_t j = 0; j < kWays; ++j) inverse_[i][j] = static_cast<float>(m[i][kWays + j]);
    }
  }

  // Replaces the moves of the lips' points by the nearest ones of that kind.
  void fit(std::span<PointF> moves) const {
    std::array<PointF, kWays> right{}, ways{};
    for (const Sample& sample : samples_) {
      for (std::size_t i = 0; i < kWays; ++i) right[i] = right[i] + moves[sample.point] * sample.basis[i];
    }
    for (std::size_t i = 0; i < kWays; ++i) {
      for (std::size_t j = 0; j < kWays; ++j) ways[i] = ways[i] + right[j] * inverse_[i][j];
    }
    for (const Sample& sample : samples_) {
      PointF move;
      for (std::size_t i = 0; i < kWays; ++i) move = move + ways[i] * sample.basis[i];
      moves[sample.point] = move;
    }
  }

 private:
  static constexpr std::size_t kWays = 5;
  struct Sample {
    std::uint16_t point;
    std::array<float, kWays> basis;
  };
  std::vector<Sample> samples_;
  std::array<std::array<float, kWays>, kWays> inverse_{};
};

}  // namespace

std::vector<PointF> steadied(std::span<const PointF> points, std::size_t row) {
  const int frames = static_cast<int>(points.size() / row), reach = static_cast<int>(kParabola.size() / 2);
  std::vector<PointF> out(points.size());
  for (int f = 0; f < frames; ++f) {
    for (std::size_t id = 0; id < row; ++id) {
      PointF sum;
      for (int k = -reach; k <= reach; ++k) {
        sum = sum + beyond(points, row, id, f + k, frames) * kParabola[static_cast<std::size_t>(k + reach)];
      }
      out[static_cast<std::size_t>(f) * row + id] = sum;
    }
  }
  return out;
}

std::vector<PointF> rig_tracks(const Face& face, std::span<const PointF> landmarks, int still) {
  constexpr std::size_t kRow = kLandmarkCount;
  const int frames = static_cast<int>(landmarks.size() / kRow);
  const auto row = [&](int f) { return landmarks.subspan(static_cast<std::size_t>(f) * kRow, kRow); };
  std::vector<Affine> heads;
  std::vector<PointF> own(landmarks.size());  // What each point does beside the head's movement, in the frame.
  for (int f = 0; f < frames; ++f) {
    try {
      heads.push_back(fit_head(row(still), row(f)));
    } catch (const FormatError&) {
      throw BuildError("the face of frame " + std::to_string(f) + " cannot be that of the frame chosen for the rig");
    }
    for (std::size_t id = 0; id < kRow; ++id) {
      own[static_cast<std::size_t>(f) * kRow + id] = row(f)[id] - heads.back().apply(row(still)[id]);
    }
  }
  const LipMotion lips;
  for (int f = 0; f < frames; ++f) lips.fit(std::span(own).subspan(static_cast<std::size_t>(f) * kRow, kRow));
  const std::vector<char> lively = lively_points();
  std::vector<PointF> tracks;
  tracks.reserve(static_cast<std::size_t>(frames) * face.points.size());
  for (int f = 0; f < frames; ++f) {
    Face now = face;
    for (std::size_t id = 0; id < face.points.size(); ++id) {
      now.points[id] = heads[static_cast<std::size_t>(f)].apply(face.points[id]);
      if (id >= kRow) continue;
      PointF move = own[static_cast<std::size_t>(f) * kRow + id];
      if (lively[id] == 0) {
        const int reach = std::min({kCalmReach, f, frames - 1 - f});
        move = {};
        for (int k = -reach; k <= reach; ++k) move = move + own[static_cast<std::size_t>(f + k) * kRow + id];
        move = move * (1.0f / static_cast<float>(2 * reach + 1));
      }
      now.points[id] = now.points[id] + move;
    }
    try {
      settle(now);
    } catch (const BuildError&) {
      throw BuildError("the landmarks of frame " + std::to_string(f) +
                       " are folded: the face must be seen from the front all the time");
    }
    tracks.insert(tracks.end(), now.points.begin(), now.points.end());
  }
  return tracks;
}

std::vector<float> lip_excess(const Rig& rig, std::span<const PointF> track, const Affine& head) {
  const PointF turned = head.turn(rig.down);
  const PointF down = turned * (1.0f / std::max(length(turned), 1e-3f));
  std::vector<float> excess;
  for (int k = 0; k < kLipColumns; ++k) {
    const std::uint16_t upper = kUpperLip[0][k], lower = kLowerLip[0][k];
    excess.push_back(dot(track[lower] - track[upper] - head.turn(rig.rest[lower] - rig.rest[upper]), down));
  }
  return excess;
}

struct MouthCloser::Parts {
  explicit Parts(const Rig& rig) : harmonic(rig.triangles, rig.rest), fixed(rig.point_count(), 0) {
    const std::vector<char> moves = moving_points(rig);
    for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = moves[i] == 0 ? 1 : 0;
    for (int ring = 0; ring < kLipRings; ++ring) {
      for (int k = 0; k < kLipColumns; ++k) fixed[kUpperLip[ring][k]] = fixed[kLowerLip[ring][k]] = 1;
    }
    for (const JawShare& share : kJawShares) fixed[share.point] = 1;
  }

  HarmonicExtension harmonic;
  std::vector<char> fixed;
};

MouthCloser::MouthCloser(const Rig& rig) : rig_(rig), parts_(std::make_unique<Parts>(rig)) {}
MouthCloser::~MouthCloser() = default;

std::vector<PointF> MouthCloser::closed(std::span<const PointF> track, const Affine& head, float share) const {
  std::vector<PointF> move(track.size());
  float widest = 0;
  const PointF turned = head.turn(rig_.down);
  const PointF down = turned * (1.0f / std::max(length(turned), 1e-3f));
  const std::vector<float> excess = lip_excess(rig_, track, head);
  for (int k = 0; k < kLipColumns; ++k) {
    const float gap = std::max(excess[static_cast<std::size_t>(k)], 0.0f) * share;
    widest = std::max(widest, gap);
    for (int ring = 0; ring < kLipRings; ++ring) {
      const float follow = kFollow[static_cast<std::size_t>(ring)];
      // The corners belong to both lips, and stay.
      if (kUpperLip[ring][k] == kLowerLip[ring][k]) continue;
      move[kUpperLip[ring][k]] = down * (gap * kUpperShare * follow);
      move[kLowerLip[ring][k]] = down * (-gap * (1 - kUpperShare) * follow);
    }
  }
  for (const JawShare& jaw : kJawShares) {
    move[jaw.point] = down * (-widest * (1 - kUpperShare) * kJawFollow * jaw.share);
  }
  parts_->harmonic.solve(parts_->fixed, move);
  std::vector<PointF> points(track.begin(), track.end());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = points[i] + move[i];
  return points;
}

}  // namespace visavis::face
