// A whole frame of a talking face in one launch: the surroundings are copied, and the box around the face is drawn tile
// by tile, every pixel by the CPU's own functions. face/frame_plan.h finds what is handed in here.
//
// A tile is one block of threads. The CPU writes triangles in order and the last one wins; here each pixel asks the
// triangles that touch its tile from the last one to the first, which gives the same owner without an order of threads.
// All else a pixel needs (the colour of lips two blocks of colour above and below) is found again instead of being read
// from pixels that another thread draws; so no pixel waits for another.
#pragma once

#include <cstdint>

#include "cuda/device.h"
#include "face/mouth_pixel.h"
#include "visavis/face/rig.h"

namespace visavis::cuda {

// A picture that the kernel reads, and one that it writes. Strides are in bytes.
struct SourcePicture {
  const std::uint8_t *y, *u, *v;
  int stride_y, stride_uv;
};
struct TargetPicture {
  std::uint8_t *y, *u, *v;  // Luma begins at an even address and has an even stride.
  int stride_y, stride_uv;
};

struct Corners {
  std::uint16_t a, b, c, unused;
};

inline constexpr int kTileWidth = 64, kTileHeight = 16;
inline constexpr int kTileThreads = kTileWidth * kTileHeight / 4;  // Each draws two by two pixels and their colour.

// What is drawn anew: tiles from (x, y) on, row by row, cut off at the picture's right and lower end. x is a multiple
// of kTileWidth and all tiles lie around the mesh's clip.
struct Tiles {
  int x = 0, y = 0, across = 0, down = 0;
  int right = 0, bottom = 0;  // Where the last column and row of tiles end.

  VISAVIS_HOST_DEVICE int count() const { return across * down; }
};

// Triangles that move; of those that overlap the last one wins. Two sets of offsets where two pictures are morphed.
struct MovingMesh {
  const PointF* points;
  const PointF* offsets[2];
  const Corners* triangles;
  int count;
  Box clip;  // Even.
};

struct MouthJob {
  const face::LipColumn* columns;  // From column dark.first on.
  Box inside;                      // Empty where nothing is painted.
  Box dark_box, color_box;
  face::Seam dark, color;  // Of the same columns.
  float lip_shadow, shadow_per_px;
  int fade;
  // Planes y, u, v, alpha of each layer, one behind the other, tightly packed.
  const std::uint8_t* layers;
  int layer_width, layer_height;
  Affine maps[4];
};

// One frame: the loop's picture with a moving mouth.
struct FrameJob {
  SourcePicture from;
  TargetPicture to;  // Its first pixel is pixel (to_x, to_y) of the frame, both even.
  int to_x, to_y;
  int width, height;  // Of the frame.
  bool copies;        // Whether what no tile covers is copied.
  Tiles tiles;
  MovingMesh mesh;
  MouthJob mouth;
};

// One frame between two: both are warped to where the points are by now, and mixed.
struct MorphJob {
  SourcePicture from[2];
  TargetPicture to;
  int width, height;
  std::uint32_t weight;  // 0..256, of the second.
  Tiles tiles;
  MovingMesh mesh;
};

extern const Kernel kDrawFrame;
extern const Kernel kMorphFrames;

// The tiles around `clip`, which is even and inside the picture.
Tiles tiles_around(const Box& clip, int width, int height);

}  // namespace visavis::cuda
