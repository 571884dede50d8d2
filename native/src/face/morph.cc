#include "visavis/face/morph.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "face_topology.h"
#include "fill_triangle.h"
#include "morph_plan.h"
#include "warp_kernels.h"

namespace visavis {

namespace {

using face::OffsetMap;
using face::Plane;
using face::RowExtent;
using face::WarpKernels;

class MeshMorph final : public FaceMorph {
 public:
  MeshMorph(int width, int height, WarpDevice device, const WarpKernels& kernels)
      : width_(width), height_(height), device_(device), kernels_(kernels), pitch_(width + 8), plan_(width, height) {
    for (auto& map : maps_) map.resize(static_cast<std::size_t>(pitch_) * height);
    rows_.resize(static_cast<std::size_t>(height));
    chroma_map_.resize(static_cast<std::size_t>(pitch_));
    for (auto& line : lines_) line.resize(static_cast<std::size_t>(pitch_) + 32);
  }

  void render(const End& from, const End& to, std::span<const Triangle> triangles, float share,
              I420MutView out) override {
    for (const I420View& picture : {from.picture, to.picture, static_cast<I420View>(out)}) {
      if (picture.width != width_ || picture.height != height_) {
        throw std::invalid_argument("a picture to morph has another size");
      }
    }
    plan_.make(from.points, to.points, triangles, share);
    const std::uint32_t weight = plan_.weight();
    mix(from.picture, to.picture, weight, out);
    const Box& box = plan_.box();
    if (box.width == 0) return;
    for (int y = 0; y < box.height; ++y) rows_[static_cast<std::size_t>(y)] = {box.width, 0};
    for (std::size_t end = 0; end < 2; ++end) {
      fill(plan_.offsets(end), {box, maps_[end].data(), pitch_, rows_.data()});
    }
    warp(from.picture, to.picture, box, weight, out);
  }

  WarpDevice device() const override { return device_; }

 private:
  void mix(const I420View& from, const I420View& to, std::uint32_t weight, const I420MutView& out) const {
    const auto plane = [&](const std::uint8_t* a, int stride_a, const std::uint8_t* b, int stride_b,
                           std::uint8_t* mixed, int stride, int width, int height) {
      for (int y = 0; y < height; ++y) {
        kernels_.mix_row(a + static_cast<std::ptrdiff_t>(y) * stride_a, b + static_cast<std::ptrdiff_t>(y) * stride_b,
                         weight, width, mixed + static_cast<std::ptrdiff_t>(y) * stride);
      }
    };
    plane(from.y, from.stride_y, to.y, to.stride_y, out.y, out.stride_y, width_, height_);
    plane(from.u, from.stride_uv, to.u, to.stride_uv, out.u, out.stride_uv, width_ / 2, height_ / 2);
    plane(from.v, from.stride_uv, to.v, to.stride_uv, out.v, out.stride_uv, width_ / 2, height_ / 2);
  }

  void fill(std::span<const PointF> offsets, const OffsetMap& map) const {
    const std::span<const PointF> points = plan_.points();
    for (const Triangle& t : plan_.triangles()) {
      const PointF at[3] = {points[t.a], points[t.b], points[t.c]};
      const PointF offset[3] = {offsets[t.a], offsets[t.b], offsets[t.c]};
      kernels_.fill_triangle(map, at, offset);
    }
  }

  // Leaves the maps at zero for the next frame.
  void warp(const I420View& from, const I420View& to, const Box& box, std::uint32_t weight, const I420MutView& out) {
    const Plane luma[2] = {{from.y, from.stride_y, width_, height_}, {to.y, to.stride_y, width_, height_}};
    const int half_width = width_ / 2, half_height = height_ / 2;
    const Plane u[2] = {{from.u, from.stride_uv, half_width, half_height},
                        {to.u, to.stride_uv, half_width, half_height}};
    const Plane v[2] = {{from.v, from.stride_uv, half_width, half_height},
                        {to.v, to.stride_uv, half_width, half_height}};
    for (int row = 0; row < box.height; row += 2) {
      const RowExtent& upper = rows_[static_cast<std::size_t>(row)];
      const RowExtent& lower = rows_[static_cast<std::size_t>(row) + 1];
      const int begin = std::min(upper.begin, lower.begin) & ~1;
      const int end = (std::max(upper.end, lower.end) + 1) & ~1;
      if (begin >= end) continue;
      const int x = box.x + begin, y = box.y + row;
      const std::size_t at = static_cast<std::size_t>(row) * pitch_ + begin;
      std::uint8_t* const to_luma = out.y + static_cast<std::ptrdiff_t>(y) * out.stride_y + x;
      for (int half = 0; half < 2; ++half) {
        for (std::size_t side = 0; side < 2; ++side) {
          kernels_.warp_row(luma[side], x, y + half, maps_[side].data() + at + static_cast<std::size_t>(half) * pitch_,
                            end - begin, lines_[side].data());
        }
        mix_lines(weight, end - begin, to_luma + static_cast<std::ptrdiff_t>(half) * out.stride_y);
      }
      const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(y / 2) * out.stride_uv + x / 2;
      const int count = (end - begin) / 2;
      for (std::size_t side = 0; side < 2; ++side) {
        const std::int32_t* const map = maps_[side].data() + at;
        kernels_.halve_offsets(map, map + pitch_, count, chroma_map_.data());
        kernels_.warp_pair(u[side], v[side], x / 2, y / 2, chroma_map_.data(), count, lines_[side].data(),
                           lines_[side + 2].data());
      }
      mix_lines(weight, count, out.u + chroma);
      kernels_.mix_row(lines_[2].data(), lines_[3].data(), weight, count, out.v + chroma);
      for (auto& map : maps_) {
        std::fill_n(map.begin() + static_cast<std::ptrdiff_t>(at), end - begin, 0);
        std::fill_n(map.begin() + static_cast<std::ptrdiff_t>(at) + pitch_, end - begin, 0);
      }
    }
  }

  void mix_lines(std::uint32_t weight, int count, std::uint8_t* to) const {
    kernels_.mix_row(lines_[0].data(), lines_[1].data(), weight, count, to);
  }

  int width_, height_;
  WarpDevice device_;
  const WarpKernels& kernels_;
  int pitch_;
  std::array<std::vector<std::int32_t>, 2> maps_;
  std::vector<std::int32_t> chroma_map_;
  std::vector<RowExtent> rows_;
  std::array<std::vector<std::uint8_t>, 4> lines_;
  face::MorphPlan plan_;
};

bool same_mesh(const Rig& a, const Rig& b) {
  const auto equal = [](const Triangle& s, const Triangle& t) { return s.a == t.a && s.b == t.b && s.c == t.c; };
  return a.point_count() == face::kRigPointCount && b.point_count() == face::kRigPointCount &&
         std::equal(a.triangles.begin(), a.triangles.end(), b.triangles.begin(), b.triangles.end(), equal) &&
         a.contours.inner_upper_lip == b.contours.inner_upper_lip &&
         a.contours.inner_lower_lip == b.contours.inner_lower_lip;
}

}  // namespace

std::vector<Triangle> morph_triangles(const Rig& from, const Rig& to) {
  if (!same_mesh(from, to)) return {};
  // The opening first: whatever skin overlaps it wins.
  std::vector<Triangle> triangles;
  const auto& upper = from.contours.inner_upper_lip;
  const auto& lower = from.contours.inner_lower_lip;
  for (std::size_t k = 0; k + 1 < upper.size(); ++k) {
    triangles.push_back({upper[k], upper[k + 1], lower[k]});
    triangles.push_back({lower[k], upper[k + 1], lower[k + 1]});
  }
  triangles.insert(triangles.end(), from.triangles.begin(), from.triangles.end());
  return triangles;
}

std::unique_ptr<FaceMorph> FaceMorph::create(int width, int height, WarpDevice device) {
  if (width % 2 != 0 || height % 2 != 0) throw std::invalid_argument("an odd picture");
  // Planes of colour are half as large, and a sample takes two by two pixels.
  if (width < 4 || height < 4) throw std::invalid_argument("a picture too small to morph");
  if (device == WarpDevice::kCuda) throw std::runtime_error("on a GPU a morph needs both ends there: see GpuMorph");
  const WarpKernels* fast = face::avx2_kernels();
  if (device == WarpDevice::kAvx2 && fast == nullptr) throw std::runtime_error("this machine has no AVX2");
  if (device != WarpDevice::kPortable && fast != nullptr) {
    return std::make_unique<MeshMorph>(width, height, WarpDevice::kAvx2, *fast);
  }
  return std::make_unique<MeshMorph>(width, height, WarpDevice::kPortable, face::portable_kernels());
}

}  // namespace visavis
