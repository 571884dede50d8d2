#include <algorithm>
#include <cmath>

#include "check.h"
#include "drawn_face.h"
#include "idle_timeline.h"
#include "visavis/face/avatar.h"

namespace visavis {
namespace {

double mean_difference(const I420View& a, const I420View& b) {
  double sum = 0;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) sum += std::abs(int{a.y[y * a.stride_y + x]} - int{b.y[y * b.stride_y + x]});
  }
  return sum / (a.width * a.height);
}

struct Loop {
  test::TempDir dir;
  std::shared_ptr<const Avatar> avatar;

  explicit Loop(double motion = 0.5) {
    const test::DrawnFace face = test::draw_face(256, 256);
    BuildOptions options = test::options_for(face, dir.path());
    options.loop_seconds = 8;
    options.motion = motion;
    build_avatar(options);
    avatar = Avatar::load(dir.path());
  }
};

CHECK_CASE("the last frame leads into the first like any other pair") {
  const Loop loop;
  const int n = loop.avatar->frame_count();
  CHECK(n == 200);
  std::vector<double> steps;
  for (int i = 0; i + 1 < n; ++i) steps.push_back(mean_difference(loop.avatar->frame(i), loop.avatar->frame(i + 1)));
  std::sort(steps.begin(), steps.end());
  const double seam = mean_difference(loop.avatar->frame(n - 1), loop.avatar->frame(0));
  CHECK(seam <= steps[steps.size() * 9 / 10]);
  CHECK(steps[steps.size() / 2] > 0);
}

CHECK_CASE("the eyes blink two to four times and shut fully, away from the seam") {
  const Loop loop;
  const Rig& rig = loop.avatar->rig();
  int blinks = 0;
  bool shut = false;
  for (int i = 0; i < rig.frame_count; ++i) {
    const auto track = rig.track(i);
    const float open = (track[145].y - track[159].y) / (rig.rest[145].y - rig.rest[159].y);
    const bool now = open < 0.15f;
    if (now && !shut) ++blinks;
    if (i < 8 || i >= rig.frame_count - 6) CHECK(open > 0.8f);
    shut = now;
  }
  CHECK(blinks >= 2 && blinks <= 4);
}

CHECK_CASE("the white of the eye is covered when the lids are shut") {
  const Loop loop;
  const Rig& rig = loop.avatar->rig();
  int darkest_eye = 255, open_eye = 0;
  for (int i = 0; i < rig.frame_count; ++i) {
    const auto track = rig.track(i);
    const I420View frame = loop.avatar->frame(i);
    // Between pupil and corner, half-way down the opening as it was before the lid came.
    const float x = (rig.rest[159].x * 2 + rig.rest[133].x) / 3 + track[6].x - rig.rest[6].x;
    const float y = (rig.rest[158].y + rig.rest[153].y) / 2 + track[6].y - rig.rest[6].y;
    const int luma = frame.y[static_cast<int>(y) * frame.stride_y + static_cast<int>(x)];
    if (i == 0) open_eye = luma;
    darkest_eye = std::min(darkest_eye, luma);
  }
  CHECK(open_eye > 190);
  CHECK(darkest_eye < open_eye - 25);
}

CHECK_CASE("the picture's borders stand still") {
  const Loop loop(1.0);
  const I420View first = loop.avatar->frame(0);
  for (int i = 0; i < loop.avatar->frame_count(); i += 3) {
    const I420View frame = loop.avatar->frame(i);
    int worst = 0;
    for (int k = 0; k < 256; ++k) {
      for (const int at : {k, 255 * 256 + k, k * 256, k * 256 + 255})
        worst = std::max(worst, std::abs(int{frame.y[at]} - int{first.y[at]}));
    }
    CHECK(worst <= 2);
  }
}

CHECK_CASE("motion scales from none to plenty, and tracks follow the pixels") {
  const auto sway = [](const Rig& rig) {
    float low = 1e9f, high = -1e9f;
    for (int i = 0; i < rig.frame_count; ++i) {
      low = std::min(low, rig.track(i)[4].x);
      high = std::max(high, rig.track(i)[4].x);
    }
    return high - low;
  };
  const Loop still(0.0), lively(1.0);
  CHECK_NEAR(sway(still.avatar->rig()), 0.0, 0.05);
  CHECK(sway(lively.avatar->rig()) > 3.0f);
}

CHECK_CASE("the timeline is periodic and breathes") {
  const auto poses = face::idle_timeline(25, 200, 0.5, 9);
  CHECK(poses.size() == 200);
  float low = 1, high = 0, fastest = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    low = std::min(low, poses[i].breath);
    high = std::max(high, poses[i].breath);
    fastest = std::max(fastest, std::fabs(poses[i].yaw - poses[(i + 1) % poses.size()].yaw));
  }
  CHECK(low < 0.02f && high > 0.98f);
  CHECK(std::fabs(poses.back().yaw - poses.front().yaw) <= fastest);
  CHECK(poses.front().blink == 0 && poses.back().blink == 0);
  CHECK_NEAR(poses.back().gaze_x, poses.front().gaze_x, 1e-4);
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
