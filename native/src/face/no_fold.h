// No pose may fold the mesh: a triangle that turns over shows the skin behind it twice.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

// Enough for a face that moves as a whole.
inline constexpr std::size_t kFewFrames = 4;

// A pose leaves each triangle at least this share of its area at rest: one that is thinner shows as a crease.
inline constexpr float kLeastAreaShare = 0.02f;

// The triangles that some viseme moves.
std::vector<Triangle> moving_triangles(const Rig& rig);

// Those of them that are turned over, or nearly, in frame `frame` with the mouth at `pose`.
std::vector<Triangle> folded(const Rig& rig, std::span<const Triangle> among, int frame, const MouthPose& pose);

// Tries every viseme, every pair of them and seeded blends over the loop's frames, and evens out the shapes around each
// triangle that folds until none does. Opposite points of the inner lips move together: what must shut still shuts.
// False when it cannot be done.
bool unfold_poses(Rig& rig, std::size_t frames_a_pose = kFewFrames);

}  // namespace visavis::face
