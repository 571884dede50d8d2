// From one picture of a face to another.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "visavis/face/renderer.h"
#include "visavis/face/rig.h"
#include "visavis/image.h"

namespace visavis {

// The skin of a face that two rigs share, and the opening of its mouth; empty where their meshes differ.
std::vector<Triangle> morph_triangles(const Rig& from, const Rig& to);

// One a Stage; owns its scratch memory, allocates nothing after construction. Not thread-safe.
class FaceMorph {
 public:
  // One end of the way: a picture and where the points of the mesh lie in it.
  struct End {
    I420View picture;
    std::span<const PointF> points;
  };

  // For pictures of this size. Throws std::runtime_error as FaceRenderer::create() does.
  static std::unique_ptr<FaceMorph> create(int width, int height, WarpDevice device = WarpDevice::kAuto);

  virtual ~FaceMorph() = default;

  // What lies `share` (0..1) of the way between two pictures: each is warped to where the points are by then, and they
  // are mixed. At 0 and at 1 it is that end bit for bit. The outermost points are held, so that the surroundings meet
  // what the mesh covers; without triangles the pictures are only mixed. `out` may not be one of the ends.
  virtual void render(const End& from, const End& to, std::span<const Triangle> triangles, float share,
                      I420MutView out) = 0;

  virtual WarpDevice device() const = 0;
};

// The same where both ends are drawn on a GPU, one after the other on its session's stream. One a Stage. Not
// thread-safe.
class GpuMorph {
 public:
  struct End {
    FaceRenderer* renderer;
    int index;  // Of its loop's frame.
    std::span<const PointF> points;
  };

  // For pictures of this size. Null, and the session is told why, where the GPU has no room for it.
  static std::unique_ptr<GpuMorph> create(int width, int height, std::shared_ptr<GpuSession> gpu);

  virtual ~GpuMorph() = default;

  // False, and `out` is anything, where one of the three is not drawn on the GPU, or no longer.
  virtual bool render(const End& from, const End& to, const MouthPose& pose, std::span<const Triangle> triangles,
                      float share, const GpuPicture& out) = 0;
};

}  // namespace visavis
