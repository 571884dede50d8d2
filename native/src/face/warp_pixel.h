// What happens to one pixel of the warp: integers only, so that every device gives the same bits.
#pragma once

#include <cstdint>

// Always inlined on the CPU: an out-of-line copy that was compiled for AVX2 could be linked into the portable path.
#if defined(__CUDACC__)
#define VISAVIS_PIXEL_FUNCTION __host__ __device__ inline
#else
#define VISAVIS_PIXEL_FUNCTION [[gnu::always_inline]] inline
#endif

namespace visavis::face {

// Positions and displacements count 1/128 of a pixel: seven bits keep every product of the bilinear sum inside what
// SIMD multiplies in 16 bits.
inline constexpr int kSubpixelBits = 7;
inline constexpr int kSubpixel = 1 << kSubpixelBits;

// One plane somebody else owns; at least 2 by 2.
struct Plane {
  const std::uint8_t* data;
  int stride;
  int width;
  int height;
};

// A displacement of both coordinates, each in 1/128 pixel, packed as two 16-bit numbers.
VISAVIS_PIXEL_FUNCTION std::int32_t pack_offset(std::int32_t dx, std::int32_t dy) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(dx) & 0xFFFFu) | (static_cast<std::uint32_t>(dy) << 16));
}
VISAVIS_PIXEL_FUNCTION std::int32_t offset_x(std::int32_t packed) {
  return static_cast<std::int16_t>(static_cast<std::uint32_t>(packed) & 0xFFFFu);
}
VISAVIS_PIXEL_FUNCTION std::int32_t offset_y(std::int32_t packed) { return packed >> 16; }

// The offset of a chroma pixel, in chroma pixels, from those of its four luma pixels.
VISAVIS_PIXEL_FUNCTION std::int32_t chroma_offset(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
  const std::int32_t x = ((offset_x(a) >> 2) + (offset_x(b) >> 2) + (offset_x(c) >> 2) + (offset_x(d) >> 2)) >> 1;
  const std::int32_t y = ((offset_y(a) >> 2) + (offset_y(b) >> 2) + (offset_y(c) >> 2) + (offset_y(d) >> 2)) >> 1;
  return pack_offset(x, y);
}

// Bilinear sample at (u, v) in 1/128 pixel, (0, 0) being the centre of the first pixel; the border pixels go on
// outside.
VISAVIS_PIXEL_FUNCTION std::uint8_t sample_pixel(const Plane& plane, std::int32_t u, std::int32_t v) {
  const std::int32_t most_u = (plane.width - 1) * kSubpixel, most_v = (plane.height - 1) * kSubpixel;
  u = u < 0 ? 0 : u > most_u ? most_u : u;
  v = v < 0 ? 0 : v > most_v ? most_v : v;
  std::int32_t x = u >> kSubpixelBits, y = v >> kSubpixelBits;
  x = x > plane.width - 2 ? plane.width - 2 : x;
  y = y > plane.height - 2 ? plane.height - 2 : y;
  const std::int32_t fx = u - x * kSubpixel, fy = v - y * kSubpixel;
  const std::uint8_t* p = plane.data + static_cast<std::int64_t>(y) * plane.stride + x;
  const std::int32_t top = p[0] * (kSubpixel - fx) + p[1] * fx;
  const std::int32_t bottom = p[plane.stride] * (kSubpixel - fx) + p[plane.stride + 1] * fx;
  return static_cast<std::uint8_t>((top * (kSubpixel - fy) + bottom * fy + (1 << (2 * kSubpixelBits - 1))) >>
                                   (2 * kSubpixelBits));
}

// `over` at opacity alpha / 255 on `under`, rounded to nearest.
VISAVIS_PIXEL_FUNCTION std::uint8_t blend_pixel(std::uint8_t under, std::uint8_t over, std::uint8_t alpha) {
  const std::uint32_t t = over * static_cast<std::uint32_t>(alpha) + under * (255u - alpha) + 128u;
  return static_cast<std::uint8_t>((t + (t >> 8)) >> 8);
}

// `over` at weight / 256 on `under`, rounded to nearest; exact at 0 and at 256.
VISAVIS_PIXEL_FUNCTION std::uint8_t mix_pixel(std::uint8_t under, std::uint8_t over, std::uint32_t weight) {
  return static_cast<std::uint8_t>((over * weight + under * (256u - weight) + 128u) >> 8);
}

}  // namespace visavis::face
