// How each viseme moves the mesh: a parametric mouth in millimetres, laid over the face that was found.
#pragma once

#include <array>
#include <vector>

#include "landmarks.h"
#include "visavis/viseme.h"

namespace visavis::face {

struct MouthShapes {
  std::array<std::vector<PointF>, kVisemeCount> shapes;  // Pixels at weight 1, without the jaw.
  std::vector<PointF> jaw;                               // Pixels for each millimetre.
  std::array<float, kVisemeCount> jaw_mm{};
  std::array<float, kVisemeCount> tongue_mm{};
};

// The mouth as the photograph shows it.
struct RestMouth {
  float gap_mm = 0;         // Between the inner lips, at the middle.
  float half_width_mm = 0;  // From the middle to a corner of the opening.
  // For each column of the lips' grid: where the lips meet when shut, in millimetres from Face::mouth.
  std::array<PointF, 11> seam;
};

RestMouth measure_mouth(const Face& face);

MouthShapes make_mouth_shapes(const Face& face, const RestMouth& rest);

}  // namespace visavis::face
