// What no tile of a frame draws: sixteen bytes of a row for each thread.
#pragma once

#include "cuda/frame_kernel.h"

namespace visavis::cuda {

inline constexpr int kChunk = 16;

// A picture's rows cut into chunks, plane after plane.
struct Chunks {
  int luma_across, luma, chroma_across, chroma;

  VISAVIS_PIXEL_FUNCTION Chunks(int width, int height)
      : luma_across((width + kChunk - 1) / kChunk),
        luma(luma_across * height),
        chroma_across((width / 2 + kChunk - 1) / kChunk),
        chroma(chroma_across * (height / 2)) {}
  VISAVIS_PIXEL_FUNCTION int count() const { return luma + 2 * chroma; }
};

namespace detail {

struct alignas(kChunk) ChunkWords {
  std::uint32_t words[kChunk / 4];
};

VISAVIS_PIXEL_FUNCTION bool in_chunks(const void* at) { return (reinterpret_cast<std::uintptr_t>(at) % kChunk) == 0; }

// Where chunk `i` lies; false where a tile draws it. Tiles begin and end between chunks, or at the row's end.
struct ChunkPlace {
  int plane, x, y, length;
};
VISAVIS_PIXEL_FUNCTION bool place_chunk(const Tiles& tiles, int width, int height, int i, ChunkPlace& out) {
  const Chunks chunks(width, height);
  out.plane = i < chunks.luma ? 0 : i < chunks.luma + chunks.chroma ? 1 : 2;
  const int halved = out.plane == 0 ? 1 : 2;
  const int across = out.plane == 0 ? chunks.luma_across : chunks.chroma_across;
  i -= out.plane == 0 ? 0 : out.plane == 1 ? chunks.luma : chunks.luma + chunks.chroma;
  out.x = i % across * kChunk;
  out.y = i / across;
  const int left = width / halved - out.x;
  out.length = left < kChunk ? left : kChunk;
  const bool drawn = tiles.count() > 0 && out.x >= tiles.x / halved && out.x < tiles.right / halved &&
                     out.y >= tiles.y / halved && out.y < tiles.bottom / halved;
  return !drawn;
}

VISAVIS_PIXEL_FUNCTION const std::uint8_t* chunk_of(const SourcePicture& p, const ChunkPlace& at) {
  const std::uint8_t* const plane = at.plane == 0 ? p.y : at.plane == 1 ? p.u : p.v;
  return plane + static_cast<std::int64_t>(at.y) * (at.plane == 0 ? p.stride_y : p.stride_uv) + at.x;
}
VISAVIS_PIXEL_FUNCTION std::uint8_t* chunk_of(const TargetPicture& p, const ChunkPlace& at) {
  std::uint8_t* const plane = at.plane == 0 ? p.y : at.plane == 1 ? p.u : p.v;
  return plane + static_cast<std::int64_t>(at.y) * (at.plane == 0 ? p.stride_y : p.stride_uv) + at.x;
}

}  // namespace detail

// Only where the target begins at the frame's first pixel.
VISAVIS_PIXEL_FUNCTION void copy_chunk(const FrameJob& job, int i) {
  detail::ChunkPlace at;
  if (!detail::place_chunk(job.tiles, job.width, job.height, i, at)) return;
  const std::uint8_t* const from = detail::chunk_of(job.from, at);
  std::uint8_t* const to = detail::chunk_of(job.to, at);
  if (at.length == kChunk && detail::in_chunks(from) && detail::in_chunks(to)) {
    *reinterpret_cast<detail::ChunkWords*>(to) = *reinterpret_cast<const detail::ChunkWords*>(from);
    return;
  }
  for (int k = 0; k < at.length; ++k) to[k] = from[k];
}

VISAVIS_PIXEL_FUNCTION void copy_chunk(const MorphJob& job, int i) {
  detail::ChunkPlace at;
  if (!detail::place_chunk(job.tiles, job.width, job.height, i, at)) return;
  const std::uint8_t* const first = detail::chunk_of(job.from[0], at);
  const std::uint8_t* const second = detail::chunk_of(job.from[1], at);
  std::uint8_t* const to = detail::chunk_of(job.to, at);
  if (at.length == kChunk && detail::in_chunks(first) && detail::in_chunks(second) && detail::in_chunks(to)) {
    const auto a = *reinterpret_cast<const detail::ChunkWords*>(first);
    const auto b = *reinterpret_cast<const detail::ChunkWords*>(second);
    detail::ChunkWords mixed;
    for (int word = 0; word < kChunk / 4; ++word) {
      std::uint32_t packed = 0;
      for (int shift = 0; shift < 32; shift += 8) {
        const std::uint32_t pixel = face::mix_pixel(static_cast<std::uint8_t>(a.words[word] >> shift),
                                                    static_cast<std::uint8_t>(b.words[word] >> shift), job.weight);
        packed |= pixel << shift;
      }
      mixed.words[word] = packed;
    }
    *reinterpret_cast<detail::ChunkWords*>(to) = mixed;
    return;
  }
  for (int k = 0; k < at.length; ++k) to[k] = face::mix_pixel(first[k], second[k], job.weight);
}

}  // namespace visavis::cuda
