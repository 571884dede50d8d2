// A face to test with: real landmarks in a picture drawn from them, so that no photograph is needed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "visavis/face/builder.h"

namespace visavis::test {

// Neutral and smiling people of photographs, and the two stock portraits.
enum class Expression { kNeutral, kSmiling, kMaya, kTheo };
inline constexpr std::array<Expression, 4> kFaces = {Expression::kNeutral, Expression::kSmiling, Expression::kMaya,
                                                     Expression::kTheo};

struct DrawnFace {
  int width = 0;
  int height = 0;
  std::vector<float> landmarks;  // 478 x (x, y, z) in pixels.
  std::vector<std::uint8_t> rgb;
};

// `share` is the face's width as a part of the picture's shorter side. Skin, lips, eyes and a background are painted
// from the landmarks' own contours, with a texture that makes displaced pixels visible; a smile shows teeth.
DrawnFace draw_face(int width, int height, Expression expression = Expression::kNeutral, float share = 0.42f);

// Points into `face`, which must outlive the options.
BuildOptions options_for(const DrawnFace& face, const std::filesystem::path& out_dir);

// A folder under the system's temporary one, removed with everything in it.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace visavis::test
