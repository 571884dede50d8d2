// Rows of pixels: one table of functions for each kind of processor, all giving the same bits.
#pragma once

#include <cstdint>

#include "visavis/face/rig.h"
#include "warp_pixel.h"

namespace visavis::face {

// Fractional bits of the ramps that fill_triangle() and sample_row() follow.
inline constexpr int kOffsetBits = 16;
inline constexpr int kSampleBits = 12;

// A pair of fixed-point numbers that grows by a step from pixel to pixel; wraps rather than overflows.
struct Ramp {
  std::uint32_t x, y;
  std::uint32_t step_x, step_y;
};

// Which columns of a row of the map were written.
struct RowExtent {
  int begin, end;
};

// Offsets of the pixels of `box`, row by row, `pitch` apart.
struct OffsetMap {
  Box box;
  std::int32_t* offsets;
  int pitch;
  RowExtent* rows;
};

struct WarpKernels {
  // Packed offsets over a triangle: its corners lie `at` in the picture and have these offsets, in pixels.
  void (*fill_triangle)(const OffsetMap& map, const PointF at[3], const PointF offset[3]);
  // Offsets of `count` chroma pixels from two luma rows of 2 * count.
  void (*halve_offsets)(const std::int32_t* top, const std::int32_t* bottom, int count, std::int32_t* out);
  // out[i] = source at pixel (x + i, y) displaced by map[i].
  void (*warp_row)(const Plane& source, int x, int y, const std::int32_t* map, int count, std::uint8_t* out);
  // The same for two planes of one size and stride that one map moves.
  void (*warp_pair)(const Plane& u, const Plane& v, int x, int y, const std::int32_t* map, int count,
                    std::uint8_t* out_u, std::uint8_t* out_v);
  // out[i] = source at the ramp at i, in 1/128 pixel; this ramp has kSampleBits fractional bits.
  void (*sample_row)(const Plane& source, Ramp ramp, int count, std::uint8_t* out);
  // under[i] = over[i] at opacity alpha[i] / 255 on under[i].
  void (*blend_row)(const std::uint8_t* over, const std::uint8_t* alpha, int count, std::uint8_t* under);
  // out[i] = over[i] at weight / 256 on under[i]; `out` may be either of them.
  void (*mix_row)(const std::uint8_t* under, const std::uint8_t* over, std::uint32_t weight, int count,
                  std::uint8_t* out);
};

const WarpKernels& portable_kernels();

// Null where this build or this machine has no AVX2.
const WarpKernels* avx2_kernels();

}  // namespace visavis::face
