// Which frames of a film make a loop without a seam.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis::face {

// One moment of a film, as far as a cut could be seen in it.
struct FilmMoment {
  std::vector<PointF> points_mm;        // Where the face lies.
  std::array<std::uint8_t, 256> small;  // The picture, 16 by 16.
  float open_mm = 0;                    // How far the mouth stands open beyond rest.
};

std::array<std::uint8_t, 256> small_picture(const I420View& picture);

// One frame of the loop: a frame of the film, or what lies `share` of the way from it to another.
struct LoopFrame {
  int frame = 0;
  int other = -1;  // -1: none.
  float share = 0;
};

struct LoopPlan {
  std::vector<LoopFrame> frames;
  bool there_and_back = false;
};

// Two frames that look and move alike, at least five seconds or half the film apart, with as little speech between them
// as can be; the frames before the later one fade into those before the earlier one, so that the last leads into the
// first. Where no two are alike, the film forwards and back again, turning where it moves least. Throws BuildError on
// too little film.
LoopPlan plan_loop(const std::vector<FilmMoment>& film, int fps);

}  // namespace visavis::face
