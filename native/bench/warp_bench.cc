// Time to draw one frame with a moving mouth, beside OpenCV's bilinear remap of the same frame.
//
//   warp_bench [--check] [ROUNDS [AVATAR...]]
//
// Draws faces of three sizes and two framings, or takes the avatar folders that are named. Each round times every
// contender once, in turn, so that all see the same machine; figures are medians of the rounds, in processor time of
// the one thread that draws, which other programs disturb least. One line of JSON for each size, framing and contender;
// `times_faster` is how many of this project's frames fit into one of the contender's. `at_rest` is a frame whose mouth
// is shut, `copy` a plain copy of the frame. A remap's rows say how many times faster this project means to be at that
// size and whether it was; with --check the exit status says it too. A row "warp_gpu" is the same face on this
// machine's GPU (see warp_gpu.h), or says that there is none.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drawn_face.h"
#include "talking_pose.h"
#include "visavis/face/renderer.h"
#include "warp_gpu.h"
#include "warp_opencv.h"

namespace {

using namespace visavis;

constexpr int kFramesPerRound = 20;

struct Contender {
  std::string name;
  std::function<void(int)> draw_frame;
  std::vector<double> rounds_ms;

  double median() const {
    std::vector<double> sorted = rounds_ms;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    return sorted[sorted.size() / 2];
  }
};

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// How many times faster than a remap of the frame; 0 where nothing is promised.
double floor_of(int width, int height) {
  if (width == 512 && height == 512) return 6;
  return width == 1920 && height == 1080 ? 8 : 0;
}

void copy_frame(const I420View& frame, I420Frame& out) {
  const I420MutView to = out.view();
  const std::size_t luma = static_cast<std::size_t>(frame.width) * frame.height;
  std::memcpy(to.y, frame.y, luma);
  std::memcpy(to.u, frame.u, luma / 4);
  std::memcpy(to.v, frame.v, luma / 4);
}

bool gpu_row(const std::shared_ptr<const Avatar>& avatar, const std::string& face) {
  const int width = avatar->width(), height = avatar->height();
  const bench::GpuWarpFigures figures = bench::measure_warp_on_gpu(avatar);
  std::printf("{\"bench\":\"warp_gpu\",\"size\":\"%dx%d\",\"framing\":\"%s\",\"measured\":%s", width, height,
              face.c_str(), figures.measured ? "true" : "false");
  if (figures.measured) {
    std::printf(",\"card\":\"%s\",\"us_per_frame\":%.2f,\"us_p99\":%.2f,\"copy_gb_per_s\":%.0f,\"share_of_copy\":%.3f,"
                "\"processor_us\":%.1f}\n",
                figures.card.c_str(), figures.us, figures.p99_us, figures.copy_bytes / 1e9, figures.share_of_copy,
                figures.processor_us);
  } else {
    std::printf(",\"why\":\"no NVIDIA device: not measured (%s)\"}\n", figures.why_not.c_str());
  }
  return !slow(figures, width, height);
}

// False where a floor was missed.
bool run(const std::shared_ptr<const Avatar>& avatar, const std::string& face, int rounds) {
  const int width = avatar->width(), height = avatar->height(), frames = avatar->frame_count();
  I420Frame out(width, height);
  std::vector<Contender> contenders;
  std::vector<std::unique_ptr<FaceRenderer>> renderers;
  const auto add_device = [&](const char* name, WarpDevice device, auto pose_at) {
    renderers.push_back(FaceRenderer::create(avatar, device));
    FaceRenderer* renderer = renderers.back().get();
    contenders.push_back(
        {name, [&out, renderer, frames, pose_at](int i) { renderer->render(i % frames, pose_at(i), out.view()); }, {}});
  };
  add_device("visavis", WarpDevice::kAuto, bench::talking_pose);
  add_device("visavis_portable", WarpDevice::kPortable, bench::talking_pose);
  add_device("at_rest", WarpDevice::kAuto, [](int) { return MouthPose{}; });
  contenders.push_back({"copy", [&](int i) { copy_frame(avatar->frame(i % frames), out); }, {}});
  const std::size_t first_peer = contenders.size();
  const auto remap = bench::make_opencv_remap(avatar->frame(0));
  if (remap.bgr) contenders.push_back({"opencv_remap_bgr", remap.bgr, {}});
  if (remap.i420) contenders.push_back({"opencv_remap_i420", remap.i420, {}});

  for (int round = -1; round < rounds; ++round) {
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      // Odd rounds go backwards: nobody always runs after the same neighbour.
      Contender& contender = contenders[round % 2 == 0 ? k : contenders.size() - 1 - k];
      const double began = thread_ms();
      for (int i = 0; i < kFramesPerRound; ++i) contender.draw_frame((round + 1) * kFramesPerRound + i);
      if (round >= 0) contender.rounds_ms.push_back((thread_ms() - began) / kFramesPerRound);
    }
  }
  const double own = contenders.front().median(), floor = floor_of(width, height);
  bool met = true;
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    const double ms = contenders[k].median(), times = ms / own;
    std::printf(
        "{\"bench\":\"warp\",\"size\":\"%dx%d\",\"framing\":\"%s\",\"contender\":\"%s\",\"ms_per_frame\":%.4f,"
        "\"times_faster\":%.2f",
        width, height, face.c_str(), contenders[k].name.c_str(), ms, times);
    if (k >= first_peer && floor > 0) {
      std::printf(",\"floor\":%.0f,\"met\":%s", floor, times >= floor ? "true" : "false");
      met = met && times >= floor;
    }
    std::printf("}\n");
  }
  return gpu_row(avatar, face) && met;
}

struct Framing {
  const char* name;
  float share;  // The face's width as a part of the picture's shorter side.
};

bool run_drawn(int width, int height, const Framing& framing, int rounds) {
  const test::TempDir dir;
  const test::DrawnFace face = test::draw_face(width, height, test::Expression::kNeutral, framing.share);
  build_avatar(test::options_for(face, dir.path()));
  return run(Avatar::load(dir.path()), framing.name, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool check = !words.empty() && words.front() == "--check";
  if (check) words.erase(words.begin());
  const int rounds = words.empty() ? 15 : std::atoi(words.front().c_str());
  if (rounds < 1) {
    std::fprintf(stderr, "usage: warp_bench [--check] [ROUNDS [AVATAR...]]\n");
    return 2;
  }
  bool met = true;
  try {
    for (std::size_t k = 1; k < words.size(); ++k) {
      met = run(Avatar::load(words[k]), std::filesystem::path(words[k]).filename().string(), rounds) && met;
    }
    if (words.size() < 2) {
      for (const auto& [width, height] : {std::pair{512, 512}, std::pair{1280, 720}, std::pair{1920, 1080}}) {
        // The work grows with the face, not with the picture: as the stock portraits are framed, and much closer.
        for (const Framing& framing : {Framing{"head_and_shoulders", 0.3f}, Framing{"close_up", 0.42f}})
          met = run_drawn(width, height, framing, rounds) && met;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warp_bench: %s\n", error.what());
    return 1;
  }
  return check && !met ? 1 : 0;
}
