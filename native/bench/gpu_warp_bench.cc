// The warp on a GPU, at three sizes and two framings. Prints rows of a markdown table: what, the figure, what it should
// be. Without a GPU it says so and ends well; with one the exit status is 1 where a frame takes too long.
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "drawn_face.h"
#include "visavis/gpu.h"
#include "warp_gpu.h"

namespace {

using namespace visavis;

struct Framing {
  const char* name;
  float share;  // The face's width as a part of the picture's shorter side.
};

// False where it took too long or was refused.
bool run(int width, int height, const Framing& framing) {
  const test::TempDir dir;
  const test::DrawnFace face = test::draw_face(width, height, test::Expression::kNeutral, framing.share);
  build_avatar(test::options_for(face, dir.path()));
  const bench::GpuWarpFigures figures = bench::measure_warp_on_gpu(Avatar::load(dir.path()));
  if (!figures.measured) {
    std::fprintf(stderr, "gpu_warp_bench: the GPU refused: %s\n", figures.why_not.c_str());
    return false;
  }
  const std::string wanted =
      width == 1920 ? "at most " + std::to_string(static_cast<int>(bench::kMostGpuMicroseconds)) + " µs" : "";
  std::printf("| warp: a frame of %dx%d, %s | %.1f µs, p99 %.1f µs: %.0f %% of a copy's %.0f GB/s | %s |\n", width,
              height, framing.name, figures.us, figures.p99_us, 100 * figures.share_of_copy, figures.copy_bytes / 1e9,
              wanted.c_str());
  std::printf("| warp: what it costs the thread that asks for it | %.1f µs | |\n", figures.processor_us);
  return !slow(figures, width, height);
}

}  // namespace

int main() {
  try {
    const FoundGpu found = find_gpu();
    if (!found.gpu) {
      std::printf("no NVIDIA device: not measured (%s)\n", found.why_not.c_str());
      return 0;
    }
    bool met = true;
    for (const auto& [width, height] : {std::pair{512, 512}, std::pair{1280, 720}, std::pair{1920, 1080}}) {
      for (const Framing& framing : {Framing{"head and shoulders", 0.3f}, Framing{"close up", 0.42f}}) {
        met = run(width, height, framing) && met;
      }
    }
    return met ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_warp_bench: %s\n", error.what());
    return 1;
  }
}
