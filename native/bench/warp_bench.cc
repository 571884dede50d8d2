// Time to draw one frame with a moving mouth, beside OpenCV's bilinear remap of the same frame.
//
//   warp_bench [ROUNDS]
//
// Each round times every contender once, in turn, so that all see the same machine; figures are medians of the rounds,
// in processor time of the one thread that draws, which other programs disturb least. One line of JSON for each size,
// framing and contender; `times_faster` compares the contender with this project's best device.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "drawn_face.h"
#include "visavis/face/renderer.h"
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

// A mouth that talks: the weights wander from viseme to viseme.
MouthPose talking_pose(int i) {
  MouthPose pose;
  const std::size_t from = 1 + static_cast<std::size_t>(i / 4) % (kVisemeCount - 1);
  const std::size_t to = 1 + static_cast<std::size_t>(i / 4 + 1) % (kVisemeCount - 1);
  const float t = static_cast<float>(i % 4) / 4;
  pose.weights[from] = 1 - t;
  pose.weights[to] = t;
  pose.loudness = 0.7f;
  return pose;
}

struct Framing {
  const char* name;
  float share;  // The face's width as a part of the picture's shorter side.
};

void run(int width, int height, const Framing& framing, int rounds) {
  const test::TempDir dir;
  const test::DrawnFace face = test::draw_face(width, height, test::Expression::kNeutral, framing.share);
  build_avatar(test::options_for(face, dir.path()));
  const auto avatar = Avatar::load(dir.path());
  I420Frame out(width, height);

  std::vector<Contender> contenders;
  std::vector<std::unique_ptr<FaceRenderer>> renderers;
  const auto add_device = [&](const char* name, WarpDevice device) {
    renderers.push_back(FaceRenderer::create(avatar, device));
    FaceRenderer* renderer = renderers.back().get();
    contenders.push_back({name,
                          [&out, renderer, frames = avatar->frame_count()](int i) {
                            renderer->render(i % frames, talking_pose(i), out.view());
                          },
                          {}});
  };
  add_device("visavis", WarpDevice::kAuto);
  add_device("visavis_portable", WarpDevice::kPortable);
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
  const double own = contenders.front().median();
  for (const Contender& contender : contenders) {
    std::printf(
        "{\"bench\":\"warp\",\"size\":\"%dx%d\",\"framing\":\"%s\",\"contender\":\"%s\",\"ms_per_frame\":%.4f,\"times_"
        "faster\":%.2f}\n",
        width, height, framing.name, contender.name.c_str(), contender.median(), contender.median() / own);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: warp_bench [ROUNDS]\n");
    return 2;
  }
  for (const auto& [width, height] : {std::pair{512, 512}, std::pair{1280, 720}, std::pair{1920, 1080}}) {
    // The work grows with the face, not with the picture: as the stock portraits are framed, and much closer.
    for (const Framing& framing : {Framing{"head_and_shoulders", 0.3f}, Framing{"close_up", 0.42f}})
      run(width, height, framing, rounds);
  }
  return 0;
}
