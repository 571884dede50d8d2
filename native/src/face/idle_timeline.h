// What a face at rest does by itself over one loop.
#pragma once

#include <cstdint>
#include <vector>

namespace visavis::face {

// One instant of the loop. Angles in radians, lengths in millimetres of the face.
struct IdlePose {
  float yaw = 0, pitch = 0, roll = 0;
  float shift_x = 0, shift_y = 0;
  float breath = 0;  // 0 out, 1 in.
  float brow = 0;    // Millimetres up.
  float blink = 0;   // 0 open, 1 shut.
  float gaze_x = 0, gaze_y = 0;
  // Share by which a tone's brows and mouth go beyond, or stay behind, the tone's own amount.
  float brow_swell = 0, mouth_swell = 0;
};

// Periodic over `frame_count` frames: harmonics of the loop's length with seeded phases, so the last frame leads into
// the first. Blinks and shifts of gaze keep clear of the seam.
std::vector<IdlePose> idle_timeline(int fps, int frame_count, double motion, std::uint64_t seed);

}  // namespace visavis::face
