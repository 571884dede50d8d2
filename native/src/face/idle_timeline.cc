#include "idle_timeline.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace visavis::face {

namespace {

constexpr float kTau = 2 * std::numbers::pi_v<float>;

// A smooth periodic wander in -1..1: harmonics `low`..`high` of the loop, weaker as they get faster.
std::vector<float> wander(int frame_count, int low, int high, std::mt19937_64& random) {
  std::uniform_real_distribution<float> phase(0.0f, kTau);
  std::vector<float> values(frame_count, 0.0f);
  for (int k = std::max(low, 1); k <= std::max(high, 1); ++k) {
    const float offset = phase(random);
    for (int i = 0; i < frame_count; ++i) {
      const float angle = kTau * static_cast<float>(k) * static_cast<float>(i) / static_cast<float>(frame_count);
      values[i] += std::sin(angle + offset) / static_cast<float>(k);
    }
  }
  float most = 1e-6f;
  for (float v : values) most = std::max(most, std::fabs(v));
  for (float& v : values) v /= most;
  return values;
}

float ease(float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// A spontaneous blink shuts in about 100 ms and takes about twice as long to open (VanderWerf et al., "Eyelid
// movements", J. Neurophysiol. 2003).
float blink_at(float seconds) {
  constexpr float kShutting = 0.10f, kShut = 0.05f, kOpening = 0.22f;
  if (seconds < 0) return ease((seconds + kShutting) / kShutting);
  if (seconds < kShut) return 1;
  return 1 - ease((seconds - kShut) / kOpening);
}

}  // namespace

std::vector<IdlePose> idle_timeline(int fps, int frame_count, double motion, std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15ull + 1);
  const float seconds = static_cast<float>(frame_count) / static_cast<float>(fps);
  const auto harmonic = [&](float hertz) { return static_cast<int>(std::lround(hertz * seconds)); };
  const int slow = 1, fast = std::max(harmonic(0.45f), 2);
  const auto yaw = wander(frame_count, slow, fast, random), pitch = wander(frame_count, slow, fast, random);
  const auto roll = wander(frame_count, slow, fast, random), shift = wander(frame_count, slow, fast, random);
  const auto brow = wander(frame_count, slow, std::max(harmonic(0.6f), 2), random);
  const float amount = 2.0f * static_cast<float>(motion);
  const int breaths = std::max(harmonic(0.25f), 1);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  const float breath_phase = unit(random);

  // A blink every three seconds or so, none within half a second of the seam.
  std::vector<float> blinks;
  const int blink_count = std::max(1, static_cast<int>(std::lround(seconds / 3.1f)));
  const float usable = seconds - 1.1f;
  for (int i = 0; i < blink_count; ++i) {
    const float slot = usable / static_cast<float>(blink_count);
    blinks.push_back(0.5f + slot * (static_cast<float>(i) + 0.15f + 0.7f * unit(random)));
  }

  // The eyes rest on a few spots, the first and last of them straight ahead, and jump between them.
  struct Fixation {
    float from, x, y;
  };
  std::vector<Fixation> fixations = {{0, 0, 0}};
  for (float at = 0.7f + unit(random); at < seconds - 1.0f; at += 0.8f + 1.6f * unit(random)) {
    fixations.push_back({at, 0.9f * (unit(random) - 0.5f), 0.5f * (unit(random) - 0.5f)});
  }
  fixations.push_back({seconds - 0.6f, 0, 0});

  std::vector<IdlePose> poses(frame_count);
  for (int i = 0; i < frame_count; ++i) {
    IdlePose& pose = poses[i];
    const float t = static_cast<float>(i) / static_cast<float>(fps);
    pose.yaw = 0.040f * amount * yaw[i];
    pose.pitch = 0.026f * amount * pitch[i];
    pose.roll = 0.014f * amount * roll[i];
    pose.shift_x = 1.2f * amount * shift[i];
    const float turn = t / seconds * static_cast<float>(breaths) + breath_phase;
    const float cycle = turn - std::floor(turn);
    // In takes two fifths of a breath, out the rest.
    pose.breath = cycle < 0.4f ? ease(cycle / 0.4f) : 1 - ease((cycle - 0.4f) / 0.6f);
    pose.shift_y = -0.5f * amount * pose.breath;
    pose.brow = 0.7f * std::min(amount, 1.5f) * brow[i];
    for (float at : blinks) pose.blink = std::max(pose.blink, blink_at(t - at));
    for (std::size_t k = 1; k < fixations.size(); ++k) {
      const float done = ease((t - fixations[k].from) / 0.06f);
      pose.gaze_x += (fixations[k].x - fixations[k - 1].x) * done;
      pose.gaze_y += (fixations[k].y - fixations[k - 1].y) * done;
    }
    // The brows sink a little in a blink.
    pose.brow -= 0.35f * pose.blink;
  }
  return poses;
}

}  // namespace visavis::face
