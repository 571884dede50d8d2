// Draws what is between the lips into a loop whose tone parts or shuts them, as the live renderer draws it.
#pragma once

#include <memory>
#include <span>

#include "visavis/face/avatar.h"
#include "visavis/face/renderer.h"

namespace visavis::face {

class BakedMouth {
 public:
  // `rig` is the avatar's own, without tracks: its rest, triangles, contours and mouth count. `jaw_mm` is how far the
  // jaw has dropped while the face rests.
  BakedMouth(const Rig& rig, float jaw_mm);

  // Draws into `frame`, where the face's points lie at `points`.
  void draw(std::span<const PointF> points, I420Frame& frame);

 private:
  class OneFrame;
  std::shared_ptr<OneFrame> avatar_;
};

}  // namespace visavis::face
