// An avatar in a GPU's memory: its loop's frames and the inside of its mouth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/frame_kernel.h"
#include "visavis/face/avatar.h"

namespace visavis::face {

// How a picture lies in one piece of device memory; strides keep every row where sixteen bytes are read at once.
struct GpuLayout {
  GpuLayout(int width, int height);
  std::size_t bytes() const;
  cuda::SourcePicture source(const std::uint8_t* base) const;
  cuda::TargetPicture target(std::uint8_t* base) const;
  GpuPicture picture(std::uint8_t* base) const;
  // The same planes in host memory.
  I420MutView view(std::uint8_t* base) const;

  int width, height, stride_y, stride_uv;
};

// Frames on their way up: one renderer's own.
class FrameUpload {
 public:
  // Throws DeviceError.
  FrameUpload(const std::shared_ptr<cuda::Runtime>& runtime, const GpuLayout& layout);

  // Work that `stream` is given from now on finds `frame` at `device`. Waits where the frame before is not up yet.
  void send(const I420View& frame, std::uint8_t* device, const cuda::Stream& stream);
  // The place of a frame that stays nowhere.
  std::uint8_t* passing();

 private:
  std::shared_ptr<cuda::Runtime> runtime_;
  GpuLayout layout_;
  cuda::PinnedBuffer staging_;
  cuda::Event sent_;
  cuda::DeviceBuffer passing_;
  bool busy_ = false;
};

// One an avatar and a card, shared by all who draw it there. Frames come up when they are first asked for and stay.
// Thread-safe.
class GpuLoop {
 public:
  // Throws DeviceError.
  static std::shared_ptr<GpuLoop> of(const Avatar& avatar, const std::shared_ptr<cuda::Runtime>& runtime);

  GpuLoop(const Avatar& avatar, std::shared_ptr<cuda::Runtime> runtime);

  const GpuLayout& layout() const { return layout_; }

  // Whether frames stay. They may take half of what is free when the loop is made; else each goes up whenever it is
  // drawn.
  bool stays() const { return static_cast<bool>(frames_); }

  // Frame `index` for work that `stream` is given from now on. Throws DeviceError.
  cuda::SourcePicture frame(const Avatar& avatar, int index, const cuda::Stream& stream, FrameUpload& upload);

  // As cuda::MouthJob wants them; null where the mouth has no inside.
  const std::uint8_t* layers() const { return layers_.as<std::uint8_t>(); }

 private:
  enum class State : std::uint8_t { kAbsent, kComing, kThere };
  struct Place {
    State state = State::kAbsent;
    cuda::Event sent;  // While it is coming.
  };

  void send_layers(const MouthInterior& mouth);

  std::shared_ptr<cuda::Runtime> runtime_;
  GpuLayout layout_;
  cuda::DeviceBuffer layers_, frames_;
  std::mutex mutex_;
  std::vector<Place> places_;
};

}  // namespace visavis::face
