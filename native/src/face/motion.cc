#include "motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "face_topology.h"
#include "mesh.h"

namespace visavis::face {

namespace {

constexpr int kPhases = 256;
constexpr int kTapBits = 11;

struct TapTable {
  std::array<std::array<std::int32_t, 4>, kPhases> taps;
};

// Catmull-Rom weights for each fraction of a pixel; each row sums to 1 << kTapBits.
const TapTable& tap_table() {
  static const TapTable kTable = [] {
    TapTable table;
    for (int i = 0; i < kPhases; ++i) {
      const double t = static_cast<double>(i) / kPhases;
      const double w[4] = {((-0.5 * t + 1.0) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
                           ((-1.5 * t + 2.0) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
      std::int32_t sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += table.taps[i][k] = static_cast<std::int32_t>(std::lround(w[k] * (1 << kTapBits)));
      table.taps[i][t < 0.5 ? 1 : 2] += (1 << kTapBits) - sum;
    }
    return table;
  }();
  return kTable;
}

std::uint8_t sample_cubic(const std::uint8_t* plane, int stride, int width, int height, float u, float v,
                          const TapTable& table) {
  // Far enough from zero that truncation rounds down; std::floor is a call on plain x86-64.
  constexpr int kBias = 1 << 21;
  const int fixed_u = static_cast<int>(u * kPhases + (kBias + 0.5f)) - kBias;
  const int fixed_v = static_cast<int>(v * kPhases + (kBias + 0.5f)) - kBias;
  const int x = fixed_u >> 8, y = fixed_v >> 8;
  const auto& wx = table.taps[fixed_u & (kPhases - 1)];
  const auto& wy = table.taps[fixed_v & (kPhases - 1)];
  std::int32_t rows[4];
  if (x >= 1 && y >= 1 && x + 2 < width && y + 2 < height) {
    const std::uint8_t* p = plane + static_cast<std::ptrdiff_t>(y - 1) * stride + x - 1;
    for (int r = 0; r < 4; ++r, p += stride) rows[r] = p[0] * wx[0] + p[1] * wx[1] + p[2] * wx[2] + p[3] * wx[3];
  } else {
    for (int r = 0; r < 4; ++r) {
      const std::uint8_t* p = plane + static_cast<std::ptrdiff_t>(std::clamp(y - 1 + r, 0, height - 1)) * stride;
      rows[r] = 0;
      for (int k = 0; k < 4; ++k) rows[r] += p[std::clamp(x - 1 + k, 0, width - 1)] * wx[k];
    }
  }
  std::int32_t sum = 1 << 17;
  for (int r = 0; r < 4; ++r) sum += (rows[r] >> 4) * wy[r];
  return static_cast<std::uint8_t>(std::clamp(sum >> 18, 0, 255));
}

float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

MotionRenderer::MotionRenderer(const Face& face, const I420View& still)
    : face_(face), still_(still), eyes_(face, face, still) {
  lay_out_nodes();
}

MotionRenderer::MotionRenderer(const Face& face, const I420View& still, const Expression& expression, const Face& shown)
    : face_(face), still_(still), eyes_(shown, face, still), expression_(&expression) {
  expressions_.emplace(face, expression, shown);
  lay_out_nodes();
}

void MotionRenderer::lay_out_nodes() {
  step_ = std::max(8, (still_.width / 64 + 7) & ~7);
  nodes_x_ = (still_.width + step_ - 1) / step_ + 1;
  nodes_y_ = (still_.height + step_ - 1) / step_ + 1;
  lay_out_fields();
}

void MotionRenderer::lay_out_fields() {
  const std::size_t count = static_cast<std::size_t>(nodes_x_) * nodes_y_;
  for (auto* field : {&head_, &chest_, &brow_, &depth_}) field->assign(count, 0.0f);
  forward_.resize(count);
  backward_.resize(count);
  const float chin = face_.to_mm(face_.points[152]).y, forehead = face_.to_mm(face_.points[10]).y;
  const float left = face_.to_mm(face_.points[234]).x, right = face_.to_mm(face_.points[454]).x;
  const PointF middle = {(left + right) / 2, (chin + forehead) / 2};
  const float half_width = std::max((right - left) / 2, 40.0f), half_height = std::max((chin - forehead) / 2, 50.0f);
  const float face_px = length(face_.points[454] - face_.points[234]);
  const float sigma = 0.07f * face_px, behind = 0.05f * face_px;
  std::array<PointF, 20> brows;
  for (std::size_t k = 0; k < 10; ++k) {
    brows[k] = face_.to_mm(face_.points[kLeftEye.brow[k]]);
    brows[k + 10] = face_.to_mm(face_.points[kRightEye.brow[k]]);
  }
  const float width = static_cast<float>(still_.width), height = static_cast<float>(still_.height);
  for (int j = 0; j < nodes_y_; ++j) {
    for (int i = 0; i < nodes_x_; ++i) {
      const PointF p = {static_cast<float>(i * step_), static_cast<float>(j * step_)};
      const PointF mm = face_.to_mm(p);
      const std::size_t at = static_cast<std::size_t>(j) * nodes_x_ + i;
      const float side = std::min(p.x, width - p.x), top = p.y, bottom = height - p.y;
      // Nothing moves at the picture's borders.
      const float border = smooth_step(0, 0.10f * width, side) * smooth_step(0, 0.06f * height, top) *
                           smooth_step(0, 0.06f * height, bottom);
      // Head and hair: an ellipse that reaches half a face above the forehead; the neck follows half-way.
      const float dy = mm.y - middle.y;
      const float ry = dy < 0 ? 1.75f * half_height : 1.12f * half_height;
      const float rho = std::hypot((mm.x - middle.x) / (1.38f * half_width), dy / ry);
      head_[at] = smooth_step(1.85f, 0.95f, rho) * border;
      const float below = mm.y - chin;
      const float across = std::fabs(mm.x - middle.x) / (3.2f * half_width);
      chest_[at] = smooth_step(-10, 75, below) * smooth_step(1.25f, 0.55f, across) * border;
      float nearest = 1e9f;
      for (const PointF b : brows) nearest = std::min(nearest, std::hypot((mm.x - b.x) / 1.2f, mm.y - b.y));
      brow_[at] = std::exp(-nearest * nearest / 90.0f) * smooth_step(1.3f, 0.9f, rho) * border;
      float weight = 1e-3f, sum = 1e-3f * behind;
      for (int k = 0; k < kMeshPointCount; ++k) {
        const PointF d = face_.points[k] - p;
        const float w = std::exp(-dot(d, d) / (2 * sigma * sigma));
        weight += w;
        sum += w * face_.depth[k];
      }
      depth_[at] = sum / weight;
    }
  }
}

void MotionRenderer::compose(const IdlePose& pose) {
  const float face_px = length(face_.points[454] - face_.points[234]);
  // Turns swing about an axis a little behind the outline of the face, tilts about the neck.
  const float axis_depth = 0.12f * face_px;
  const PointF neck = face_.points[152] + face_.down * (25.0f * face_.px_per_mm);
  const float sin_yaw = std::sin(pose.yaw), sin_pitch = std::sin(pose.pitch);
  const float sin_roll = std::sin(pose.roll), cos_roll = std::cos(pose.roll);
  const PointF shift = face_.to_px({pose.shift_x, pose.shift_y});
  const float mm = face_.px_per_mm;
  for (int j = 0; j < nodes_y_; ++j) {
    for (int i = 0; i < nodes_x_; ++i) {
      const std::size_t at = static_cast<std::size_t>(j) * nodes_x_ + i;
      const PointF p = {static_cast<float>(i * step_), static_cast<float>(j * step_)};
      const float lever = axis_depth - depth_[at];
      PointF d = face_.right * (sin_yaw * lever) + face_.down * (sin_pitch * lever) + shift;
      const PointF arm = p - neck;
      d = d + PointF{arm.x * (cos_roll - 1) - arm.y * sin_roll, arm.x * sin_roll + arm.y * (cos_roll - 1)};
      d = d * head_[at] + face_.down * (-pose.brow * mm * brow_[at]);
      // The chest lifts, and widens from the middle by a sixth of that.
      const float lift = 1.3f * mm * pose.breath * chest_[at];
      const float wide = 0.16f * lift * std::clamp(dot(p - neck, face_.right) / face_px, -1.5f, 1.5f);
      forward_[at] = d + face_.down * -lift + face_.right * wide;
    }
  }
}

PointF MotionRenderer::field_at(PointF p) const {
  const float x = std::clamp(p.x / static_cast<float>(step_), 0.0f, static_cast<float>(nodes_x_ - 1) - 1e-3f);
  const float y = std::clamp(p.y / static_cast<float>(step_), 0.0f, static_cast<float>(nodes_y_ - 1) - 1e-3f);
  const int i = static_cast<int>(x), j = static_cast<int>(y);
  const float fx = x - static_cast<float>(i), fy = y - static_cast<float>(j);
  const PointF* at = forward_.data() + static_cast<std::size_t>(j) * nodes_x_ + i;
  return (at[0] * (1 - fx) + at[1] * fx) * (1 - fy) + (at[nodes_x_] * (1 - fx) + at[nodes_x_ + 1] * fx) * fy;
}

void MotionRenderer::invert() {
  for (int j = 0; j < nodes_y_; ++j) {
    for (int i = 0; i < nodes_x_; ++i) {
      const PointF p = {static_cast<float>(i * step_), static_cast<float>(j * step_)};
      PointF back = field_at(p) * -1.0f;
      for (int round = 0; round < 4; ++round) back = field_at(p + back) * -1.0f;
      backward_[static_cast<std::size_t>(j) * nodes_x_ + i] = back;
    }
  }
}

void MotionRenderer::sample_plane(const std::uint8_t* from, int from_stride, std::uint8_t* to, int to_stride, int width,
                                  int height, float scale) const {
  const TapTable& table = tap_table();
  const int cell = static_cast<int>(static_cast<float>(step_) / scale);  // Pixels of this plane between nodes.
  const float unit = 1.0f / scale, per_cell = 1.0f / static_cast<float>(cell);
  for (int y = 0; y < height; ++y) {
    const int j = y / cell;
    const float fy = (static_cast<float>(y - j * cell) + 0.5f) * per_cell;
    const PointF* top = backward_.data() + static_cast<std::size_t>(j) * nodes_x_;
    const PointF* bottom = top + nodes_x_;
    std::uint8_t* line = to + static_cast<std::ptrdiff_t>(y) * to_stride;
    const std::uint8_t* same = from + static_cast<std::ptrdiff_t>(y) * from_stride;
    const float luma_y = static_cast<float>(y) * scale, reach = static_cast<float>(4 * step_);
    const auto near_row = [&](const Box& box) {
      return luma_y > static_cast<float>(box.y) - reach && luma_y < static_cast<float>(box.y + box.height) + reach;
    };
    bool eye_row = false;
    const bool face_row = expressions_ && near_row(expressions_->box());
    for (int side = 0; eyes_.active() && side < 2; ++side) {
      eye_row = eye_row || near_row(eyes_.box(side));
    }
    for (int i = 0; i * cell < width; ++i) {
      const PointF left = top[i] * (1 - fy) + bottom[i] * fy, right = top[i + 1] * (1 - fy) + bottom[i + 1] * fy;
      const int begin = i * cell, end = std::min(begin + cell, width);
      constexpr float kStill = 1.0f / 512;
      const bool still = std::fabs(left.x) < kStill && std::fabs(left.y) < kStill && std::fabs(right.x) < kStill &&
                         std::fabs(right.y) < kStill;
      if (still && !eye_row && !face_row) {
        std::memcpy(line + begin, same + begin, static_cast<std::size_t>(end - begin));
        continue;
      }
      const PointF slope = (right - left) * per_cell;
      for (int x = begin; x < end; ++x) {
        PointF d = left + slope * (static_cast<float>(x - begin) + 0.5f);
        float shade = 0;
        if (eye_row) {
          const PointF at = {(static_cast<float>(x) + 0.5f) * scale + d.x,
                             (static_cast<float>(y) + 0.5f) * scale + d.y};
          const EyeWarp::Source eye = eyes_.source(at);
          d = d + eye.offset;
          shade = scale == 1.0f ? eye.shade : 0.0f;
        }
        if (face_row) {
          const ExpressionMap::Source worn = expressions_->source(
              {(static_cast<float>(x) + 0.5f) * scale + d.x, (static_cast<float>(y) + 0.5f) * scale + d.y});
          d = d + worn.offset;
          if (scale == 1.0f) shade = 1 - (1 - shade) * (1 - worn.shade);
        }
        line[x] = sample_cubic(from, from_stride, width, height, static_cast<float>(x) + d.x * unit,
                               static_cast<float>(y) + d.y * unit, table);
        if (shade > 0) line[x] = static_cast<std::uint8_t>(16.5f + static_cast<float>(line[x] - 16) * (1 - shade));
      }
    }
  }
}

void MotionRenderer::place(const IdlePose& pose, std::vector<PointF>& points) {
  compose(pose);
  eyes_.set(pose.blink, pose.gaze_x, pose.gaze_y);
  points.resize(face_.points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointF p = face_.points[i] + eyes_.landmark_offset(i);
    if (expression_ != nullptr) p = p + expression_->at(i, pose.brow_swell, pose.mouth_swell);
    points[i] = p + field_at(p);
  }
}

void MotionRenderer::render(const IdlePose& pose, I420MutView out, std::vector<PointF>& points) {
  place(pose, points);
  invert();
  if (expressions_) expressions_->set(pose.brow_swell, pose.mouth_swell);
  sample_plane(still_.y, still_.stride_y, out.y, out.stride_y, still_.width, still_.height, 1.0f);
  sample_plane(still_.u, still_.stride_uv, out.u, out.stride_uv, still_.width / 2, still_.height / 2, 2.0f);
  sample_plane(still_.v, still_.stride_uv, out.v, out.stride_uv, still_.width / 2, still_.height / 2, 2.0f);
}

}  // namespace visavis::face
