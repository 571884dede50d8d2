#include "fill_triangle.h"
#include "warp_kernels.h"

namespace visavis::face {

namespace {

template <int kBits>
std::int32_t whole(std::uint32_t fixed) {
  return static_cast<std::int32_t>(fixed) >> kBits;
}

void fill_offsets(Ramp ramp, int count, std::int32_t* map) {
  for (int i = 0; i < count; ++i) {
    map[i] = pack_offset(whole<kOffsetBits>(ramp.x), whole<kOffsetBits>(ramp.y));
    ramp.x += ramp.step_x;
    ramp.y += ramp.step_y;
  }
}

void fill_triangle(const OffsetMap& map, const PointF at[3], const PointF offset[3]) {
  fill_triangle_with(map, at, offset, [](Ramp ramp, int count, std::int32_t* to) { fill_offsets(ramp, count, to); });
}

void halve_offsets(const std::int32_t* top, const std::int32_t* bottom, int count, std::int32_t* out) {
  for (int i = 0; i < count; ++i) {
    out[i] = chroma_offset(top[2 * i], top[2 * i + 1], bottom[2 * i], bottom[2 * i + 1]);
  }
}

void warp_row(const Plane& source, int x, int y, const std::int32_t* map, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    out[i] = sample_pixel(source, (x + i) * kSubpixel + offset_x(map[i]), y * kSubpixel + offset_y(map[i]));
  }
}

void warp_pair(const Plane& u, const Plane& v, int x, int y, const std::int32_t* map, int count, std::uint8_t* out_u,
               std::uint8_t* out_v) {
  warp_row(u, x, y, map, count, out_u);
  warp_row(v, x, y, map, count, out_v);
}

void sample_row(const Plane& source, Ramp ramp, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    out[i] = sample_pixel(source, whole<kSampleBits>(ramp.x), whole<kSampleBits>(ramp.y));
    ramp.x += ramp.step_x;
    ramp.y += ramp.step_y;
  }
}

void blend_row(const std::uint8_t* over, const std::uint8_t* alpha, int count, std::uint8_t* under) {
  for (int i = 0; i < count; ++i) under[i] = blend_pixel(under[i], over[i], alpha[i]);
}

void mix_row(const std::uint8_t* under, const std::uint8_t* over, std::uint32_t weight, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) out[i] = mix_pixel(under[i], over[i], weight);
}

}  // namespace

const WarpKernels& portable_kernels() {
  static constexpr WarpKernels kKernels = {fill_triangle, halve_offsets, warp_row, warp_pair,
                                           sample_row,    blend_row,     mix_row};
  return kKernels;
}

#if !defined(VISAVIS_HAVE_AVX2)
const WarpKernels* avx2_kernels() { return nullptr; }
#endif

}  // namespace visavis::face
