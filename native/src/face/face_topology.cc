#include "face_topology.h"

namespace visavis::face {

const std::array<LipRow, kLipRings> kUpperLip = {{
    {78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308},
    {62, 183, 42, 41, 38, 12, 268, 271, 272, 407, 292},
    {76, 184, 74, 73, 72, 11, 302, 303, 304, 408, 306},
    {61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291},
}};

const std::array<LipRow, kLipRings> kLowerLip = {{
    {78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308},
    {62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292},
    {76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306},
    {61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291},
}};

const std::array<std::uint16_t, kOvalCount> kFaceOval = {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288,
                                                         397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
                                                         172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};

const std::array<JawShare, 24> kJawShares = {{
    {152, 1.00f}, {148, 0.98f}, {377, 0.98f}, {176, 0.94f}, {400, 0.94f}, {149, 0.86f}, {378, 0.86f}, {150, 0.74f},
    {379, 0.74f}, {136, 0.58f}, {365, 0.58f}, {172, 0.40f}, {397, 0.40f}, {58, 0.22f},  {288, 0.22f}, {132, 0.08f},
    {361, 0.08f}, {93, 0.00f},  {323, 0.00f}, {199, 1.00f}, {175, 1.00f}, {200, 1.00f}, {171, 0.98f}, {396, 0.98f},
}};

const EyeRing kLeftEye = {
    {33, 246, 161, 160, 159, 158, 157, 173, 133},
    {33, 7, 163, 144, 145, 153, 154, 155, 133},
    {247, 30, 29, 27, 28, 56, 190},
    {113, 225, 224, 223, 222, 221, 189},
    {25, 110, 24, 23, 22, 26, 112},
    {70, 63, 105, 66, 107, 46, 53, 52, 65, 55},
};

const EyeRing kRightEye = {
    {362, 398, 384, 385, 386, 387, 388, 466, 263}, {362, 382, 381, 380, 374, 373, 390, 249, 263},
    {414, 286, 258, 257, 259, 260, 467},           {413, 441, 442, 443, 444, 445, 342},
    {341, 256, 252, 253, 254, 339, 255},           {336, 296, 334, 293, 300, 285, 295, 282, 283, 276},
};

const std::array<std::uint16_t, 20> kSkullPoints = {6,  197, 195, 5,   4,  1,   2,   98,  327, 168,
                                                    33, 263, 133, 362, 50, 280, 205, 425, 36,  266};

namespace {

constexpr std::uint16_t kMeshTriangles[] = {
#include "face_triangles.inc"
};
static_assert(sizeof(kMeshTriangles) / sizeof(kMeshTriangles[0]) == 880 * 3);

}  // namespace

std::span<const std::uint16_t> mesh_triangle_indices() { return kMeshTriangles; }

std::vector<Triangle> rig_triangles() {
  std::vector<Triangle> all;
  const auto mesh = mesh_triangle_indices();
  for (std::size_t i = 0; i < mesh.size(); i += 3) all.push_back({mesh[i], mesh[i + 1], mesh[i + 2]});
  const auto ring_point = [](int ring, int i) -> std::uint16_t {
    i %= kOvalCount;
    return ring < 0 ? kFaceOval[i] : static_cast<std::uint16_t>(kLandmarkCount + ring * kOvalCount + i);
  };
  for (int ring = 0; ring < kRingCount; ++ring) {
    for (int i = 0; i < kOvalCount; ++i) {
      const std::uint16_t inner = ring_point(ring - 1, i), inner_next = ring_point(ring - 1, i + 1);
      const std::uint16_t outer = ring_point(ring, i), outer_next = ring_point(ring, i + 1);
      all.push_back({inner, inner_next, outer});
      all.push_back({outer, inner_next, outer_next});
    }
  }
  return all;
}

FaceContours rig_contours() {
  FaceContours contours;
  const auto copy = [](const auto& row) { return std::vector<std::uint16_t>(row.begin(), row.end()); };
  contours.inner_upper_lip = copy(kUpperLip[0]);
  contours.inner_lower_lip = copy(kLowerLip[0]);
  contours.outer_upper_lip = copy(kUpperLip[3]);
  contours.outer_lower_lip = copy(kLowerLip[3]);
  contours.left_upper_lid = copy(kLeftEye.upper);
  contours.left_lower_lid = copy(kLeftEye.lower);
  contours.right_upper_lid = copy(kRightEye.upper);
  contours.right_lower_lid = copy(kRightEye.lower);
  return contours;
}

}  // namespace visavis::face
