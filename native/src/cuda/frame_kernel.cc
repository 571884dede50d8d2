#include "cuda/frame_kernel.h"

#include <algorithm>
#include <memory>

#include "cuda/frame_copy.h"
#include "cuda/frame_tile.h"

namespace visavis::cuda {
namespace {

template <typename Job, int kEnds>
void run(const Job& job, bool copies) {
  const auto scratch = std::make_unique<TileScratch<kEnds>>();
  for (int tile = 0; tile < job.tiles.count(); ++tile) draw_tile(job, tile, *scratch);
  if (!copies) return;
  const int chunks = Chunks(job.width, job.height).count();
  for (int i = 0; i < chunks; ++i) copy_chunk(job, i);
}

void draw_on_host(const void* given) {
  const auto& job = *static_cast<const FrameJob*>(given);
  run<FrameJob, 1>(job, job.copies);
}

void morph_on_host(const void* given) { run<MorphJob, 2>(*static_cast<const MorphJob*>(given), true); }

}  // namespace

#ifdef VISAVIS_CUDA
int launch_draw_frame(const void* job, StreamHandle stream);
int launch_morph_frames(const void* job, StreamHandle stream);
const Kernel kDrawFrame{"draw_frame", launch_draw_frame, draw_on_host};
const Kernel kMorphFrames{"morph_frames", launch_morph_frames, morph_on_host};
#else
const Kernel kDrawFrame{"draw_frame", nullptr, draw_on_host};
const Kernel kMorphFrames{"morph_frames", nullptr, morph_on_host};
#endif

Tiles tiles_around(const Box& clip, int width, int height) {
  if (clip.width < 2 || clip.height < 2) return {};
  Tiles tiles;
  tiles.x = clip.x / kTileWidth * kTileWidth;
  tiles.y = clip.y;
  tiles.across = (clip.x + clip.width - tiles.x + kTileWidth - 1) / kTileWidth;
  tiles.down = (clip.height + kTileHeight - 1) / kTileHeight;
  tiles.right = std::min(tiles.x + tiles.across * kTileWidth, width);
  tiles.bottom = std::min(tiles.y + tiles.down * kTileHeight, height);
  return tiles;
}

}  // namespace visavis::cuda
