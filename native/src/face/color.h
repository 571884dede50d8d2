// From RGB to the I420 of the hot path.
#pragma once

#include <cstdint>
#include <span>

#include "visavis/image.h"

namespace visavis::face {

// Resamples to width x height (Catmull-Rom, widened when shrinking so that nothing aliases) and converts to BT.709
// limited range, chroma sited at the middle of each 2x2 block. `rgb` is tightly packed; width and height are even.
I420Frame rgb_to_i420(std::span<const std::uint8_t> rgb, int source_width, int source_height, int width, int height);

}  // namespace visavis::face
