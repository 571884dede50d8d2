// What a face at rest does by itself over one loop, and how its lids close.
#pragma once

#include <cstdint>
#include <vector>

#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

// One instant of the loop. Angles in radians, lengths in millimetres of the face.
struct IdlePose {
  float yaw = 0, pitch = 0, roll = 0;
  float shift_x = 0, shift_y = 0;
  float breath = 0;  // 0 out, 1 in.
  float brow = 0;    // Millimetres up.
  float blink = 0;   // 0 open, 1 shut.
  float gaze_x = 0, gaze_y = 0;
};

// Periodic over `frame_count` frames: harmonics of the loop's length with seeded phases, so the last frame leads into
// the first. Blinks and shifts of gaze keep clear of the seam.
std::vector<IdlePose> idle_timeline(int fps, int frame_count, double motion, std::uint64_t seed);

// Both eyes' lids as a map over part of the still: where each pixel of the blinking still comes from.
class EyeWarp {
 public:
  // `face` is kept by reference; `still` tells where the lids' skin begins.
  EyeWarp(const Face& face, const I420View& still);

  // Recomputes the map. Cheap when nothing moves.
  void set(float blink, float gaze_x_mm, float gaze_y_mm);

  bool active() const { return active_; }

  // What position p of the blinking still shows: the still at p + offset, darkened by `shade` (0..1).
  struct Source {
    PointF offset;
    float shade = 0;
  };
  Source source(PointF p) const;

  // How landmark i moves in the still at the current setting.
  PointF landmark_offset(std::size_t i) const { return moved_[i]; }

  Box box(int eye) const { return patches_[eye].box; }

 private:
  struct Patch {
    Box box;
    std::vector<std::uint32_t> triangles;  // Numbers into face_.triangles.
    std::vector<Source> map;
  };

  void shut_lids(bool right, const I420View& still);
  void draw_lashes(float blink, bool right);
  PointF gaze_share(PointF p, bool right) const;

  const Face& face_;
  std::vector<PointF> closing_;  // Displacement of each point when the lids are shut.
  std::vector<PointF> margin_;   // From each point of a lid's edge to where skin begins.
  std::vector<PointF> moved_;
  Patch patches_[2];
  bool active_ = false;
};

}  // namespace visavis::face
