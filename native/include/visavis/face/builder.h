// From one photograph and its landmarks to an avatar folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "visavis/face/rig.h"

namespace visavis {

// Landmarks or a picture no avatar can be made of. The message is meant for the person who sent them.
struct BuildError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct BuildOptions {
  std::span<const std::uint8_t> rgb;  // 8 bit, tightly packed, width * height * 3 bytes.
  int width = 0;
  int height = 0;
  // 478 * 3 numbers: x, y, z in pixels of `rgb`, MediaPipe's order, z negative towards the viewer. Depth is only taken
  // for its proportions.
  std::span<const float> landmarks;
  int output_width = 0;  // Even, 128..4096; the same shape as the picture (within 2 %).
  int output_height = 0;
  int fps = 25;                   // 25 or 30.
  double loop_seconds = 8;        // 2..60.
  double motion = 0.5;            // 0..1: how much the head moves.
  std::uint64_t seed = 1;         // The same seed gives the same loop.
  // The delivery tone the face wears. A loop of another tone than neutral has the same length, blinks and movements of
  // the head at the same frames, so that one can be faded into the other.
  std::string tone = "neutral";
  std::filesystem::path out_dir;  // An existing folder.
};

struct AvatarInfo {
  int width = 0;
  int height = 0;
  int fps = 0;
  int frames = 0;
};

// Writes rig.vvr and loop.i420 into out_dir, each under a temporary name first. Throws BuildError on input it cannot
// use, std::runtime_error when the folder cannot be written.
AvatarInfo build_avatar(const BuildOptions& options);

}  // namespace visavis
