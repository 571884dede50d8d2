// Time to draw a frame while the face changes its tone, beside an ordinary one.
//
//   fade_bench [ROUNDS]            two drawn faces
//   fade_bench ROUNDS FROM TO      two avatar folders of one size
//
// Each round times every contender once, in turn; figures are medians of the rounds, in processor time of the one
// thread that draws. One line of JSON for each size and contender: an ordinary frame with a moving mouth, two loops
// that are only mixed, and the morph that the Stage shows.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "drawn_face.h"
#include "visavis/face/morph.h"

namespace {

using namespace visavis;

constexpr int kFramesPerRound = 20;

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

MouthPose talking_pose(int i) {
  MouthPose pose;
  pose.weights[1 + static_cast<std::size_t>(i / 4) % (kVisemeCount - 1)] = 1;
  pose.loudness = 0.7f;
  return pose;
}

struct Contender {
  std::string name;
  std::function<void(int)> draw_frame;
  std::vector<double> rounds_ms = {};
};

void run(const std::shared_ptr<const Avatar>& from, const std::shared_ptr<const Avatar>& to, int rounds) {
  const int width = from->width(), height = from->height();
  const int frames = std::min(from->frame_count(), to->frame_count());
  const auto left = FaceRenderer::create(from), right = FaceRenderer::create(to);
  const auto morph = FaceMorph::create(width, height);
  const std::vector<Triangle> triangles = morph_triangles(from->rig(), to->rig());
  I420Frame a(width, height), b(width, height), out(width, height);
  std::vector<PointF> in_a(from->rig().point_count()), in_b(to->rig().point_count());
  const auto between = [&](int i, std::span<const Triangle> mesh) {
    const MouthPose pose = talking_pose(i);
    const int frame = i % frames;
    left->render(frame, pose, a.view());
    right->render(frame, pose, b.view());
    pose_points(from->rig(), frame, pose, in_a);
    pose_points(to->rig(), frame, pose, in_b);
    const float share = static_cast<float>(1 + i % 7) / 8;
    morph->render({std::as_const(a).view(), in_a}, {std::as_const(b).view(), in_b}, mesh, share, out.view());
  };
  Contender contenders[] = {
      {"ordinary", [&](int i) { left->render(i % frames, talking_pose(i), out.view()); }},
      {"mixed", [&](int i) { between(i, {}); }},
      {"morphed", [&](int i) { between(i, triangles); }},
  };
  for (int round = -1; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      const double began = thread_ms();
      for (int i = 0; i < kFramesPerRound; ++i) contender.draw_frame((round + 1) * kFramesPerRound + i);
      if (round >= 0) contender.rounds_ms.push_back((thread_ms() - began) / kFramesPerRound);
    }
  }
  for (Contender& contender : contenders) {
    std::sort(contender.rounds_ms.begin(), contender.rounds_ms.end());
    std::printf("{\"bench\":\"fade\",\"size\":\"%dx%d\",\"contender\":\"%s\",\"ms_per_frame\":%.3f}\n", width, height,
                contender.name.c_str(), contender.rounds_ms[contender.rounds_ms.size() / 2]);
  }
}

std::shared_ptr<const Avatar> drawn(int side, test::Expression expression) {
  const test::TempDir dir;
  const test::DrawnFace face = test::draw_face(side, side, expression);
  build_avatar(test::options_for(face, dir.path()));
  return Avatar::load(dir.path());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  if (rounds < 1 || argc == 3 || argc > 4) {
    std::fprintf(stderr, "usage: fade_bench [ROUNDS [FROM TO]]\n");
    return 2;
  }
  try {
    if (argc == 4) {
      run(Avatar::load(argv[2]), Avatar::load(argv[3]), rounds);
      return 0;
    }
    for (const int side : {512, 1080}) {
      run(drawn(side, test::Expression::kNeutral), drawn(side, test::Expression::kSmiling), rounds);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fade_bench: %s\n", error.what());
    return 1;
  }
}
