// A picture of its own in a card's memory, for a session to draw into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/device.h"
#include "visavis/image.h"

namespace visavis::bench {

struct Canvas {
  Canvas(const std::shared_ptr<cuda::Runtime>& card, int width, int height)
      : stride((width + 255) / 256 * 256), memory(card, static_cast<std::size_t>(stride) * height * 3 / 2) {
    auto* const base = memory.as<std::uint8_t>();
    const std::size_t luma = static_cast<std::size_t>(stride) * height;
    picture.planes = {base, base + luma, base + luma + luma / 4, stride, stride / 2, width, height};
  }

  int stride;
  cuda::DeviceBuffer memory;
  GpuPicture picture;
};

}  // namespace visavis::bench
