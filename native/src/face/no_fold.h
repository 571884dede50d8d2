// No pose may fold the mesh: a triangle that turns over shows the skin behind it twice.
#pragma once

#include <cstdint>

#include "visavis/face/rig.h"

namespace visavis::face {

// Triangles of frame `frame` in `pose` that are turned over, among those that a viseme moves.
int count_folds(const Rig& rig, int frame, const MouthPose& pose);

// Tries every viseme and seeded blends over the loop's frames, and weakens the shapes a little at a time until none folds.
// False when that takes more than half of their strength.
bool unfold_poses(Rig& rig);

}  // namespace visavis::face
