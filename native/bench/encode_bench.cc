// H.264 side by side: milliseconds a frame, kbit/s and luma PSNR, one thread each, in one run.
//
//   encode_bench [AVATAR_DIR [ROUNDS]]
//
// Encodes 10 s of the avatar's loop with a speaking mouth at its own size; without a folder, a drawn head with film
// grain at 512x512 and 1280x720. Every round goes through the encoders in the opposite order; times are medians of the
// rounds' means, in processor time, and ratios are theirs to ours.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <utility>
#include <vector>

#include "../test/media/h264.h"
#include "encode_peers.h"
#include "visavis/face/renderer.h"

namespace {

using visavis::I420Frame;
using visavis::I420MutView;
using visavis::bench::PeerMaker;

constexpr int kFrames = 250;

// A shaded oval that breathes and sways before a soft background, with a mouth that opens and shuts, and grain that
// holds still on the background and travels with the face: what a camera's picture of a sitting person costs, without
// one.
void draw_head(I420MutView out, int index, const std::vector<signed char>& grain) {
  const double t = static_cast<double>(index) / visavis::bench::kFps;
  const double cx = out.width * (0.5 + 0.01 * std::sin(1.3 * t));
  const double cy = out.height * (0.5 + 0.008 * std::sin(1.9 * t));
  const double rx = out.height * 0.26;
  const double ry = out.height * 0.36;
  const double open = 0.02 + 0.05 * std::max(0.0, std::sin(2 * 3.14159265 * 4 * t));
  for (int row = 0; row < out.height; ++row) {
    for (int column = 0; column < out.width; ++column) {
      const double x = (column - cx) / rx;
      const double y = (row - cy) / ry;
      const bool face = x * x + y * y < 1;
      double value = 70 + 30.0 * row / out.height;
      if (face) value = 170 - 60 * (x * x + y * y) + 12 * std::sin(14 * x) * std::sin(11 * y);
      const double mx = x / 0.35;
      const double my = (y - 0.45) / (open * 4);
      if (face && mx * mx + my * my < 1) value = 40;
      const int gx = face ? column - static_cast<int>(cx) + out.width : column;
      const int gy = face ? row - static_cast<int>(cy) + out.height : row;
      value += grain[static_cast<std::size_t>((gy * 509 + gx * 7) % static_cast<int>(grain.size()))];
      out.y[row * out.stride_y + column] = static_cast<std::uint8_t>(std::clamp(value, 16.0, 235.0));
    }
  }
  for (int row = 0; row < out.height / 2; ++row) {
    for (int column = 0; column < out.width / 2; ++column) {
      const double x = (2 * column - cx) / rx;
      const double y = (2 * row - cy) / ry;
      const bool face = x * x + y * y < 1;
      out.u[row * out.stride_uv + column] = face ? 110 : 132;
      out.v[row * out.stride_uv + column] = face ? 150 : 124;
    }
  }
}

std::vector<I420Frame> drawn_clip(int width, int height) {
  std::mt19937 random(7);
  std::vector<signed char> grain(65'521);
  for (signed char& value : grain) value = static_cast<signed char>(static_cast<int>(random() % 5) - 2);
  std::vector<I420Frame> clip;
  for (int i = 0; i < kFrames; ++i) {
    clip.emplace_back(width, height);
    draw_head(clip.back().view(), i, grain);
  }
  return clip;
}

std::vector<I420Frame> avatar_clip(const char* dir) {
  const auto avatar = visavis::Avatar::load(dir);
  const auto renderer = visavis::FaceRenderer::create(avatar);
  std::vector<I420Frame> clip;
  for (int i = 0; i < kFrames; ++i) {
    clip.emplace_back(avatar->width(), avatar->height());
    visavis::MouthPose pose;
    const auto opening = static_cast<float>(std::max(0.0, std::sin(2 * 3.14159265 * 4 * i / visavis::bench::kFps)));
    pose.weights[static_cast<std::size_t>(i / 12 % 2 == 0 ? visavis::Viseme::aa : visavis::Viseme::O)] = opening;
    pose.loudness = 0.5f;
    renderer->render(i % avatar->frame_count(), pose, clip.back().view());
  }
  return clip;
}

struct Result {
  std::vector<double> means_ms;
  double kbps = 0;
  double psnr = 0;
};

// Of all threads of this process: other programs on the machine disturb it least, and no thread of an encoder is
// missed.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void measure(const PeerMaker& maker, const std::vector<I420Frame>& clip, Result& result, bool look) {
  const auto peer = maker.make(clip[0].width(), clip[0].height());
  visavis::h264::Decoder decoder;
  double busy = 0;
  double bytes = 0;
  double psnr = 0;
  for (const I420Frame& frame : clip) {
    const double began = processor_ms();
    const auto unit = peer->encode(frame.view());
    busy += processor_ms() - began;
    bytes += static_cast<double>(unit.size());
    if (look) psnr += visavis::h264::psnr(frame.view(), decoder.decode(unit));
  }
  const double frames = static_cast<double>(clip.size());
  result.means_ms.push_back(busy / frames);
  result.kbps = bytes * 8 * visavis::bench::kFps / frames / 1000;
  if (look) result.psnr = psnr / frames;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const std::vector<I420Frame>& clip, int rounds) {
  const auto peers = visavis::bench::encode_peers();
  std::vector<Result> results(peers.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const std::size_t at = round % 2 == 0 ? i : peers.size() - 1 - i;
      measure(peers[at], clip, results[at], round == 0);
    }
  }
  std::printf("%dx%d, %zu frames, %d rounds\n", clip[0].width(), clip[0].height(), clip.size(), rounds);
  std::printf("  %-28s %9s %7s %9s %8s\n", "", "ms/frame", "ratio", "kbit/s", "PSNR dB");
  const double ours = median(results[0].means_ms);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const double ms = median(results[i].means_ms);
    std::printf("  %-28s %9.2f %7.2f %9.0f %8.1f\n", peers[i].name.c_str(), ms, ms / ours, results[i].kbps,
                results[i].psnr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
    if (argc > 1) {
      compare(avatar_clip(argv[1]), rounds);
    } else {
      compare(drawn_clip(512, 512), rounds);
      compare(drawn_clip(1280, 720), rounds);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "encode_bench: %s\n", error.what());
    return 1;
  }
}
