// From a film of a face to an avatar that keeps the film's own motion.
#pragma once

#include <filesystem>
#include <span>

#include "visavis/face/builder.h"

namespace visavis {

struct FootageOptions {
  std::filesystem::path frames_path;  // I420 frames, one after another, of the avatar's size; read in place.
  int frames = 0;                     // 2..60 seconds.
  int width = 0;                      // Even, 128..4096, as is height.
  int height = 0;
  int fps = 25;  // 25 or 30.
  // For each frame 478 * 3 numbers as in BuildOptions, in pixels of the frames; may tremble.
  std::span<const float> landmarks;
  int still = 0;                  // The frame whose face makes the rig: seen from the front, mouth shut.
  std::filesystem::path out_dir;  // An existing folder.
};

// Writes rig.vvr and loop.i420 into out_dir, each under a temporary name first. The loop is a part of the film whose
// end is like its beginning, faded into it, or one that runs forwards and back again where there is none. Frames of the
// film stay as they are but for those of the fade and those in which the mouth stands open: that is closed, since
// speech must begin from lips at rest. Throws BuildError on input it cannot use, std::runtime_error when the folder
// cannot be written.
AvatarInfo build_footage(const FootageOptions& options);

}  // namespace visavis
