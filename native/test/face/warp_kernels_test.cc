#include "warp_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "fill_triangle.h"
#include "raster.h"

namespace visavis::face {
namespace {

std::vector<std::uint8_t> noise(std::size_t count, std::mt19937& random) {
  std::vector<std::uint8_t> bytes(count);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}

CHECK_CASE("a sample at a pixel's centre is that pixel, between two their mean, outside the border") {
  const std::uint8_t pixels[] = {10, 20, 30, 40};
  const Plane plane = {pixels, 2, 2, 2};
  CHECK(sample_pixel(plane, 0, 0) == 10 && sample_pixel(plane, 128, 0) == 20);
  CHECK(sample_pixel(plane, 0, 128) == 30 && sample_pixel(plane, 128, 128) == 40);
  CHECK(sample_pixel(plane, 64, 0) == 15 && sample_pixel(plane, 64, 64) == 25);
  CHECK(sample_pixel(plane, -100000, -100000) == 10 && sample_pixel(plane, 1 << 25, 1 << 25) == 40);
}

CHECK_CASE("blending is exact at both ends and rounds to nearest between") {
  for (int under = 0; under < 256; under += 5) {
    for (int over = 0; over < 256; over += 5) {
      for (int alpha = 0; alpha < 256; alpha += 3) {
        const double exact = (over * alpha + under * (255 - alpha)) / 255.0;
        const int got = blend_pixel(static_cast<std::uint8_t>(under), static_cast<std::uint8_t>(over),
                                    static_cast<std::uint8_t>(alpha));
        CHECK(std::fabs(got - exact) <= 0.501);
      }
    }
  }
}

CHECK_CASE("mixing is exact at both ends and rounds to nearest between") {
  for (int under = 0; under < 256; under += 5) {
    for (int over = 0; over < 256; over += 5) {
      for (std::uint32_t weight = 0; weight <= 256; weight += 4) {
        const double exact = (over * static_cast<double>(weight) + under * (256.0 - weight)) / 256;
        const int got = mix_pixel(static_cast<std::uint8_t>(under), static_cast<std::uint8_t>(over), weight);
        CHECK(std::fabs(got - exact) <= 0.5);
      }
      CHECK(mix_pixel(static_cast<std::uint8_t>(under), static_cast<std::uint8_t>(over), 0) == under);
      CHECK(mix_pixel(static_cast<std::uint8_t>(under), static_cast<std::uint8_t>(over), 256) == over);
    }
  }
}

CHECK_CASE("packed offsets keep both signs") {
  for (const int x : {-32768, -129, -1, 0, 1, 32767}) {
    for (const int y : {-32768, -5, 0, 7, 32767}) {
      const std::int32_t packed = pack_offset(x, y);
      CHECK(offset_x(packed) == x && offset_y(packed) == y);
    }
  }
}

CHECK_CASE("every AVX2 kernel gives the portable bits, to the last byte of a plane") {
  const WarpKernels* fast = avx2_kernels();
  if (fast == nullptr) {
    std::printf("skipped: no AVX2 here\n");
    return;
  }
  const WarpKernels& plain = portable_kernels();
  std::mt19937 random(17);
  for (int round = 0; round < 400; ++round) {
    const int width = 2 + static_cast<int>(random() % 60), height = 2 + static_cast<int>(random() % 40);
    const int stride = width + static_cast<int>(random() % 5), count = 1 + static_cast<int>(random() % 50);
    // Exactly as long as the plane: an over-read is seen by the address sanitizer.
    const std::vector<std::uint8_t> source = noise(static_cast<std::size_t>(height - 1) * stride + width, random);
    const Plane plane = {source.data(), stride, width, height};
    std::vector<std::int32_t> map(static_cast<std::size_t>(2 * count)), map2(map.size());
    for (auto& m : map) m = static_cast<std::int32_t>(random());
    for (auto& m : map2) m = static_cast<std::int32_t>(random());
    std::vector<std::uint8_t> a(count, 1), b(count, 2);
    plain.warp_row(plane, 3, 5, map.data(), count, a.data());
    fast->warp_row(plane, 3, 5, map.data(), count, b.data());
    CHECK(a == b);
    // A second plane of the same shape, moved by the same map.
    const std::vector<std::uint8_t> twin = noise(source.size(), random);
    std::vector<std::uint8_t> twin_a(count, 1), twin_b(count, 2);
    const Plane twin_plane = {twin.data(), stride, width, height};
    plain.warp_pair(plane, twin_plane, 3, 5, map.data(), count, a.data(), twin_a.data());
    fast->warp_pair(plane, twin_plane, 3, 5, map.data(), count, b.data(), twin_b.data());
    CHECK(a == b && twin_a == twin_b);
    std::vector<std::int32_t> half_a(count), half_b(count);
    plain.halve_offsets(map.data(), map2.data(), count, half_a.data());
    fast->halve_offsets(map.data(), map2.data(), count, half_b.data());
    CHECK(half_a == half_b);
    const Ramp ramp = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                       static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
    const Ramp gentle = {0, 0, 128u << kSampleBits, static_cast<std::uint32_t>(random() % 100000)};
    for (const Ramp& r : {ramp, gentle}) {
      plain.sample_row(plane, r, count, a.data());
      fast->sample_row(plane, r, count, b.data());
      CHECK(a == b);
    }
    const std::vector<std::uint8_t> over = noise(count, random), alpha = noise(count, random);
    plain.blend_row(over.data(), alpha.data(), count, a.data());
    fast->blend_row(over.data(), alpha.data(), count, b.data());
    CHECK(a == b);
    const std::uint32_t weight = random() % 257;
    plain.mix_row(over.data(), alpha.data(), weight, count, a.data());
    fast->mix_row(over.data(), alpha.data(), weight, count, b.data());
    CHECK(a == b);
    fast->mix_row(a.data(), over.data(), weight, count, a.data());
    plain.mix_row(b.data(), over.data(), weight, count, b.data());
    CHECK(a == b);
  }
}

CHECK_CASE("AVX2 gives the portable bits where neighbours come from nearby, as in a face") {
  const WarpKernels* fast = avx2_kernels();
  if (fast == nullptr) return;
  const WarpKernels& plain = portable_kernels();
  std::mt19937 random(31);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (int round = 0; round < 1500; ++round) {
    const int width = 14 + static_cast<int>(random() % 80), height = 2 + static_cast<int>(random() % 30);
    const int stride = width + static_cast<int>(random() % 5);
    const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(width));
    const std::size_t bytes = static_cast<std::size_t>(height - 1) * stride + width;
    std::vector<std::uint8_t> u = noise(bytes, random), v = noise(bytes, random);
    // Black beside white: the largest differences.
    if (round % 4 == 0) {
      for (auto* plane : {&u, &v}) {
        for (auto& byte : *plane) byte = byte < 128 ? 0 : 255;
      }
    }
    const Plane planes[2] = {{u.data(), stride, width, height}, {v.data(), stride, width, height}};
    // From nearly still to what no window holds, in places past the border.
    const float slope = std::pow(10.0f, 0.5f * static_cast<float>(random() % 6)) / 10;
    const float at_x = 6 * unit(random), at_y = 6 * unit(random), per_x = slope * unit(random),
                per_y = slope * unit(random);
    std::vector<std::int32_t> map(count);
    for (int i = 0; i < count; ++i) {
      const float t = static_cast<float>(i);
      map[i] = pack_offset(static_cast<int>((at_x + per_x * t) * kSubpixel),
                           static_cast<int>((at_y + per_y * t) * kSubpixel));
    }
    const int x = static_cast<int>(random() % static_cast<unsigned>(width - count + 1));
    const int y = static_cast<int>(random() % static_cast<unsigned>(height));
    std::vector<std::uint8_t> a(2 * static_cast<std::size_t>(count), 1), b(a.size(), 2);
    plain.warp_pair(planes[0], planes[1], x, y, map.data(), count, a.data(), a.data() + count);
    fast->warp_pair(planes[0], planes[1], x, y, map.data(), count, b.data(), b.data() + count);
    CHECK(a == b);
    std::fill(b.begin(), b.end(), std::uint8_t{3});
    fast->warp_row(planes[0], x, y, map.data(), count, b.data());
    fast->warp_row(planes[1], x, y, map.data(), count, b.data() + count);
    CHECK(a == b);
    const auto fixed_ramp = [](float value) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value * kSubpixel * (1 << kSampleBits)));
    };
    const float step = round % 2 == 0 ? 1 : 2;
    const Ramp ramp = {fixed_ramp(at_x), fixed_ramp(static_cast<float>(y) + at_y), fixed_ramp(step + per_x),
                       fixed_ramp(per_y)};
    plain.sample_row(planes[0], ramp, count, a.data());
    fast->sample_row(planes[0], ramp, count, b.data());
    CHECK(std::equal(a.begin(), a.begin() + count, b.begin()));
  }
}

CHECK_CASE("AVX2 fills the portable pixels of a triangle with the portable offsets") {
  const WarpKernels* fast = avx2_kernels();
  if (fast == nullptr) return;
  const WarpKernels& plain = portable_kernels();
  std::mt19937 random(37);
  std::uniform_real_distribution<float> unit(-1, 1);
  const Box box = {4, 6, 61, 43};
  constexpr int kPitch = 72;
  constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN(),
                  kEndless = std::numeric_limits<float>::infinity();
  for (int round = 0; round < 3000; ++round) {
    const float size = round % 3 == 0 ? 8 : round % 3 == 1 ? 60 : 1e5f, push = round % 5 == 0 ? 1e4f : 6;
    const PointF middle = {35 + 40 * unit(random), 28 + 30 * unit(random)};
    PointF at[3], offset[3];
    for (int k = 0; k < 3; ++k) {
      at[k] = {middle.x + size * unit(random), middle.y + size * unit(random)};
      offset[k] = {kept_offset(push * unit(random)), kept_offset(push * unit(random))};
      // Corners on the grid, level edges and what is no number.
      if (round % 7 == 0) at[k] = {std::round(at[k].x) + 0.5f, std::round(at[k].y) + 0.5f};
      if (round % 101 == 0 && k == 1) at[k].x = kNoNumber;
      if (round % 103 == 0 && k == 2) at[k].y = kEndless;
      if (round % 107 == 0 && k == 0) offset[k].y = kNoNumber;
    }
    std::vector<std::int32_t> maps[2];
    std::vector<RowExtent> rows[2];
    for (int side = 0; side < 2; ++side) {
      maps[side].assign(static_cast<std::size_t>(kPitch) * box.height, 77);
      rows[side].assign(static_cast<std::size_t>(box.height), {box.width, 0});
      const OffsetMap map = {box, maps[side].data(), kPitch, rows[side].data()};
      (side == 0 ? plain : *fast).fill_triangle(map, at, offset);
    }
    CHECK(maps[0] == maps[1]);
    CHECK(std::ranges::equal(
        rows[0], rows[1], [](const RowExtent& a, const RowExtent& b) { return a.begin == b.begin && a.end == b.end; }));
  }
}

CHECK_CASE("triangles that share edges cover each pixel once") {
  std::mt19937 random(23);
  std::uniform_real_distribution<float> anywhere(-10, 74);
  for (int round = 0; round < 200; ++round) {
    // A fan around one point inside a square.
    const PointF hub = {8 + std::fabs(anywhere(random)) / 2, 8 + std::fabs(anywhere(random)) / 2};
    std::vector<PointF> rim;
    for (int side = 0; side < 4; ++side) {
      for (int k = 0; k < 3; ++k) {
        const float t = static_cast<float>(k) * 21.3f;
        rim.push_back(side == 0   ? PointF{t, 0}
                      : side == 1 ? PointF{64, t}
                      : side == 2 ? PointF{64 - t, 64}
                                  : PointF{0, 64 - t});
      }
    }
    std::vector<int> hits(64 * 64, 0);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      scan_triangle(hub, rim[k], rim[(k + 1) % rim.size()], {0, 0, 64, 64}, [&](int y, int begin, int end) {
        for (int x = begin; x < end; ++x) ++hits[y * 64 + x];
      });
    }
    bool once = true;
    for (int h : hits) once = once && h == 1;
    CHECK(once);
  }
}

CHECK_CASE("wild triangles never leave the clip") {
  std::mt19937 random(29);
  std::uniform_real_distribution<float> wild(-1e6f, 1e6f);
  for (int i = 0; i < 2000; ++i) {
    const auto p = [&] { return PointF{wild(random), wild(random)}; };
    scan_triangle(p(), p(), p(), {4, 6, 20, 10}, [&](int y, int begin, int end) {
      CHECK(y >= 6 && y < 16 && begin >= 4 && end <= 24 && begin < end);
    });
  }
}

}  // namespace
}  // namespace visavis::face

CHECK_MAIN
