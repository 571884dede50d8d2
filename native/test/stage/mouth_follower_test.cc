#include "mouth_follower.h"

#include <numeric>

#include "check.h"

using visavis::LivePose;
using visavis::MouthFollower;
using visavis::MouthPose;
using visavis::Viseme;

namespace {

constexpr double kFrame = 0.04;

LivePose live(Viseme viseme, float weight, std::uint64_t stretch) {
  LivePose pose;
  pose.pose.weights[static_cast<std::size_t>(viseme)] = weight;
  pose.pose.loudness = weight;
  pose.stretch = stretch;
  return pose;
}

float weight(const MouthPose& pose, Viseme viseme) { return pose.weights[static_cast<std::size_t>(viseme)]; }

}  // namespace

CHECK_CASE("at rest before anything is heard") {
  MouthFollower mouth;
  for (int i = 0; i < 5; ++i) CHECK(mouth.step(i * kFrame, std::nullopt).at_rest());
}

CHECK_CASE("the live pose is shown as it is") {
  MouthFollower mouth;
  for (int i = 0; i < 5; ++i) {
    const float open = 0.1f * static_cast<float>(i);
    CHECK(weight(mouth.step(i * kFrame, live(Viseme::aa, open, 1)), Viseme::aa) == open);
  }
}

CHECK_CASE("where speech breaks off the mouth closes steadily within 100 ms") {
  MouthFollower mouth;
  mouth.step(0, live(Viseme::aa, 0.8f, 1));
  float before = 0.8f;
  for (double at = 0.01; at < 0.099; at += 0.01) {
    const float now = weight(mouth.step(at, std::nullopt), Viseme::aa);
    CHECK(now < before && before - now < 0.15f && now > 0);
    before = now;
  }
  CHECK(mouth.step(0.101, std::nullopt).at_rest());
  CHECK(mouth.step(0.2, std::nullopt).loudness == 0);
}

CHECK_CASE("a new stretch grows out of what is left of the old one") {
  MouthFollower mouth;
  mouth.step(0, live(Viseme::aa, 0.9f, 1));
  const MouthPose both = mouth.step(kFrame, live(Viseme::U, 0.7f, 2));
  CHECK(weight(both, Viseme::aa) > 0.3f);
  CHECK(weight(both, Viseme::U) > 0.3f);
  CHECK(std::accumulate(both.weights.begin(), both.weights.end(), 0.0f) <= 1.0001f);
  const MouthPose later = mouth.step(4 * kFrame, live(Viseme::U, 0.7f, 2));
  CHECK(weight(later, Viseme::aa) == 0 && weight(later, Viseme::U) == 0.7f);
}

CHECK_CASE("the silence a new stretch opens with does not snap the old one shut") {
  MouthFollower mouth;
  mouth.step(0, live(Viseme::aa, 0.8f, 1));
  const MouthPose both = mouth.step(0.02, live(Viseme::sil, 1.0f, 2));
  CHECK(weight(both, Viseme::aa) > 0.6f);
  CHECK(std::accumulate(both.weights.begin(), both.weights.end(), 0.0f) <= 1.0001f);
}

CHECK_CASE("silence beside a closing mouth takes nothing from it") {
  MouthFollower open, hushed;
  open.step(0, live(Viseme::aa, 0.8f, 1));
  LivePose pose = live(Viseme::aa, 0.8f, 1);
  pose.pose.weights[static_cast<std::size_t>(Viseme::sil)] = 0.2f;
  hushed.step(0, pose);
  for (double at = 0.02; at < 0.1; at += 0.02) {
    const float alone = weight(open.step(at, std::nullopt), Viseme::aa);
    CHECK(weight(hushed.step(at, live(Viseme::sil, 1.0f, 2)), Viseme::aa) == alone);
  }
}

CHECK_CASE("a stretch too short to open the mouth does not snap the old one shut either") {
  MouthFollower mouth;
  mouth.step(0, live(Viseme::aa, 0.8f, 1));
  const float before = weight(mouth.step(0.02, live(Viseme::sil, 1.0f, 2)), Viseme::aa);
  const float after = weight(mouth.step(0.03, std::nullopt), Viseme::aa);
  CHECK(before > 0.6f);
  CHECK(before - after < 0.1f);
}

CHECK_MAIN
