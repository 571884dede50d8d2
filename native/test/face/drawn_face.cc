#include "drawn_face.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <system_error>

namespace visavis::test {

namespace {

// Thousandths of the face's width, from the middle of the mesh; found once by the landmark model in a smiling portrait
// and in one with shut lips.
struct Point3 {
  std::int16_t x, y, z;
};
constexpr Point3 kNeutral[] = {
#include "neutral_landmarks.inc"
};
constexpr Point3 kSmiling[] = {
#include "smiling_landmarks.inc"
};
constexpr Point3 kMaya[] = {
#include "maya_landmarks.inc"
};
constexpr Point3 kTheo[] = {
#include "theo_landmarks.inc"
};
static_assert(std::size(kNeutral) == kLandmarkCount && std::size(kSmiling) == kLandmarkCount);
static_assert(std::size(kMaya) == kLandmarkCount && std::size(kTheo) == kLandmarkCount);

std::span<const Point3> points_of(Expression expression) {
  switch (expression) {
    case Expression::kSmiling:
      return kSmiling;
    case Expression::kMaya:
      return kMaya;
    case Expression::kTheo:
      return kTheo;
    case Expression::kNeutral:
      break;
  }
  return kNeutral;
}

using Color = std::array<float, 3>;
using Outline = std::vector<int>;

const Outline kOval = {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
                       152, 148, 176, 149, 150, 136, 172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};
const Outline kLips = {61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146};
const Outline kOpening = {78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95};
const Outline kEyes[2] = {{33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7},
                          {362, 398, 384, 385, 386, 387, 388, 466, 263, 249, 390, 373, 374, 380, 381, 382}};

class Canvas {
 public:
  explicit Canvas(DrawnFace& face) : face_(face) {}

  // Even-odd fill of the outline through landmarks.
  void fill(const Outline& outline, Color color) {
    for (int y = 0; y < face_.height; ++y) {
      std::vector<float> crossings;
      const float center = static_cast<float>(y) + 0.5f;
      for (std::size_t k = 0; k < outline.size(); ++k) {
        const float* a = point(outline[k]);
        const float* b = point(outline[(k + 1) % outline.size()]);
        if ((a[1] <= center) == (b[1] <= center)) continue;
        crossings.push_back(a[0] + (center - a[1]) * (b[0] - a[0]) / (b[1] - a[1]));
      }
      std::sort(crossings.begin(), crossings.end());
      for (std::size_t k = 0; k + 1 < crossings.size(); k += 2) {
        for (int x = std::max(0, static_cast<int>(std::ceil(crossings[k] - 0.5f)));
             x < std::min(face_.width, static_cast<int>(std::ceil(crossings[k + 1] - 0.5f))); ++x) {
          put(x, y, color);
        }
      }
    }
  }

  void put(int x, int y, Color color) {
    const std::size_t at = (static_cast<std::size_t>(y) * face_.width + x) * 3;
    // A fine weave over everything.
    const float weave = 6.0f * std::sin(0.45f * static_cast<float>(x)) * std::sin(0.38f * static_cast<float>(y) + 1);
    for (int c = 0; c < 3; ++c)
      face_.rgb[at + c] = static_cast<std::uint8_t>(std::clamp(color[c] + weave, 0.0f, 255.0f));
  }

  // A line of `thickness` along a row of landmarks.
  void stroke(const Outline& row, float thickness, Color color) {
    for (std::size_t k = 0; k + 1 < row.size(); ++k) {
      const float* a = point(row[k]);
      const float* b = point(row[k + 1]);
      const int steps = static_cast<int>(2 * std::hypot(b[0] - a[0], b[1] - a[1])) + 1;
      for (int s = 0; s <= steps; ++s) {
        const float t = static_cast<float>(s) / static_cast<float>(steps);
        const float x = a[0] + (b[0] - a[0]) * t, y = a[1] + (b[1] - a[1]) * t;
        for (int j = static_cast<int>(y - thickness / 2); j <= static_cast<int>(y + thickness / 2); ++j) {
          const int i = static_cast<int>(x);
          if (i >= 0 && j >= 0 && i < face_.width && j < face_.height) put(i, j, color);
        }
      }
    }
  }

 private:
  const float* point(int id) const { return face_.landmarks.data() + static_cast<std::size_t>(id) * 3; }
  DrawnFace& face_;
};

}  // namespace

DrawnFace draw_face(int width, int height, Expression expression, float share) {
  DrawnFace face;
  face.width = width;
  face.height = height;
  const float scale = share * static_cast<float>(std::min(width, height)) / 1000.0f;
  for (const Point3& p : points_of(expression)) {
    face.landmarks.push_back(static_cast<float>(width) * 0.5f + static_cast<float>(p.x) * scale);
    face.landmarks.push_back(static_cast<float>(height) * 0.48f + static_cast<float>(p.y) * scale);
    face.landmarks.push_back(static_cast<float>(p.z) * scale);
  }
  face.rgb.resize(static_cast<std::size_t>(width) * height * 3);
  Canvas canvas(face);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float shade = 40.0f * static_cast<float>(y) / static_cast<float>(height);
      canvas.put(x, y, {90 + shade, 110 + shade, 130});
    }
  }
  canvas.fill(kOval, {205, 160, 135});
  canvas.fill(kLips, {175, 95, 90});
  if (expression == Expression::kSmiling) {
    canvas.fill(kOpening, {225, 220, 210});
  } else {
    canvas.stroke({78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308}, 2, {95, 40, 40});
  }
  for (const Outline& eye : kEyes) canvas.fill(eye, {235, 232, 230});
  canvas.stroke({33, 246, 161, 160, 159, 158, 157, 173, 133}, 2, {50, 35, 30});
  canvas.stroke({362, 398, 384, 385, 386, 387, 388, 466, 263}, 2, {50, 35, 30});
  return face;
}

BuildOptions options_for(const DrawnFace& face, const std::filesystem::path& out_dir) {
  BuildOptions options;
  options.rgb = face.rgb;
  options.width = face.width;
  options.height = face.height;
  options.landmarks = face.landmarks;
  options.output_width = face.width;
  options.output_height = face.height;
  options.loop_seconds = 2;
  options.out_dir = out_dir;
  return options;
}

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "visavis-face-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace visavis::test
