// How much a mouth trembles that should not, beside what its H.264 encoder does to it.
//
//   mouth_noise_bench [AVATAR_DIR]
//
// For a drawn face at 256, 512 and 1080 pixels, or an avatar: three mean squares (and PSNR) over the mouth's box, in
// luma. "encoder": the decoded picture against what was encoded, by x264 superfast at its own quality, CRF 23.
// "jitter": a spoken frame against the same frame with each of its weights off by up to 0.02, as posteriors tremble.
// "loop": how much more a mouth that holds still changes from frame to frame than the loop itself does, seen from a
// place that moves with the head. One line of JSON each; exits 1 where jitter or loop is above the encoder
// in a pose that is held.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../test/media/h264.h"
#include "drawn_face.h"
#include "encode_peers.h"
#include "plane_sample.h"
#include "visavis/face/renderer.h"

namespace {

using namespace visavis;

constexpr float kTremble = 0.02f;

struct Luma {
  const std::uint8_t* at;
  int stride;
};

double mean_square(Luma a, Luma b, const Box& box) {
  double sum = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      const double d = int{a.at[y * a.stride + x]} - int{b.at[y * b.stride + x]};
      sum += d * d;
    }
  }
  return sum / (static_cast<double>(box.width) * box.height);
}

// As mean_square() between frame i and the one before, each seen from a place that moves with the head.
double steadied(const Rig& rig, int i, Luma now, Luma before, const Box& box) {
  double sum = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      const PointF at = {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f};
      const auto look = [&](Luma luma, int frame) {
        const PointF p = rig.head[static_cast<std::size_t>(frame)].apply(at);
        return face::sample_plane(luma.at, luma.stride, rig.width, rig.height, p.x, p.y);
      };
      const double d = look(now, i) - look(before, i - 1);
      sum += d * d;
    }
  }
  return sum / (static_cast<double>(box.width) * box.height);
}

Luma luma(const I420View& view) { return {view.y, view.stride_y}; }

// Around the lips of every frame.
Box mouth_box(const Rig& rig) {
  float left = 1e9f, top = 1e9f, right = 0, bottom = 0;
  for (int frame = 0; frame < rig.frame_count; ++frame) {
    for (const auto* lip : {&rig.contours.outer_upper_lip, &rig.contours.outer_lower_lip}) {
      for (std::uint16_t id : *lip) {
        const PointF p = rig.track(frame)[id];
        left = std::min(left, p.x), right = std::max(right, p.x);
        top = std::min(top, p.y), bottom = std::max(bottom, p.y);
      }
    }
  }
  const float room = 6 * rig.px_per_mm;
  const int x0 = std::max(static_cast<int>(left - room), 0), y0 = std::max(static_cast<int>(top - room), 0);
  return {x0, y0, std::min(static_cast<int>(right + room), rig.width) - x0,
          std::min(static_cast<int>(bottom + 2 * room), rig.height) - y0};
}

struct Spoken {
  const char* name;
  MouthPose pose;
  bool held = true;
};

// A mouth in the middle of speech: a vowel with something of its neighbours, a contact that is whole. And lips that
// are about to meet after an open vowel, where weights that tremble show most; speech passes there within a frame.
std::vector<Spoken> spoken() {
  const auto pose = [](Viseme viseme, float weight, Viseme other, Viseme third, float least) {
    MouthPose made;
    made.weights[static_cast<std::size_t>(viseme)] = weight;
    made.weights[static_cast<std::size_t>(other)] += least;
    made.weights[static_cast<std::size_t>(third)] += least;
    made.loudness = 0.7f;
    return made;
  };
  const auto held = [&](Viseme viseme, float weight) {
    return pose(viseme, weight, Viseme::nn, Viseme::SS, (1 - weight) / 3);
  };
  const auto meeting = [&](Viseme contact) { return pose(contact, 0.75f, Viseme::aa, Viseme::aa, 0.125f); };
  return {{"PP", held(Viseme::PP, 0.85f)}, {"FF", held(Viseme::FF, 0.85f)},  {"SS", held(Viseme::SS, 0.7f)},
          {"aa", held(Viseme::aa, 0.7f)},  {"E", held(Viseme::E, 0.7f)},     {"O", held(Viseme::O, 0.7f)},
          {"PP-aa", meeting(Viseme::PP), false}, {"FF-aa", meeting(Viseme::FF), false}};
}

double psnr(double mse) { return 10 * std::log10(255.0 * 255.0 / std::max(mse, 1e-6)); }

bool measure(const std::shared_ptr<const Avatar>& shared) {
  const Avatar& avatar = *shared;
  const Rig& rig = avatar.rig();
  const auto renderer = FaceRenderer::create(shared);
  const auto encoder = bench::make_x264_peer("superfast", rig.width, rig.height);
  h264::Decoder decoder;
  const Box box = mouth_box(rig);
  const int frames = std::min(rig.frame_count, 100);
  I420Frame now(rig.width, rig.height), before(rig.width, rig.height), shaken(rig.width, rig.height);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> tremble(-kTremble, kTremble);
  bool quiet = true;
  for (const Spoken& said : spoken()) {
    double encoded = 0, jitter = 0, loop = 0;
    for (int i = 0; i < frames; ++i) {
      MouthPose pose = said.pose;
      renderer->render(i, pose, now.view());
      const AVFrame& seen = decoder.decode(encoder->encode(now.view()));
      encoded += mean_square({seen.data[0], seen.linesize[0]}, luma(now.view()), box) / frames;
      if (i > 0) {
        const double own = steadied(rig, i, luma(avatar.frame(i)), luma(avatar.frame(i - 1)), box);
        loop += (steadied(rig, i, luma(now.view()), luma(before.view()), box) - own) / (frames - 1);
      }
      for (float& weight : pose.weights) {
        if (weight > 0) weight += tremble(random);
      }
      renderer->render(i, pose, shaken.view());
      jitter += mean_square(luma(shaken.view()), luma(now.view()), box) / frames;
      std::swap(now, before);
    }
    std::printf(
        "{\"bench\":\"mouth_noise\",\"size\":\"%dx%d\",\"viseme\":\"%s\",\"encoder_mse\":%.2f,"
        "\"encoder_psnr\":%.1f,\"jitter_mse\":%.2f,\"jitter_psnr\":%.1f,\"loop_mse\":%.2f}\n",
        rig.width, rig.height, said.name, encoded,
        psnr(encoded), jitter, psnr(jitter), loop);
    if (said.held) quiet = quiet && jitter < encoded && loop < encoded;
  }
  return quiet;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool quiet = true;
    if (argc > 1) {
      const auto avatar = Avatar::load(argv[1]);
      return measure(avatar) ? 0 : 1;
    }
    for (const int side : {256, 512, 1080}) {
      const test::TempDir dir;
      build_avatar(test::options_for(test::draw_face(side, side, test::Expression::kMaya), dir.path()));
      const auto avatar = Avatar::load(dir.path());
      quiet = measure(avatar) && quiet;
    }
    return quiet ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mouth_noise_bench: %s\n", error.what());
    return 2;
  }
}
