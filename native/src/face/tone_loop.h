// The loop of one still: as the photograph is, or with a tone laid over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "landmarks.h"
#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis::face {

struct LoopOptions {
  std::string tone;
  double motion = 0.5;
  std::uint64_t seed = 1;
  std::filesystem::path dir;
  // In how many frames each pose of the mouth is tried under a tone: its mouth lives, and what folds in no pose of one
  // frame may in another.
  std::size_t tried_frames = 50;
};

// Draws the loop of `rig`, which start_rig() made of `face`, and writes both into the folder. A tone makes the rig
// anew: its visemes begin at the face that wears it. Throws BuildError.
void build_loop(const Face& face, const I420View& still, Rig rig, const LoopOptions& options);

}  // namespace visavis::face
