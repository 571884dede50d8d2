// What every avatar has from one still, whatever its loop is made of: the mesh, the visemes and the mouth's inside.
#pragma once

#include "landmarks.h"
#include "no_fold.h"
#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis::face {

// Fits the lids, the lips and the corners of `face`, fresh from fit_face(), to the picture, and makes the rig of it,
// which has the still's size and no tracks yet. Throws BuildError.
Rig start_rig(Face& face, const I420View& still, int fps, int frame_count);

// Once every frame has its track: checks the rig and sees to it that no pose folds the mesh, each of them tried in some
// of the frames. Throws BuildError.
void finish_rig(Rig& rig, std::size_t frames_a_pose = kFewFrames);

}  // namespace visavis::face
