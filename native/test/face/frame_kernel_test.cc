// The kernel that draws a frame against the processor's rows, on meshes no face has.
#include "cuda/frame_kernel.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "cards.h"
#include "check.h"
#include "cuda/frame_tile.h"
#include "fill_triangle.h"
#include "gpu_loop.h"
#include "gpu_sheet.h"
#include "warp_kernels.h"

namespace visavis {
namespace {

using check::cards;
using check::same_picture;
using check::Screen;
using face::GpuLayout;
using face::GpuSheet;
using face::Plane;

struct Scene {
  int width, height;
  Box clip;
  I420Frame source;
  std::vector<PointF> points, offsets;
  std::vector<cuda::Corners> triangles;
};

Scene random_scene(std::mt19937& random, int width, int height, int triangle_count, float spread) {
  std::uniform_real_distribution<float> unit(0, 1);
  Scene scene{width, height, {}, I420Frame(width, height), {}, {}, {}};
  const I420MutView view = scene.source.view();
  for (std::size_t i = 0; i < scene.source.bytes().size(); ++i) view.y[i] = static_cast<std::uint8_t>(random());
  const auto even = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit / 2)) * 2; };
  scene.clip.x = even(width / 3);
  scene.clip.y = even(height / 3);
  scene.clip.width = width - scene.clip.x - even(width / 3);
  scene.clip.height = height - scene.clip.y - even(height / 3);
  const auto corner_count = static_cast<std::size_t>(triangle_count) * 3;
  for (std::size_t i = 0; i < corner_count; ++i) {
    // Corners of one triangle lie near each other, some past the picture, some on pixels' centres and edges.
    PointF p = {unit(random) * 1.2f * static_cast<float>(width) - 0.1f * static_cast<float>(width),
                unit(random) * 1.2f * static_cast<float>(height) - 0.1f * static_cast<float>(height)};
    if (i % 3 != 0) {
      const PointF first = scene.points[i - i % 3];
      p = {first.x + spread * (unit(random) - 0.5f), first.y + spread * (unit(random) - 0.5f)};
    }
    if (random() % 4 == 0) p.x = std::floor(p.x) + 0.5f;
    if (random() % 4 == 0) p.y = std::floor(p.y) + 0.5f;
    if (random() % 50 == 0 && i > 0) p = scene.points[i - 1];
    scene.points.push_back(p);
    const float far = random() % 20 == 0 ? 600.0f : 12.0f;
    scene.offsets.push_back({face::kept_offset(far * (unit(random) - 0.5f)),
                             face::kept_offset(far * (unit(random) - 0.5f))});
  }
  for (std::size_t i = 0; i < corner_count; i += 3) {
    const auto a = static_cast<std::uint16_t>(i);
    scene.triangles.push_back({a, static_cast<std::uint16_t>(a + 1), static_cast<std::uint16_t>(a + 2), 0});
  }
  return scene;
}

// As MeshRenderer does it.
I420Frame drawn_in_rows(const Scene& scene) {
  const face::WarpKernels& kernels = face::portable_kernels();
  const Box& clip = scene.clip;
  I420Frame out = scene.source;
  const I420MutView to = out.view();
  const I420View from = scene.source.view();
  const int pitch = clip.width + 8;
  std::vector<std::int32_t> map(static_cast<std::size_t>(pitch) * clip.height), half(static_cast<std::size_t>(pitch));
  std::vector<face::RowExtent> rows(static_cast<std::size_t>(clip.height), {clip.width, 0});
  for (const cuda::Corners& t : scene.triangles) {
    const PointF at[3] = {scene.points[t.a], scene.points[t.b], scene.points[t.c]};
    const PointF offset[3] = {scene.offsets[t.a], scene.offsets[t.b], scene.offsets[t.c]};
    kernels.fill_triangle({clip, map.data(), pitch, rows.data()}, at, offset);
  }
  const Plane luma = {from.y, from.stride_y, from.width, from.height};
  const Plane u = {from.u, from.stride_uv, from.width / 2, from.height / 2};
  const Plane v = {from.v, from.stride_uv, from.width / 2, from.height / 2};
  for (int row = 0; row < clip.height; row += 2) {
    const std::int32_t* const top = map.data() + static_cast<std::size_t>(row) * pitch;
    const int y = clip.y + row;
    std::uint8_t* const at = to.y + static_cast<std::ptrdiff_t>(y) * to.stride_y + clip.x;
    kernels.warp_row(luma, clip.x, y, top, clip.width, at);
    kernels.warp_row(luma, clip.x, y + 1, top + pitch, clip.width, at + to.stride_y);
    kernels.halve_offsets(top, top + pitch, clip.width / 2, half.data());
    const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(y / 2) * to.stride_uv + clip.x / 2;
    kernels.warp_pair(u, v, clip.x / 2, y / 2, half.data(), clip.width / 2, to.u + chroma, to.v + chroma);
  }
  return out;
}

void compare(const std::shared_ptr<cuda::Runtime>& runtime, const Scene& scene) {
  const cuda::Stream stream(runtime);
  const GpuLayout layout(scene.width, scene.height);
  face::FrameUpload upload(runtime, layout);
  GpuSheet sheet(runtime, scene.points.size() * 16 + scene.triangles.size() * sizeof(cuda::Corners));
  Screen screen(runtime, scene.width, scene.height);
  screen.spoil(stream);
  sheet.begin();
  upload.send(scene.source.view(), upload.passing(), stream);
  cuda::FrameJob job{};
  job.from = layout.source(upload.passing());
  job.width = scene.width;
  job.height = scene.height;
  job.copies = true;
  job.tiles = cuda::tiles_around(scene.clip, scene.width, scene.height);
  job.mesh.points = sheet.put(std::span<const PointF>(scene.points));
  job.mesh.offsets[0] = sheet.put(std::span<const PointF>(scene.offsets));
  job.mesh.triangles = sheet.put(std::span<const cuda::Corners>(scene.triangles));
  job.mesh.count = static_cast<int>(scene.triangles.size());
  job.mesh.clip = scene.clip;
  job.mouth.dark.last = job.mouth.color.last = -1;
  const I420MutView to = screen.picture().planes;
  job.to = {to.y, to.u, to.v, to.stride_y, to.stride_uv};
  sheet.send(stream);
  stream.launch(cuda::kDrawFrame, job);
  const I420Frame expected = drawn_in_rows(scene);
  CHECK(same_picture(expected.view(), screen.look(stream), 0x5C));
  stream.synchronize();
}

CHECK_CASE("of triangles that overlap the last one wins, as in the processor's order") {
  for (const auto& runtime : cards()) {
    std::mt19937 random(41);
    for (int round = 0; round < 24; ++round) {
      const int width = 66 + static_cast<int>(random() % 120) * 2, height = 66 + static_cast<int>(random() % 90) * 2;
      const int most = round % 6 == 0 ? 3000 : 300;  // More than a tile takes at once, and than one window holds.
      const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
      compare(runtime, random_scene(random, width, height, count, round % 3 == 0 ? 200.0f : 25.0f));
    }
  }
}

CHECK_CASE("without triangles a frame is a copy, whatever its size") {
  for (const auto& runtime : cards()) {
    std::mt19937 random(5);
    for (const auto& [width, height] : {std::pair{64, 64}, std::pair{66, 64}, std::pair{98, 70}, std::pair{254, 130}}) {
      Scene scene = random_scene(random, width, height, 1, 10);
      scene.triangles.clear();
      compare(runtime, scene);
      scene.clip = {};
      compare(runtime, scene);
    }
  }
}

CHECK_CASE("tiles lie around the box, cut off at the picture's end") {
  const cuda::Tiles tiles = cuda::tiles_around({70, 18, 100, 36}, 180, 60);
  CHECK(tiles.x == 64 && tiles.y == 18 && tiles.across == 2 && tiles.down == 3);
  CHECK(tiles.right == 180 && tiles.bottom == 60);
  CHECK(cuda::tiles_around({0, 0, 0, 10}, 64, 64).count() == 0);
}

CHECK_CASE("what a launch carries and a block shares fits every card") {
  CHECK(sizeof(cuda::FrameJob) <= 4096 && sizeof(cuda::MorphJob) <= 4096);
  CHECK(sizeof(cuda::TileScratch<1>) <= 48 * 1024 && sizeof(cuda::TileScratch<2>) <= 48 * 1024);
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
