// The cards that a test of drawing runs on: the one in host memory, and the machine's own where it has one.
#pragma once

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/device.h"
#include "fake_runtime.h"
#include "visavis/image.h"

namespace visavis::check {

inline std::vector<std::shared_ptr<cuda::Runtime>> cards() {
  std::vector<std::shared_ptr<cuda::Runtime>> all = {std::make_shared<FakeRuntime>()};
  cuda::Gpu gpu = cuda::open_gpu();
  if (gpu.runtime) {
    static const bool told = std::printf("also on %s\n", gpu.runtime->card().name.c_str()) > 0;
    (void)told;
    all.push_back(std::move(gpu.runtime));
  }
  return all;
}

// A picture on a card, with strides wider than its rows, and a way to look at it.
class Screen {
 public:
  static constexpr int kSpare = 64;  // Bytes past each row of luma.

  Screen(const std::shared_ptr<cuda::Runtime>& runtime, int width, int height)
      : stride_((width + kSpare + 31) / 32 * 32),
        width_(width),
        height_(height),
        device_(runtime, static_cast<std::size_t>(stride_) * height * 3 / 2),
        host_(runtime, device_.bytes()) {
    std::memset(host_.get(), 0x5C, host_.bytes());
  }

  GpuPicture picture() const { return {planes(device_.as<std::uint8_t>())}; }

  // Fills it with what nothing draws, padding among it.
  void spoil(const cuda::Stream& stream) {
    stream.runtime().fill(device_.get(), 0x5C, device_.bytes(), stream.get());
  }

  // Waits for all that the stream was given.
  I420View look(const cuda::Stream& stream) {
    stream.runtime().copy_to_host(host_.get(), device_.get(), device_.bytes(), stream.get());
    stream.synchronize();
    return planes(host_.as<std::uint8_t>());
  }

 private:
  I420MutView planes(std::uint8_t* base) const {
    const std::size_t luma = static_cast<std::size_t>(stride_) * height_;
    return {base, base + luma, base + luma + luma / 4, stride_, stride_ / 2, width_, height_};
  }

  int stride_, width_, height_;
  cuda::DeviceBuffer device_;
  cuda::PinnedBuffer host_;
};

// True where every pixel is the same, and every byte of b's padding is `padding`.
inline bool same_picture(const I420View& a, const I420View& b, int padding = -1) {
  const auto same = [&](const std::uint8_t* p, int ps, const std::uint8_t* q, int qs, int width, int height) {
    for (int y = 0; y < height; ++y, p += ps, q += qs) {
      if (std::memcmp(p, q, static_cast<std::size_t>(width)) != 0) return false;
      for (int x = width; padding >= 0 && x < qs; ++x) {
        if (q[x] != padding) return false;
      }
    }
    return true;
  };
  return a.width == b.width && a.height == b.height && same(a.y, a.stride_y, b.y, b.stride_y, a.width, a.height) &&
         same(a.u, a.stride_uv, b.u, b.stride_uv, a.width / 2, a.height / 2) &&
         same(a.v, a.stride_uv, b.v, b.stride_uv, a.width / 2, a.height / 2);
}

}  // namespace visavis::check
