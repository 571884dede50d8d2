// The small things that change from frame to frame, on their way to a GPU in one copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "cuda/device.h"

namespace visavis::face {

class GpuSheet {
 public:
  // Room for `bytes` a frame, what alignment takes not counted in for up to eight parts. Throws DeviceError.
  GpuSheet(const std::shared_ptr<cuda::Runtime>& runtime, std::size_t bytes);

  // A new frame's. Waits where the GPU has not taken over the one before the last yet.
  void begin();

  // Room for `count` elements of this frame, to be written now; `device` is where they will lie. Throws
  // std::length_error where they do not fit.
  template <typename T>
  std::span<T> room(std::size_t count, const T*& device) {
    const std::size_t at = take(count * sizeof(T));
    device = reinterpret_cast<const T*>(device_.as<std::byte>() + at);
    return {reinterpret_cast<T*>(turn().host.as<std::byte>() + at), count};
  }

  template <typename T>
  const T* put(std::span<const T> values) {
    const T* device = nullptr;
    const std::span<T> to = room<T>(values.size(), device);
    if (!values.empty()) std::memcpy(to.data(), values.data(), values.size_bytes());
    return device;
  }

  // Work that `stream` is given from now on finds this frame's there.
  void send(const cuda::Stream& stream);

 private:
  struct Turn {
    cuda::PinnedBuffer host;
    cuda::Event sent;
    bool busy = false;
  };
  Turn& turn() { return turns_[at_]; }
  std::size_t take(std::size_t bytes);

  std::array<Turn, 2> turns_;
  cuda::DeviceBuffer device_;
  std::size_t at_ = 0, used_ = 0;
};

}  // namespace visavis::face
