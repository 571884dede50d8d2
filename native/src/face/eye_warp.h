// How the lids close and the eyes turn in the still.
#pragma once

#include <cstdint>
#include <vector>

#include "landmarks.h"
#include "visavis/image.h"

namespace visavis::face {

// Both eyes' lids as a map over part of the still: where each pixel of the blinking still comes from.
class EyeWarp {
 public:
  // `shown` is the face whose lids blink and is kept by reference; `still`, in which it is `face`, tells where the
  // lids' skin begins.
  EyeWarp(const Face& shown, const Face& face, const I420View& still);

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

  void shut_lids(bool right, const Face& face, const I420View& still);
  void draw_lashes(float blink, bool right);
  float gaze_share(PointF p, bool right) const;

  const Face& face_;
  std::vector<PointF> closing_;  // Displacement of each point when the lids are shut.
  std::vector<PointF> margin_;   // From each point of a lid's edge to where skin begins.
  std::vector<PointF> moved_;
  Patch patches_[2];
  bool active_ = false;
};

}  // namespace visavis::face
