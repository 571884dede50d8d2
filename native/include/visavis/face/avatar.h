// A prepared avatar on disk: a rig and the idle loop it was made for.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "visavis/errors.h"
#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis {

// Immutable once loaded, shared by every Stage that shows it. The frames are memory-mapped.
class Avatar {
 public:
  // Reads `dir`/rig.vvr and maps `dir`/loop.i420. Throws FormatError.
  static std::shared_ptr<const Avatar> load(const std::filesystem::path& dir);

  virtual ~Avatar() = default;
  virtual const Rig& rig() const = 0;
  virtual int width() const = 0;
  virtual int height() const = 0;
  virtual int fps() const = 0;                  // Rate the loop was made at (25 or 30).
  virtual int frame_count() const = 0;          // The last frame leads back into the first without a seam.
  virtual I420View frame(int index) const = 0;  // 0 <= index < frame_count().

  // Room for what a GPU keeps of the avatar, which all renderers there share; it goes with the last of them.
  struct OnGpu {
    std::mutex mutex;
    std::weak_ptr<void> copy;
  };
  OnGpu& on_gpu() const { return on_gpu_; }

 private:
  mutable OnGpu on_gpu_;
};

}  // namespace visavis
