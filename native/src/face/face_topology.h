// Which point of the mesh is what. Numbers are MediaPipe's; "left" and "right" are as seen in the picture.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

inline constexpr int kOvalCount = 36;
inline constexpr int kRingCount = 2;
inline constexpr int kRigPointCount = kLandmarkCount + kRingCount * kOvalCount;
inline constexpr int kLipColumns = 11;
inline constexpr int kLipRings = 4;

using LipRow = std::array<std::uint16_t, kLipColumns>;

// The lips as a grid: ring 0 is the mouth's opening, ring 3 the border of the red; columns run from corner to corner.
extern const std::array<LipRow, kLipRings> kUpperLip;
extern const std::array<LipRow, kLipRings> kLowerLip;

// The outline of the face, from the top of the forehead by the picture's right side and the chin.
extern const std::array<std::uint16_t, kOvalCount> kFaceOval;

// How much of the jaw's travel each point of the jaw line follows; pairs of point number and share.
struct JawShare {
  std::uint16_t point;
  float share;
};
extern const std::array<JawShare, 24> kJawShares;

struct EyeRing {
  std::array<std::uint16_t, 9> upper, lower;  // The lids' edges from corner to corner; they share both.
  std::array<std::uint16_t, 7> fold;          // The first row of skin above the upper lid.
  std::array<std::uint16_t, 7> socket;        // The second, up to the brow bone.
  std::array<std::uint16_t, 7> below;         // The first row under the lower lid.
  std::array<std::uint16_t, 10> brow;
};
extern const EyeRing kLeftEye;
extern const EyeRing kRightEye;

// Points that move with the skull alone, whatever the face does.
extern const std::array<std::uint16_t, 20> kSkullPoints;

// The skin of the 468 points (without the opening of the mouth).
std::span<const std::uint16_t> mesh_triangle_indices();

// The skin and the two rings around it: kRigPointCount points. Ring r's point i is kLandmarkCount + r * kOvalCount + i.
std::vector<Triangle> rig_triangles();

FaceContours rig_contours();

}  // namespace visavis::face
