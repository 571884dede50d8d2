#include "rig_start.h"

#include <string>
#include <utility>

#include "face_topology.h"
#include "lid_edges.h"
#include "lip_seam.h"
#include "mouth_interior.h"
#include "mouth_shapes.h"
#include "visavis/errors.h"
#include "visavis/face/builder.h"

namespace visavis::face {

Rig start_rig(Face& face, const I420View& still, int fps, int frame_count) {
  widen_lids(face, still);
  if (!snap_shut_lips(face, still)) hug_parted_lips(face, still);
  settle(face);
  turn_corners(face, measure_mouth(face));
  settle(face);
  const RestMouth mouth = measure_mouth(face);
  MouthShapes shapes = make_mouth_shapes(face, mouth);

  Rig rig;
  rig.width = still.width;
  rig.height = still.height;
  rig.fps = fps;
  rig.frame_count = frame_count;
  rig.px_per_mm = face.px_per_mm;
  rig.down = face.down;
  rig.rest = face.points;
  rig.triangles = face.triangles;
  rig.contours = rig_contours();
  rig.shapes = std::move(shapes.shapes);
  rig.jaw = std::move(shapes.jaw);
  rig.jaw_mm = shapes.jaw_mm;
  rig.tongue_mm = shapes.tongue_mm;
  rig.mouth = paint_mouth(face, mouth, still);
  return rig;
}

void finish_rig(Rig& rig, std::size_t frames_a_pose) {
  try {
    rig.finish();
    if (!unfold_poses(rig, frames_a_pose)) {
      throw BuildError("the face cannot be moved without folding: try a photograph taken from the front");
    }
    rig.finish();
  } catch (const FormatError& problem) {
    // Landmarks that no single check refused, but of which no rig can be made that a Stage would take.
    throw BuildError(std::string("the landmarks do not look like a face (") + problem.what() + ")");
  }
}

}  // namespace visavis::face
