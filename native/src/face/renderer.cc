#include "visavis/face/renderer.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "fill_triangle.h"
#include "frame_plan.h"
#include "gpu_renderer.h"
#include "mouth_pixel.h"
#include "picture_copy.h"
#include "warp_kernels.h"

namespace visavis {

namespace {

using face::copy_band;
using face::FramePlan;
using face::Plane;
using face::WarpKernels;

constexpr int kBandRows = 16;  // Even.

class MeshRenderer final : public FaceRenderer {
 public:
  MeshRenderer(std::shared_ptr<const Avatar> avatar, WarpDevice device, const WarpKernels& kernels)
      : avatar_(std::move(avatar)), rig_(avatar_->rig()), device_(device), kernels_(kernels), plan_(rig_) {
    int widest = 2, tallest = 2;
    for (const Box& box : rig_.boxes) {
      widest = std::max(widest, box.width);
      tallest = std::max(tallest, box.height);
    }
    // Eight spare columns let rows be handled in whole vectors.
    pitch_ = widest + 8;
    map_.resize(static_cast<std::size_t>(pitch_) * tallest);
    rows_.resize(static_cast<std::size_t>(tallest));
    chroma_map_.resize(static_cast<std::size_t>(pitch_));
    for (auto& line : lines_) line.resize(static_cast<std::size_t>(pitch_) + 32);
    for (auto& line : alpha_) line.resize(static_cast<std::size_t>(pitch_) + 32);
    for (auto& plane : uncolored_) {
      for (auto& line : plane) line.resize(static_cast<std::size_t>(pitch_));
    }
  }

  void render(int index, const MouthPose& pose, I420MutView out) override {
    if (index < 0 || index >= rig_.frame_count) throw std::out_of_range("no such loop frame");
    if (out.width != rig_.width || out.height != rig_.height) {
      throw std::invalid_argument("the picture to draw into has another size than the avatar");
    }
    const I420View frame = avatar_->frame(index);
    const MouthPose clean = face::sanitized(pose);
    const Box& box = rig_.face_box(index);
    if (clean.at_rest() || box.width < 2 || box.height < 2) {
      copy_band(frame, out, 0, frame.height);
      return;
    }
    plan_.make(index, clean);
    build_map(box);
    copy_band(frame, out, 0, box.y);
    // A band is warped while the copy has left it in the cache.
    const int bottom = box.y + box.height;
    for (int y = box.y; y < bottom; y += kBandRows) {
      const int end = std::min(y + kBandRows, bottom);
      copy_band(frame, out, y, end);
      warp(frame, box, y - box.y, end - box.y, out);
    }
    copy_band(frame, out, bottom, frame.height);
    draw_mouth(out);
  }

  WarpDevice device() const override { return device_; }

 private:
  void build_map(const Box& box) {
    for (int y = 0; y < box.height; ++y) rows_[y] = {box.width, 0};
    const face::OffsetMap map = {box, map_.data(), pitch_, rows_.data()};
    const auto points = plan_.points(), offsets = plan_.offsets();
    for (const Triangle& t : plan_.triangles()) {
      const PointF at[3] = {points[t.a], points[t.b], points[t.c]};
      const PointF offset[3] = {offsets[t.a], offsets[t.b], offsets[t.c]};
      kernels_.fill_triangle(map, at, offset);
    }
  }

  // Rows `begin_row` up to `end_row` of the box; leaves their part of the map at zero for the next frame.
  void warp(const I420View& frame, const Box& box, int begin_row, int end_row, const I420MutView& out) {
    const Plane luma = {frame.y, frame.stride_y, frame.width, frame.height};
    const Plane u = {frame.u, frame.stride_uv, frame.width / 2, frame.height / 2};
    const Plane v = {frame.v, frame.stride_uv, frame.width / 2, frame.height / 2};
    for (int row = begin_row; row < end_row; row += 2) {
      const int begin = std::min(rows_[row].begin, rows_[row + 1].begin) & ~1;
      const int end = (std::max(rows_[row].end, rows_[row + 1].end) + 1) & ~1;
      if (begin >= end) continue;
      std::int32_t* const top = map_.data() + static_cast<std::size_t>(row) * pitch_ + begin;
      std::int32_t* const bottom = top + pitch_;
      const int x = box.x + begin, y = box.y + row;
      std::uint8_t* at = out.y + static_cast<std::ptrdiff_t>(y) * out.stride_y + x;
      kernels_.warp_row(luma, x, y, top, end - begin, at);
      kernels_.warp_row(luma, x, y + 1, bottom, end - begin, at + out.stride_y);
      kernels_.halve_offsets(top, bottom, (end - begin) / 2, chroma_map_.data());
      const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(y / 2) * out.stride_uv + x / 2;
      kernels_.warp_pair(u, v, x / 2, y / 2, chroma_map_.data(), (end - begin) / 2, out.u + chroma, out.v + chroma);
      std::fill(top, top + (end - begin), 0);
      std::fill(bottom, bottom + (end - begin), 0);
    }
  }

  // The layers' opacities along a row, into alpha_: pixel i lies at (x + i * step, y) of the frame.
  void sample_opacities(float x, float y, float step, int count) {
    const MouthInterior& mouth = rig_.mouth;
    for (std::size_t k = 1; k < layers_.size(); ++k) {
      const Plane opacity = {layers_[k]->alpha.data(), mouth.width, mouth.width, mouth.height};
      std::uint8_t* const alpha = alpha_[k - 1].data();
      kernels_.sample_row(opacity, face::layer_ramp(plan_.maps()[k], x, y, step, 1.0f), count, alpha);
      std::uint8_t any = 0;
      for (int i = 0; i < count; ++i) any |= alpha[i];
      shows_[k - 1] = any != 0;
    }
  }

  // Composes one plane of the layers along the same row into lines_[0], after sample_opacities(). `scale` is the
  // plane's.
  template <typename PlaneOf>
  void compose(float x, float y, float step, int count, float scale, PlaneOf plane_of) {
    const int width = scale == 1.0f ? rig_.mouth.width : rig_.mouth.width / 2;
    const int height = scale == 1.0f ? rig_.mouth.height : rig_.mouth.height / 2;
    std::uint8_t* under = lines_[0].data();
    std::uint8_t* over = lines_[1].data();
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      // A layer that shows nowhere in this row needs no colour.
      if (k > 0 && !shows_[k - 1]) continue;
      const Plane color = {plane_of(*layers_[k]), width, width, height};
      kernels_.sample_row(color, face::layer_ramp(plan_.maps()[k], x, y, step, scale), count, k == 0 ? under : over);
      if (k > 0) kernels_.blend_row(over, alpha_[k - 1].data(), count, under);
    }
  }

  void draw_mouth(const I420MutView& out) {
    draw_seam(out);
    color_seam(out);
    const Box& area = plan_.inside();
    if (area.width == 0) return;
    const int fade = plan_.fade();
    std::uint8_t* cover[2] = {lines_[2].data(), lines_[3].data()};
    std::uint8_t* light = lines_[4].data();
    for (int y = area.y; y < area.y + area.height; y += 2) {
      for (int half = 0; half < 2; ++half) {
        plan_.opening().row(y + half, rig_.mouth.lip_shadow, plan_.shadow_px(), cover[half], light);
        const float x_center = static_cast<float>(area.x) + 0.5f, y_center = static_cast<float>(y + half) + 0.5f;
        sample_opacities(x_center, y_center, 1.0f, area.width);
        compose(x_center, y_center, 1.0f, area.width, 1.0f, [](const MouthLayer& layer) { return layer.y.data(); });
        std::uint8_t* line = lines_[0].data();
        for (int i = 0; i < area.width; ++i) {
          line[i] = face::blend_pixel(16, line[i], light[i]);
          cover[half][i] = static_cast<std::uint8_t>(cover[half][i] * fade >> 8);
        }
        kernels_.blend_row(line, cover[half], area.width,
                           out.y + static_cast<std::ptrdiff_t>(y + half) * out.stride_y + area.x);
      }
      for (int i = 0; i < area.width / 2; ++i) {
        light[i] = static_cast<std::uint8_t>(
            (cover[0][2 * i] + cover[0][2 * i + 1] + cover[1][2 * i] + cover[1][2 * i + 1] + 2) >> 2);
      }
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y / 2) * out.stride_uv + area.x / 2;
      const float x_block = static_cast<float>(area.x) + 1.0f, y_block = static_cast<float>(y) + 1.0f;
      sample_opacities(x_block, y_block, 2.0f, area.width / 2);
      const auto chroma = [&](auto plane_of, std::uint8_t* to) {
        compose(x_block, y_block, 2.0f, area.width / 2, 0.5f, plane_of);
        kernels_.blend_row(lines_[0].data(), light, area.width / 2, to);
      };
      chroma([](const MouthLayer& layer) { return layer.u.data(); }, out.u + at);
      chroma([](const MouthLayer& layer) { return layer.v.data(); }, out.v + at);
    }
  }

  void draw_seam(const I420MutView& out) {
    const auto& [area, strength, reach] = plan_.dark_seam();
    std::uint8_t* dark = lines_[2].data();
    std::uint8_t* ink = lines_[0].data();
    std::fill_n(ink, std::max(area.width, 0), std::uint8_t{16});
    for (int y = area.y; y < area.y + area.height; ++y) {
      if (!plan_.opening().seam_row(y, strength, reach, dark)) continue;
      kernels_.blend_row(ink, dark, area.width, out.y + static_cast<std::ptrdiff_t>(y) * out.stride_y + area.x);
    }
  }

  // A block of colour that both lips share is warped to where they were apart, and would show what was between them: it
  // takes the colour of the lips above and below.
  void color_seam(const I420MutView& out) {
    const auto& [area, amount, reach] = plan_.color_seam();
    const int x0 = area.x & ~1, pairs = (area.x + area.width + 1 - x0) / 2;
    std::uint8_t* const share = lines_[4].data();
    for (int y = area.y & ~1; y < area.y + area.height; y += 2) {
      for (int half = 0; half < 2; ++half) {
        std::fill_n(lines_[2 + half].data(), 2 * pairs, std::uint8_t{0});
        if (y + half < area.y || y + half >= area.y + area.height) continue;
        plan_.opening().seam_row(y + half, amount, reach, lines_[2 + half].data() + (area.x - x0));
      }
      for (int i = 0; i < pairs; ++i) {
        // The strongest of the block's four: half a block of tooth is seen as well.
        share[i] = std::max({lines_[2][2 * i], lines_[2][2 * i + 1], lines_[3][2 * i], lines_[3][2 * i + 1]});
      }
      const int row = y / 2, above = std::max(row - 2, 0), below = std::min(row + 2, out.height / 2 - 1);
      for (std::size_t k = 0; k < uncolored_.size(); ++k) {
        std::uint8_t* const plane = k == 0 ? out.u : out.v;
        const auto line = [&](int at) { return plane + static_cast<std::ptrdiff_t>(at) * out.stride_uv + x0 / 2; };
        const auto kept = [&](int at) { return uncolored_[k][static_cast<std::size_t>(at % 3)].data(); };
        std::copy_n(line(row), pairs, kept(row));
        // Rows further up have their new colour by now.
        const std::uint8_t* const over = above >= area.y / 2 ? kept(above) : line(above);
        const std::uint8_t* const under = line(below);
        std::uint8_t* const ink = lines_[0].data();
        for (int i = 0; i < pairs; ++i) ink[i] = static_cast<std::uint8_t>((over[i] + under[i] + 1) / 2);
        kernels_.blend_row(ink, share, pairs, line(row));
      }
    }
  }

  std::shared_ptr<const Avatar> avatar_;
  const Rig& rig_;
  WarpDevice device_;
  const WarpKernels& kernels_;
  FramePlan plan_;
  int pitch_ = 0;
  std::vector<std::int32_t> map_, chroma_map_;
  std::vector<face::RowExtent> rows_;
  const std::array<const MouthLayer*, 4> layers_ = {&rig_.mouth.cavity, &rig_.mouth.tongue, &rig_.mouth.lower_teeth,
                                                    &rig_.mouth.upper_teeth};
  std::array<std::vector<std::uint8_t>, 5> lines_;
  std::array<std::vector<std::uint8_t>, 3> alpha_;
  std::array<std::array<std::vector<std::uint8_t>, 3>, 2> uncolored_;  // Three rows of U and of V.
  std::array<bool, 3> shows_{};  // Whether the layer's opacities along the present row are anything but 0.
};

}  // namespace

const char* name_of(WarpDevice device) {
  switch (device) {
    case WarpDevice::kPortable:
      return "portable";
    case WarpDevice::kAvx2:
      return "avx2";
    case WarpDevice::kCuda:
      return "cuda";
    case WarpDevice::kAuto:
      break;
  }
  return "auto";
}

std::unique_ptr<FaceRenderer> FaceRenderer::create(std::shared_ptr<const Avatar> avatar, WarpDevice device) {
  if (avatar == nullptr) throw std::invalid_argument("a renderer needs an avatar");
  if (device == WarpDevice::kCuda) {
    FoundGpu found = find_gpu();
    if (found.gpu == nullptr) throw std::runtime_error("no GPU to draw on: " + found.why_not);
    return create(std::move(avatar), std::move(found.gpu));
  }
  const WarpKernels* fast = face::avx2_kernels();
  if (device == WarpDevice::kAvx2 && fast == nullptr) throw std::runtime_error("this machine has no AVX2");
  if (device != WarpDevice::kPortable && fast != nullptr) {
    return std::make_unique<MeshRenderer>(std::move(avatar), WarpDevice::kAvx2, *fast);
  }
  return std::make_unique<MeshRenderer>(std::move(avatar), WarpDevice::kPortable, face::portable_kernels());
}

std::unique_ptr<FaceRenderer> FaceRenderer::create(std::shared_ptr<const Avatar> avatar,
                                                   std::shared_ptr<GpuSession> gpu) {
  if (avatar == nullptr) throw std::invalid_argument("a renderer needs an avatar");
  if (gpu == nullptr) return create(std::move(avatar));
  return std::make_unique<face::GpuRenderer>(std::move(avatar), std::move(gpu));
}

}  // namespace visavis
