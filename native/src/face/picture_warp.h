// Moves what a mesh covers in one picture, for the builders.
#pragma once

#include <span>
#include <vector>

#include "visavis/face/rig.h"
#include "visavis/image.h"
#include "warp_kernels.h"

namespace visavis::face {

class PictureWarp {
 public:
  PictureWarp(int width, int height);

  // `out` is `source` with every point of the mesh taken from where it lies to where it goes; of triangles that overlap
  // the later one wins.
  void render(const I420View& source, std::span<const PointF> from, std::span<const PointF> to,
              std::span<const Triangle> triangles, I420MutView out);

 private:
  int width_, height_, pitch_;
  const WarpKernels& kernels_;
  std::vector<std::int32_t> map_, chroma_map_;
  std::vector<RowExtent> rows_;
};

}  // namespace visavis::face
