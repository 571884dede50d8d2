// Where every point of the rig lies in each frame of a film.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "landmarks.h"
#include "visavis/face/rig.h"

namespace visavis::face {

// Takes the trembling out of tracked points, and nothing of their movement's pace: parabolas are fitted to each point's
// way, so a steady or swinging movement is neither late nor flattened. `points` holds rows of `row` points.
std::vector<PointF> steadied(std::span<const PointF> points, std::size_t row);

// Rows of face.points.size() points from rows of kLandmarkCount that were steadied. What the picture taught about the
// still's face (lids, lips, corners) is carried along by the skull, as are the rings around it. Throws BuildError.
std::vector<PointF> rig_tracks(const Face& face, std::span<const PointF> landmarks, int still);

// How far apart the inner lips of a frame are beyond what they are at rest, in pixels of the still, for each column.
std::vector<float> lip_excess(const Rig& rig, std::span<const PointF> track, const Affine& head);

// Moves the lips and the chin of an open mouth together until its lips are as far apart as at rest, by `share`.
class MouthCloser {
 public:
  explicit MouthCloser(const Rig& rig);
  ~MouthCloser();
  // Where the points of `track` go.
  std::vector<PointF> closed(std::span<const PointF> track, const Affine& head, float share) const;

 private:
  struct Parts;
  const Rig& rig_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace visavis::face
