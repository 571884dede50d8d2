// One tile of a frame, for a block of threads or for a host that plays all of them.
#pragma once

#ifndef __CUDA_ARCH__
#include <bit>
#endif

#include "cuda/frame_kernel.h"

namespace visavis::cuda {

// Rows above and below a tile whose offsets are found too: the seam takes colour from two blocks away.
inline constexpr int kHalo = 4;
inline constexpr int kMapRows = kTileHeight + 2 * kHalo;
inline constexpr int kWindow = 1024;  // Triangles that are looked through at once.
inline constexpr int kBatch = 32;     // Of those that touch the tile, how many are filled in at once.
inline constexpr int kWords = kWindow / 32;

// A block's shared memory.
template <int kEnds>
struct TileScratch {
  struct Filled {
    face::TriangleRows rows;
    face::LinearPair offsets[kEnds];
  };
  std::uint32_t touched[kWords];  // A bit for each triangle of the window.
  std::uint16_t list[kWindow];    // Those that touch the tile, in order.
  int listed;
  Filled batch[kBatch];
  std::uint32_t spans[kBatch][kMapRows];             // First column, and the one past the last in the upper half.
  std::int32_t map[kEnds][kMapRows * kTileWidth];    // Packed offsets, as face::OffsetMap has them.
};

namespace detail {

// Runs `phase(thread)` for every thread of the block; what the phase wrote is seen by all when it returns.
template <typename Phase>
VISAVIS_PIXEL_FUNCTION void each_thread(Phase phase) {
#ifdef __CUDA_ARCH__
  phase(static_cast<int>(threadIdx.x));
  __syncthreads();
#elif defined(VISAVIS_THREADS_BACKWARDS)
  // A test's: what a phase leaves must not depend on which thread comes first.
  for (int thread = kTileThreads; thread-- > 0;) phase(thread);
#else
  for (int thread = 0; thread < kTileThreads; ++thread) phase(thread);
#endif
}

VISAVIS_PIXEL_FUNCTION void set_bit(std::uint32_t* words, int bit) {
#ifdef __CUDA_ARCH__
  atomicOr(words + bit / 32, 1u << (bit % 32));
#else
  words[bit / 32] |= 1u << (bit % 32);
#endif
}

VISAVIS_PIXEL_FUNCTION int bits_in(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  return std::popcount(word);
#endif
}

VISAVIS_PIXEL_FUNCTION int lowest_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(word)) - 1;
#else
  return std::countr_zero(word);
#endif
}

// Where the map of a tile lies in the frame.
struct MapPlace {
  int x, y;  // Of its first pixel.
};

// Whether the triangle may cover a pixel of the map; a pixel of margin takes up what edges are rounded by.
VISAVIS_PIXEL_FUNCTION bool touches(const MovingMesh& mesh, const Corners& t, const MapPlace& place) {
  const PointF a = mesh.points[t.a], b = mesh.points[t.b], c = mesh.points[t.c];
  const float left = static_cast<float>(place.x - 1), right = static_cast<float>(place.x + kTileWidth + 1);
  const float top = static_cast<float>(place.y - 1), bottom = static_cast<float>(place.y + kMapRows + 1);
  return !((a.x < left && b.x < left && c.x < left) || (a.x > right && b.x > right && c.x > right) ||
           (a.y < top && b.y < top && c.y < top) || (a.y > bottom && b.y > bottom && c.y > bottom));
}

template <int kEnds>
VISAVIS_PIXEL_FUNCTION void prepare(const MovingMesh& mesh, const Corners& t,
                                    typename TileScratch<kEnds>::Filled& out) {
  const PointF a = mesh.points[t.a], b = mesh.points[t.b], c = mesh.points[t.c];
  bool fills = face::TriangleRows::of(a, b, c, mesh.clip, out.rows);
  for (int end = 0; end < kEnds; ++end) {
    const PointF* const offsets = mesh.offsets[end];
    fills = fills && face::LinearPair::through(a, b, c, offsets[t.a], offsets[t.b], offsets[t.c], out.offsets[end]);
  }
  if (!fills) out.rows.begin = out.rows.end = 0;
}

// The offset that fill_triangle_with() gives pixel (x, y) of a span that begins at column `first`.
VISAVIS_PIXEL_FUNCTION std::int32_t offset_in(const face::LinearPair& offsets, int first, int x, int y) {
  const PointF at = offsets.at(static_cast<float>(first) + 0.5f, static_cast<float>(y) + 0.5f);
  const auto steps = static_cast<std::uint32_t>(x - first);
  const auto whole = [](std::uint32_t start, std::uint32_t step, std::uint32_t count)
                         __attribute__((always_inline)) {
    return static_cast<std::int32_t>(start + step * count) >> face::kOffsetBits;
  };
  return face::pack_offset(
      whole(face::fixed<face::kOffsetBits>(face::kept_offset(at.x)), face::fixed<face::kOffsetBits>(offsets.per_x.x),
            steps),
      whole(face::fixed<face::kOffsetBits>(face::kept_offset(at.y)), face::fixed<face::kOffsetBits>(offsets.per_x.y),
            steps));
}

// Offsets of every pixel of the map; 0 where no triangle lies.
template <int kEnds>
VISAVIS_PIXEL_FUNCTION void build_map(const MovingMesh& mesh, const MapPlace& place, TileScratch<kEnds>& s) {
  using face::LinearPair;
  each_thread([&](int thread) {
    for (int end = 0; end < kEnds; ++end) {
      for (int i = thread; i < kMapRows * kTileWidth; i += kTileThreads) s.map[end][i] = 0;
    }
    if (thread < kWords) s.touched[thread] = 0;
  });
  for (int base = 0; base < mesh.count; base += kWindow) {
    const int window = mesh.count - base < kWindow ? mesh.count - base : kWindow;
    each_thread([&](int thread) {
      for (int i = thread; i < window; i += kTileThreads) {
        if (touches(mesh, mesh.triangles[base + i], place)) set_bit(s.touched, i);
      }
    });
    each_thread([&](int thread) {
      if (thread >= kWords) return;
      int at = 0;
      for (int word = 0; word < thread; ++word) at += bits_in(s.touched[word]);
      for (std::uint32_t left = s.touched[thread]; left != 0; left &= left - 1) {
        s.list[at++] = static_cast<std::uint16_t>(thread * 32 + lowest_bit(left));
      }
      if (thread == kWords - 1) s.listed = at;
    });
    const int listed = s.listed;
    for (int done = 0; done < listed; done += kBatch) {
      const int count = listed - done < kBatch ? listed - done : kBatch;
      each_thread([&](int thread) {
        // The last to read the bits was the phase before.
        if (thread < kWords) s.touched[thread] = 0;
        if (thread < count) prepare<kEnds>(mesh, mesh.triangles[base + s.list[done + thread]], s.batch[thread]);
      });
      each_thread([&](int thread) {
        for (int i = thread; i < count * kMapRows; i += kTileThreads) {
          const face::TriangleRows& rows = s.batch[i / kMapRows].rows;
          const int y = place.y + i % kMapRows;
          int first = 0, last = 0;
          if (y >= rows.begin && y < rows.end) rows.span(y, mesh.clip, first, last);
          s.spans[i / kMapRows][i % kMapRows] =
              static_cast<std::uint32_t>(first) | (static_cast<std::uint32_t>(last) << 16);
        }
      });
      each_thread([&](int thread) {
        for (int i = thread; i < kMapRows * kTileWidth; i += kTileThreads) {
          const int row = i / kTileWidth, x = place.x + i % kTileWidth;
          for (int k = count - 1; k >= 0; --k) {
            const std::uint32_t span = s.spans[k][row];
            const int first = static_cast<int>(span & 0xFFFFu), last = static_cast<int>(span >> 16);
            if (x < first || x >= last) continue;
            for (int end = 0; end < kEnds; ++end) {
              s.map[end][i] = offset_in(s.batch[k].offsets[end], first, x, place.y + row);
            }
            break;
          }
        }
      });
    }
  }
}

// Planes of a picture of this size.
VISAVIS_PIXEL_FUNCTION face::Plane luma_of(const SourcePicture& p, int width, int height) {
  return {p.y, p.stride_y, width, height};
}
VISAVIS_PIXEL_FUNCTION face::Plane chroma_of(const SourcePicture& p, int k, int width, int height) {
  return {k == 0 ? p.u : p.v, p.stride_uv, width / 2, height / 2};
}

// The offset of the block of colour whose upper left pixel is `i` of the map.
VISAVIS_PIXEL_FUNCTION std::int32_t block_offset(const std::int32_t* map, int i) {
  return face::chroma_offset(map[i], map[i + 1], map[i + kTileWidth], map[i + kTileWidth + 1]);
}

VISAVIS_PIXEL_FUNCTION std::uint8_t warped(const face::Plane& plane, int x, int y, std::int32_t offset) {
  return face::sample_pixel(plane, x * face::kSubpixel + face::offset_x(offset),
                            y * face::kSubpixel + face::offset_y(offset));
}

VISAVIS_PIXEL_FUNCTION bool holds(const Box& box, int x, int y) {
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

VISAVIS_PIXEL_FUNCTION std::uint8_t seam_at(const MouthJob& mouth, const Box& box, const face::Seam& seam, int x,
                                            int y) {
  if (!holds(box, x, y)) return 0;
  return face::seam_pixel(mouth.columns[x - seam.first], static_cast<float>(y) + 0.5f, x, seam);
}

// Plane `kind` of a layer: 0 luma, 1 and 2 colour, 3 its opacity.
VISAVIS_PIXEL_FUNCTION face::Plane layer_plane(const MouthJob& mouth, int layer, int kind) {
  const int luma = mouth.layer_width * mouth.layer_height, chroma = luma / 4;
  const int at = kind == 0 ? 0 : kind == 1 ? luma : kind == 2 ? luma + chroma : luma + 2 * chroma;
  const int halved = kind == 1 || kind == 2 ? 2 : 1;
  return {mouth.layers + static_cast<std::int64_t>(layer) * (2 * luma + 2 * chroma) + at, mouth.layer_width / halved,
          mouth.layer_width / halved, mouth.layer_height / halved};
}

// One pixel of the layers, `kind` as above: the i-th from (x, y) on in steps of `step`.
VISAVIS_PIXEL_FUNCTION std::uint8_t inside_pixel(const MouthJob& mouth, int kind, float x, float y, float step,
                                                 std::uint32_t i) {
  const float scale = kind == 0 ? 1.0f : 0.5f;
  std::uint8_t under = face::sample_ramp(layer_plane(mouth, 0, kind),
                                         face::layer_ramp(mouth.maps[0], x, y, step, scale), i);
  for (int layer = 1; layer < 4; ++layer) {
    const std::uint8_t alpha = face::sample_ramp(layer_plane(mouth, layer, 3),
                                                 face::layer_ramp(mouth.maps[layer], x, y, step, 1.0f), i);
    if (alpha == 0) continue;
    const std::uint8_t over = face::sample_ramp(layer_plane(mouth, layer, kind),
                                                face::layer_ramp(mouth.maps[layer], x, y, step, scale), i);
    under = face::blend_pixel(under, over, alpha);
  }
  return under;
}

// How much of pixel (x, y) the painted mouth takes, and `value` with it.
VISAVIS_PIXEL_FUNCTION std::uint8_t paint_luma(const MouthJob& mouth, int x, int y, std::uint8_t& value) {
  const Box& box = mouth.inside;
  if (!holds(box, x, y) || x < mouth.dark.first || x > mouth.dark.last) return 0;
  const float center = static_cast<float>(y) + 0.5f;
  const face::OpeningPixel opening =
      face::opening_pixel(mouth.columns[x - mouth.dark.first], center, mouth.lip_shadow, mouth.shadow_per_px);
  const auto cover = static_cast<std::uint8_t>(opening.coverage * mouth.fade >> 8);
  if (cover == 0) return 0;
  const std::uint8_t inside = inside_pixel(mouth, 0, static_cast<float>(box.x) + 0.5f, center, 1.0f,
                                           static_cast<std::uint32_t>(x - box.x));
  value = face::blend_pixel(value, face::blend_pixel(16, inside, opening.light), cover);
  return cover;
}

// Two by two pixels of luma from (x, y) on, and theirs of colour.
VISAVIS_PIXEL_FUNCTION void draw_block(const FrameJob& job, const MapPlace& place, const std::int32_t* map, int x,
                                       int y) {
  const MouthJob& mouth = job.mouth;
  const face::Plane luma = luma_of(job.from, job.width, job.height);
  const int i = (y - place.y) * kTileWidth + x - place.x;
  int covers = 0, seam = 0;
  for (int half = 0; half < 2; ++half) {
    std::uint8_t pair[2];
    for (int k = 0; k < 2; ++k) {
      std::uint8_t value = warped(luma, x + k, y + half, map[i + half * kTileWidth + k]);
      const std::uint8_t dark = seam_at(mouth, mouth.dark_box, mouth.dark, x + k, y + half);
      value = face::blend_pixel(value, 16, dark);
      covers += paint_luma(mouth, x + k, y + half, value);
      const int strength = seam_at(mouth, mouth.color_box, mouth.color, x + k, y + half);
      seam = strength > seam ? strength : seam;
      pair[k] = value;
    }
    const auto line = static_cast<std::int64_t>(y + half - job.to_y);
    std::uint8_t* const out = job.to.y + line * job.to.stride_y + x - job.to_x;
    *reinterpret_cast<std::uint16_t*>(out) = static_cast<std::uint16_t>(pair[0] | pair[1] << 8);
  }
  const int column = x / 2, row = y / 2;
  const int above = row < 2 ? 0 : row - 2, most = job.height / 2 - 1, below = row + 2 > most ? most : row + 2;
  const auto cover = static_cast<std::uint8_t>((covers + 2) >> 2);
  for (int k = 0; k < 2; ++k) {
    const face::Plane plane = chroma_of(job.from, k, job.width, job.height);
    const auto at = [&](int there) __attribute__((always_inline)) {
      return warped(plane, column, there, block_offset(map, i + (there - row) * 2 * kTileWidth));
    };
    std::uint8_t value = at(row);
    if (seam != 0) {
      const auto ink = static_cast<std::uint8_t>((at(above) + at(below) + 1) / 2);
      value = face::blend_pixel(value, ink, static_cast<std::uint8_t>(seam));
    }
    if (cover != 0) {
      const std::uint8_t inside =
          inside_pixel(mouth, 1 + k, static_cast<float>(mouth.inside.x) + 1.0f, static_cast<float>(y) + 1.0f, 2.0f,
                       static_cast<std::uint32_t>(x - mouth.inside.x) / 2);
      value = face::blend_pixel(value, inside, cover);
    }
    (k == 0 ? job.to.u : job.to.v)[static_cast<std::int64_t>(row - job.to_y / 2) * job.to.stride_uv + column -
                                   job.to_x / 2] = value;
  }
}

VISAVIS_PIXEL_FUNCTION void morph_block(const MorphJob& job, const MapPlace& place,
                                        const std::int32_t (*maps)[kMapRows * kTileWidth], int x, int y) {
  const int i = (y - place.y) * kTileWidth + x - place.x;
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < 2; ++k) {
      const int at = i + half * kTileWidth + k;
      const std::uint8_t first = warped(luma_of(job.from[0], job.width, job.height), x + k, y + half, maps[0][at]);
      const std::uint8_t second = warped(luma_of(job.from[1], job.width, job.height), x + k, y + half, maps[1][at]);
      job.to.y[static_cast<std::int64_t>(y + half) * job.to.stride_y + x + k] =
          face::mix_pixel(first, second, job.weight);
    }
  }
  const std::int32_t offsets[2] = {block_offset(maps[0], i), block_offset(maps[1], i)};
  for (int k = 0; k < 2; ++k) {
    const std::uint8_t first = warped(chroma_of(job.from[0], k, job.width, job.height), x / 2, y / 2, offsets[0]);
    const std::uint8_t second = warped(chroma_of(job.from[1], k, job.width, job.height), x / 2, y / 2, offsets[1]);
    (k == 0 ? job.to.u : job.to.v)[static_cast<std::int64_t>(y / 2) * job.to.stride_uv + x / 2] =
        face::mix_pixel(first, second, job.weight);
  }
}

// Calls draw(place, x, y) for every block of two by two pixels in the tile that is inside the picture.
template <typename Draw>
VISAVIS_PIXEL_FUNCTION void each_block(const Tiles& tiles, const MapPlace& place, Draw draw) {
  each_thread([&](int thread) {
    const int x = place.x + thread % (kTileWidth / 2) * 2, y = place.y + kHalo + thread / (kTileWidth / 2) * 2;
    if (x < tiles.right && y < tiles.bottom) draw(x, y);
  });
}

VISAVIS_PIXEL_FUNCTION MapPlace place_of(const Tiles& tiles, int tile) {
  return {tiles.x + tile % tiles.across * kTileWidth, tiles.y + tile / tiles.across * kTileHeight - kHalo};
}

}  // namespace detail

VISAVIS_PIXEL_FUNCTION void draw_tile(const FrameJob& job, int tile, TileScratch<1>& s) {
  const detail::MapPlace place = detail::place_of(job.tiles, tile);
  detail::build_map<1>(job.mesh, place, s);
  detail::each_block(job.tiles, place, [&](int x, int y) { detail::draw_block(job, place, s.map[0], x, y); });
}

VISAVIS_PIXEL_FUNCTION void draw_tile(const MorphJob& job, int tile, TileScratch<2>& s) {
  const detail::MapPlace place = detail::place_of(job.tiles, tile);
  detail::build_map<2>(job.mesh, place, s);
  detail::each_block(job.tiles, place, [&](int x, int y) { detail::morph_block(job, place, s.map, x, y); });
}

}  // namespace visavis::cuda
