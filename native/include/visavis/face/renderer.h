// Draws one avatar's frames with a moving mouth.
#pragma once

#include <memory>

#include "visavis/face/avatar.h"
#include "visavis/gpu.h"
#include "visavis/image.h"
#include "visavis/viseme.h"

namespace visavis {

// Where the per-pixel work runs. kAuto takes the best of this machine's processor; a kind that is asked for by name and
// missing throws std::runtime_error. All give the same bits.
enum class WarpDevice { kAuto, kPortable, kAvx2, kCuda };

// "portable", "avx2", "cuda"; "auto" for what has not been decided.
const char* name_of(WarpDevice device);

// One a Stage; owns its scratch memory, allocates nothing after construction but what a GPU that fails leaves to the
// processor. Not thread-safe.
class FaceRenderer {
 public:
  static std::unique_ptr<FaceRenderer> create(std::shared_ptr<const Avatar> avatar,
                                              WarpDevice device = WarpDevice::kAuto);
  // On a session's share of a GPU. Where that refuses, now or in any later frame, the processor draws on, the frame in
  // hand among them, and the session is told why.
  static std::unique_ptr<FaceRenderer> create(std::shared_ptr<const Avatar> avatar, std::shared_ptr<GpuSession> gpu);

  virtual ~FaceRenderer() = default;

  // Writes loop frame `index` with the mouth at `pose` into `out` (same size as the avatar). A pose at rest gives the
  // loop frame bit for bit; in any pose, pixels outside rig().face_box(index) are the loop frame's bit for bit.
  virtual void render(int index, const MouthPose& pose, I420MutView out) = 0;

  // The same into memory of the GPU that this renderer draws on; whatever its session's stream is given next finds it
  // drawn. False, and `out` is anything, where it draws on none, or does no longer.
  virtual bool render_on_gpu(int /*index*/, const MouthPose& /*pose*/, const GpuPicture& /*out*/) { return false; }

  // Any thread.
  virtual WarpDevice device() const = 0;
  // The session that create() was given; null without one.
  virtual std::shared_ptr<GpuSession> gpu() const { return nullptr; }
};

}  // namespace visavis
