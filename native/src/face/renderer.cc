#include "visavis/face/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "fill_triangle.h"
#include "mesh.h"
#include "mouth_contact.h"
#include "mouth_opening.h"
#include "rig_limits.h"
#include "warp_kernels.h"

namespace visavis {

namespace {

using face::operator+;
using face::operator-;
using face::operator*;
using face::Plane;
using face::Ramp;
using face::WarpKernels;

constexpr int kBandRows = 16;              // Even.
constexpr float kLeastMovePx = 1.0f / 32;  // What moves less is left alone: nobody sees it.
constexpr float kFadeInWeight = 0.12f;     // From rest to this weight the painted mouth takes over from the picture's.
constexpr float kShadowMm = 2.4f;
constexpr float kRimMm = 0.5f;
constexpr float kSeamMm = 1.1f;
constexpr float kSeamColorPx = 3.0f;  // A block of colour and a half.
constexpr float kLowerTeethFollow = 0.92f;  // Of the jaw's travel at the chin.
constexpr float kTongueFollow = 0.86f;

// Rows `begin` up to `end` of a plane.
void copy_rows(const std::uint8_t* from, int from_stride, std::uint8_t* to, int to_stride, int width, int begin,
               int end) {
  from += static_cast<std::ptrdiff_t>(begin) * from_stride;
  to += static_cast<std::ptrdiff_t>(begin) * to_stride;
  if (from_stride == width && to_stride == width) {
    std::memcpy(to, from, static_cast<std::size_t>(width) * (end - begin));
    return;
  }
  for (int y = begin; y < end; ++y, from += from_stride, to += to_stride) {
    std::memcpy(to, from, static_cast<std::size_t>(width));
  }
}

// Luma rows `begin` up to `end`, both even, and the chroma rows that belong to them.
void copy_band(const I420View& from, const I420MutView& to, int begin, int end) {
  copy_rows(from.y, from.stride_y, to.y, to.stride_y, from.width, begin, end);
  copy_rows(from.u, from.stride_uv, to.u, to.stride_uv, from.width / 2, begin / 2, end / 2);
  copy_rows(from.v, from.stride_uv, to.v, to.stride_uv, from.width / 2, begin / 2, end / 2);
}

// Weights in 0..1 with a sum of at most 1, whatever came in.
MouthPose sanitized(const MouthPose& pose) {
  MouthPose clean;
  float sum = 0;
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    const float weight = pose.weights[v];
    clean.weights[v] = weight > 0 ? std::min(weight, 1.0f) : 0.0f;
    sum += clean.weights[v];
  }
  if (sum > 1) {
    for (float& weight : clean.weights) weight /= sum;
  }
  clean.loudness = pose.loudness > 0 ? std::min(pose.loudness, 1.0f) : 0.0f;
  return clean;
}

class MeshRenderer final : public FaceRenderer {
 public:
  MeshRenderer(std::shared_ptr<const Avatar> avatar, WarpDevice device, const WarpKernels& kernels)
      : avatar_(std::move(avatar)), rig_(avatar_->rig()), device_(device), kernels_(kernels), opening_(rig_.width) {
    const std::vector<char> moves = face::moving_points(rig_);
    for (const Triangle& t : rig_.triangles) {
      if (moves[t.a] != 0 || moves[t.b] != 0 || moves[t.c] != 0) moving_.push_back(t);
    }
    const auto& upper = rig_.contours.inner_upper_lip;
    const auto& lower = rig_.contours.inner_lower_lip;
    for (std::size_t k = 0; k + 1 < upper.size(); ++k) {
      fill_.push_back({upper[k], upper[k + 1], lower[k]});
      fill_.push_back({lower[k], upper[k + 1], lower[k + 1]});
    }
    int widest = 2, tallest = 2;
    for (const Box& box : rig_.boxes) {
      widest = std::max(widest, box.width);
      tallest = std::max(tallest, box.height);
    }
    // Eight spare columns let rows be handled in whole vectors.
    pitch_ = widest + 8;
    map_.resize(static_cast<std::size_t>(pitch_) * tallest);
    rows_.resize(static_cast<std::size_t>(tallest));
    points_.resize(rig_.point_count());
    offsets_.resize(rig_.point_count());
    still_.resize(rig_.point_count());
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
    const MouthPose clean = sanitized(pose);
    const Box& box = rig_.face_box(index);
    if (clean.at_rest() || box.width < 2 || box.height < 2) {
      copy_band(frame, out, 0, frame.height);
      return;
    }
    pose_points(rig_, index, clean, points_);
    build_map(index, box);
    copy_band(frame, out, 0, box.y);
    // A band is warped while the copy has left it in the cache.
    const int bottom = box.y + box.height;
    for (int y = box.y; y < bottom; y += kBandRows) {
      const int end = std::min(y + kBandRows, bottom);
      copy_band(frame, out, y, end);
      warp(frame, box, y - box.y, end - box.y, out);
    }
    copy_band(frame, out, bottom, frame.height);
    draw_mouth(index, clean, box, out);
  }

  WarpDevice device() const override { return device_; }

 private:
  void build_map(int index, const Box& box) {
    for (int y = 0; y < box.height; ++y) rows_[y] = {box.width, 0};
    const auto track = rig_.track(index);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PointF d = track[i] - points_[i];
      offsets_[i] = {face::kept_offset(d.x), face::kept_offset(d.y)};
      still_[i] = std::max(std::fabs(d.x), std::fabs(d.y)) < kLeastMovePx ? 1 : 0;
    }
    // The opening's own pixels first: whatever skin overlaps them wins.
    const face::OffsetMap map = {box, map_.data(), pitch_, rows_.data()};
    for (const Triangle& t : fill_) add_triangle(t, map);
    for (const Triangle& t : moving_) add_triangle(t, map);
  }

  void add_triangle(const Triangle& t, const face::OffsetMap& map) {
    if ((still_[t.a] & still_[t.b] & still_[t.c]) != 0) return;
    const PointF at[3] = {points_[t.a], points_[t.b], points_[t.c]};
    const PointF offset[3] = {offsets_[t.a], offsets_[t.b], offsets_[t.c]};
    kernels_.fill_triangle(map, at, offset);
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

  // Where each layer of the mouth's inside is sampled: position p of the frame is map.apply(p) of the layer.
  struct LayerPlace {
    const MouthLayer* layer;
    Affine map;
  };

  void place_layers(int index, const MouthPose& pose) {
    const Affine& head = rig_.head[static_cast<std::size_t>(index)];
    const float det = head.xx * head.yy - head.xy * head.yx;
    Affine back;
    back.xx = head.yy / det;
    back.xy = -head.xy / det;
    back.yx = -head.yx / det;
    back.yy = head.xx / det;
    const PointF origin = back.turn({head.x0, head.y0}) + rig_.mouth.origin;
    float lift = 0;
    const VisemeWeights weights = face::with_contact(pose.weights);
    for (std::size_t v = 1; v < kVisemeCount; ++v) lift += weights[v] * rig_.tongue_mm[v];
    const float open = jaw_opening_mm(rig_, pose);
    const auto place = [&](const MouthLayer& layer, float sink_mm) {
      const PointF sink = rig_.down * (sink_mm * rig_.px_per_mm);
      Affine map = back;
      map.x0 = -origin.x - sink.x;
      map.y0 = -origin.y - sink.y;
      return LayerPlace{&layer, map};
    };
    layers_[0] = place(rig_.mouth.cavity, 0);
    layers_[1] = place(rig_.mouth.tongue, open * kTongueFollow - lift);
    layers_[2] = place(rig_.mouth.lower_teeth, open * kLowerTeethFollow);
    layers_[3] = place(rig_.mouth.upper_teeth, 0);
  }

  // Ramp over pixels of a row that begins with its first centre at (x, y) of the frame and goes on in steps of `step`;
  // `scale` is 1 for luma-sized planes of a layer and 1/2 for chroma.
  static Ramp layer_ramp(const Affine& map, float x, float y, float step, float scale) {
    const PointF at = map.apply({x, y});
    return {face::fixed<face::kSampleBits>(at.x * scale - 0.5f), face::fixed<face::kSampleBits>(at.y * scale - 0.5f),
            face::fixed<face::kSampleBits>(map.xx * step * scale),
            face::fixed<face::kSampleBits>(map.yx * step * scale)};
  }

  // The layers' opacities along a row, into alpha_: pixel i lies at (x + i * step, y) of the frame.
  void sample_opacities(float x, float y, float step, int count) {
    const MouthInterior& mouth = rig_.mouth;
    for (std::size_t k = 1; k < layers_.size(); ++k) {
      const Plane opacity = {layers_[k].layer->alpha.data(), mouth.width, mouth.width, mouth.height};
      std::uint8_t* const alpha = alpha_[k - 1].data();
      kernels_.sample_row(opacity, layer_ramp(layers_[k].map, x, y, step, 1.0f), count, alpha);
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
      const Plane color = {plane_of(*layers_[k].layer), width, width, height};
      kernels_.sample_row(color, layer_ramp(layers_[k].map, x, y, step, scale), count, k == 0 ? under : over);
      if (k > 0) kernels_.blend_row(over, alpha_[k - 1].data(), count, under);
    }
  }

  void draw_mouth(int index, const MouthPose& pose, const Box& box, const I420MutView& out) {
    // Lips that were apart in the photograph carry a rim of what was between them.
    const float grow = rig_.mouth.seam_shade > 0 ? kRimMm * rig_.px_per_mm : 0.0f;
    opening_.trace(points_, rig_.contours, box, grow);
    float activity = 0;
    for (float weight : pose.weights) activity += weight;
    const int fade = static_cast<int>(std::min(1.0f, activity / kFadeInWeight) * 256.0f + 0.5f);
    if (rig_.mouth.seam_shade > 0) draw_seam(fade, box, out);
    const Box& area = opening_.box();
    if (area.width < 2 || area.height < 2 || rig_.mouth.width < 4 || rig_.mouth.height < 4) return;
    place_layers(index, pose);
    std::uint8_t* cover[2] = {lines_[2].data(), lines_[3].data()};
    std::uint8_t* light = lines_[4].data();
    const float shadow_px = kShadowMm * rig_.px_per_mm;
    for (int y = area.y; y < area.y + area.height; y += 2) {
      for (int half = 0; half < 2; ++half) {
        opening_.row(y + half, rig_.mouth.lip_shadow, shadow_px, cover[half], light);
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

  void draw_seam(int fade, const Box& box, const I420MutView& out) {
    const float reach = std::max(kSeamMm * rig_.px_per_mm, 1.0f);
    const Box area = opening_.seam_box(reach, box);
    const float strength = rig_.mouth.seam_shade * static_cast<float>(fade) / 256.0f;
    std::uint8_t* dark = lines_[2].data();
    std::uint8_t* ink = lines_[0].data();
    std::fill_n(ink, std::max(area.width, 0), std::uint8_t{16});
    for (int y = area.y; y < area.y + area.height; ++y) {
      if (!opening_.seam_row(y, strength, reach, dark)) continue;
      kernels_.blend_row(ink, dark, area.width, out.y + static_cast<std::ptrdiff_t>(y) * out.stride_y + area.x);
    }
    const float color_reach = std::max(reach, kSeamColorPx);
    color_seam(static_cast<float>(fade) / 256.0f, color_reach, opening_.seam_box(color_reach, box), out);
  }

  // A block of colour that both lips share is warped to where they were apart, and would show what was between them: it
  // takes the colour of the lips above and below.
  void color_seam(float amount, float reach, const Box& area, const I420MutView& out) {
    const int x0 = area.x & ~1, pairs = (area.x + area.width + 1 - x0) / 2;
    std::uint8_t* const share = lines_[4].data();
    for (int y = area.y & ~1; y < area.y + area.height; y += 2) {
      for (int half = 0; half < 2; ++half) {
        std::fill_n(lines_[2 + half].data(), 2 * pairs, std::uint8_t{0});
        if (y + half < area.y || y + half >= area.y + area.height) continue;
        opening_.seam_row(y + half, amount, reach, lines_[2 + half].data() + (area.x - x0));
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
  face::MouthOpening opening_;
  std::vector<Triangle> moving_, fill_;
  int pitch_ = 0;
  std::vector<std::int32_t> map_, chroma_map_;
  std::vector<face::RowExtent> rows_;
  std::vector<PointF> points_, offsets_;  // Where each point goes, and back to where it comes from.
  std::vector<char> still_;
  std::array<LayerPlace, 4> layers_{};
  std::array<std::vector<std::uint8_t>, 5> lines_;
  std::array<std::vector<std::uint8_t>, 3> alpha_;
  std::array<std::array<std::vector<std::uint8_t>, 3>, 2> uncolored_;  // Three rows of U and of V.
  std::array<bool, 3> shows_{};  // Whether the layer's opacities along the present row are anything but 0.
};

}  // namespace

std::unique_ptr<FaceRenderer> FaceRenderer::create(std::shared_ptr<const Avatar> avatar, WarpDevice device) {
  if (avatar == nullptr) throw std::invalid_argument("a renderer needs an avatar");
  const WarpKernels* fast = face::avx2_kernels();
  if (device == WarpDevice::kAvx2 && fast == nullptr) throw std::runtime_error("this machine has no AVX2");
  if (device != WarpDevice::kPortable && fast != nullptr) {
    return std::make_unique<MeshRenderer>(std::move(avatar), WarpDevice::kAvx2, *fast);
  }
  return std::make_unique<MeshRenderer>(std::move(avatar), WarpDevice::kPortable, face::portable_kernels());
}

}  // namespace visavis
