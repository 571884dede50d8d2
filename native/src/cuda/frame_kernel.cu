#include <cuda_runtime_api.h>

#include "cuda/frame_copy.h"
#include "cuda/frame_kernel.h"
#include "cuda/frame_tile.h"

namespace visavis::cuda {
namespace {

// The first blocks draw the tiles, the others copy.
template <typename Job, int kEnds>
__device__ void draw(const Job& job) {
  __shared__ TileScratch<kEnds> scratch;
  const int tiles = job.tiles.count(), block = static_cast<int>(blockIdx.x);
  if (block < tiles) {
    draw_tile(job, block, scratch);
    return;
  }
  const int i = (block - tiles) * kTileThreads + static_cast<int>(threadIdx.x);
  if (i < Chunks(job.width, job.height).count()) copy_chunk(job, i);
}

__global__ void __launch_bounds__(kTileThreads) draw_frame_kernel(const __grid_constant__ FrameJob job) {
  draw<FrameJob, 1>(job);
}

__global__ void __launch_bounds__(kTileThreads) morph_frames_kernel(const __grid_constant__ MorphJob job) {
  draw<MorphJob, 2>(job);
}

template <typename Job>
int blocks_of(const Job& job, bool copies) {
  const int chunks = copies ? Chunks(job.width, job.height).count() : 0;
  return job.tiles.count() + (chunks + kTileThreads - 1) / kTileThreads;
}

}  // namespace

int launch_draw_frame(const void* given, StreamHandle stream) {
  const auto& job = *static_cast<const FrameJob*>(given);
  const int blocks = blocks_of(job, job.copies);
  if (blocks == 0) return cudaSuccess;
  draw_frame_kernel<<<blocks, kTileThreads, 0, reinterpret_cast<cudaStream_t>(stream)>>>(job);
  return cudaGetLastError();
}

int launch_morph_frames(const void* given, StreamHandle stream) {
  const auto& job = *static_cast<const MorphJob*>(given);
  morph_frames_kernel<<<blocks_of(job, true), kTileThreads, 0, reinterpret_cast<cudaStream_t>(stream)>>>(job);
  return cudaGetLastError();
}

}  // namespace visavis::cuda
