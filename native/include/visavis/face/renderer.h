// Draws one avatar's frames with a moving mouth.
#pragma once

#include <memory>

#include "visavis/face/avatar.h"
#include "visavis/image.h"
#include "visavis/viseme.h"

namespace visavis {

// Where the per-pixel work runs. kAuto takes the best this machine has; a kind that is asked for by name and missing
// throws std::runtime_error. (CUDA joins this list behind the same class.)
enum class WarpDevice { kAuto, kPortable, kAvx2 };

// One a Stage; owns its scratch memory, allocates nothing after construction. Not thread-safe.
class FaceRenderer {
 public:
  static std::unique_ptr<FaceRenderer> create(std::shared_ptr<const Avatar> avatar,
                                              WarpDevice device = WarpDevice::kAuto);

  virtual ~FaceRenderer() = default;

  // Writes loop frame `index` with the mouth at `pose` into `out` (same size as the avatar). A pose at rest gives the
  // loop frame bit for bit; in any pose, pixels outside rig().face_box(index) are the loop frame's bit for bit.
  virtual void render(int index, const MouthPose& pose, I420MutView out) = 0;

  virtual WarpDevice device() const = 0;
};

}  // namespace visavis
