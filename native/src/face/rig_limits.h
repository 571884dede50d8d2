// Bounds that a rig file must keep; far beyond any face, small enough that no file can ask for absurd memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

inline constexpr int kMinSide = 64;
inline constexpr int kMaxSide = 4096;
inline constexpr int kMaxFrames = 60 * 30;
inline constexpr std::size_t kMaxPoints = 2048;
inline constexpr std::size_t kMaxTriangles = 8192;
inline constexpr std::size_t kMaxContour = 64;
inline constexpr int kMaxMouthSide = 2048;
inline constexpr float kMaxCoordinate = 16384.0f;

// Loudness 0..1 scales the jaw between these: talkers who raise their voice open it further (Schulman, "Articulatory
// dynamics of loud and normal speech", 1989), and who murmur less far. kPlainLoudness leaves it as it is.
inline constexpr float kMinJawScale = 0.6f;
inline constexpr float kMaxJawScale = 1.25f;
inline constexpr float kPlainLoudness = (1 - kMinJawScale) / (kMaxJawScale - kMinJawScale);

// The movement of the skull from one set of points to another, by least squares. Throws FormatError where the points
// are no face's.
Affine fit_head(std::span<const PointF> rest, std::span<const PointF> track);

// 1 for every point that some viseme or the jaw moves.
std::vector<char> moving_points(const Rig& rig);

}  // namespace visavis::face
