// From raw landmarks to a face in output pixels: checked, unfolded, with rings around it and a sense of scale.
#pragma once

#include <span>
#include <vector>

#include "visavis/face/rig.h"

namespace visavis::face {

struct Face {
  std::vector<PointF> points;  // kRigPointCount, in output pixels; every triangle has the mesh's orientation.
  std::vector<float> depth;    // Same length, in pixels, negative towards the viewer, 0 at the face's outline.
  std::vector<Triangle> triangles;
  PointF right, down;        // The face's axes in the picture (roll), orthogonal unit vectors.
  PointF mouth;              // Middle between the corners of the lips.
  float px_per_mm = 1;       // Vertical scale.
  float cos_yaw = 1;         // Horizontal foreshortening.
  float yaw = 0, pitch = 0;  // Radians, roughly.

  // Millimetres in the face's own axes, from the middle of the mouth.
  PointF to_mm(PointF p) const;
  // A displacement in millimetres (x along the mouth, y towards the chin) as pixels.
  PointF to_px(PointF mm) const;
};

// All triangles of the mesh turn this way in a picture that is not mirrored (y down).
inline constexpr float kMeshOrientation = -1.0f;

// `landmarks` as in BuildOptions, measured in a picture of source_width x source_height. Throws BuildError.
Face fit_face(std::span<const float> landmarks, int source_width, int source_height, int width, int height);

// Unfolds the mesh after points were moved. Throws BuildError where it cannot be done.
void settle(Face& face);

}  // namespace visavis::face
