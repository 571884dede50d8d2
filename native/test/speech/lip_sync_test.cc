#include "visavis/speech/lip_sync.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "recorded.h"
#include "visavis/speech/viseme_track.h"

using namespace visavis;

namespace {

constexpr std::size_t kPP = static_cast<std::size_t>(Viseme::PP);

std::shared_ptr<const VisemeNet> net() {
  static const auto loaded = VisemeNet::load(VISAVIS_NET);
  return loaded;
}

const std::vector<float>& speech_samples() {
  static const check::Recorded vectors = check::load_recorded(VISAVIS_VECTORS);
  return vectors.samples;
}

double duration() { return static_cast<double>(speech_samples().size()) / LipSync::kSampleRate; }

std::vector<MouthPose> poses(const LipSync& lips) {
  std::vector<MouthPose> all;
  for (double t = -0.1; t < duration() + 0.2; t += 0.04) all.push_back(lips.at(t));
  return all;
}

bool same(const std::vector<MouthPose>& a, const std::vector<MouthPose>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const MouthPose& x, const MouthPose& y) {
    return x.weights == y.weights && x.loudness == y.loudness;
  });
}

std::vector<MouthPose> pushed_in(std::size_t chunk) {
  const auto lips = LipSync::create(net());
  const std::vector<float>& samples = speech_samples();
  for (std::size_t at = 0; at < samples.size(); at += chunk) {
    lips->push({samples.data() + at, std::min(chunk, samples.size() - at)});
  }
  lips->finish();
  return poses(*lips);
}

// The most that any pose shows from `from` on, over `seconds` of sound drawn from `next`.
template <typename Source>
float most_shown(double from, int seconds, Source next) {
  const auto lips = LipSync::create(net());
  std::vector<float> samples(static_cast<std::size_t>(seconds) * LipSync::kSampleRate);
  std::generate(samples.begin(), samples.end(), next);
  lips->push(samples);
  lips->finish();
  float most = 0.0f;
  for (double t = from; t < seconds; t += 0.02) {
    const VisemeWeights weights = lips->at(t).weights;
    most = std::max(most, std::accumulate(weights.begin() + 1, weights.end(), 0.0f));
  }
  return most;
}

}  // namespace

CHECK_CASE("audio cut in any way gives the same poses, bit for bit") {
  const std::vector<MouthPose> whole = pushed_in(speech_samples().size());
  for (const std::size_t chunk : {1u, 37u, 160u, 161u, 320u, 4096u}) CHECK(same(whole, pushed_in(chunk)));
}

CHECK_CASE("lips close on every p, b and m, and open between") {
  const check::Recorded recorded = check::load_recorded(VISAVIS_VECTORS);
  const auto lips = LipSync::create(net());
  lips->push(recorded.samples);
  lips->finish();
  CHECK(recorded.closures.size() >= 5);
  for (const auto& [start, end] : recorded.closures) {
    float closest = 0.0f;
    // At 25 frames a second, whatever the phase, one frame must show the lips shut.
    for (double t = start - 0.01; t < end + 0.01; t += 0.005) closest = std::max(closest, lips->at(t).weights[kPP]);
    CHECK(closest > 0.9f);
  }
  float widest = 0.0f;
  for (double t = 0.0; t < duration(); t += 0.01)
    widest = std::max(widest, lips->at(t).weights[10] + lips->at(t).weights[11]);
  CHECK(widest > 0.6f);
}

CHECK_CASE("weights are weights, and loudness is 0..1") {
  for (const MouthPose& pose : pushed_in(1600)) {
    float sum = 0.0f;
    for (const float weight : pose.weights) {
      CHECK(weight >= 0.0f && weight <= 1.0f);
      sum += weight;
    }
    CHECK(sum <= 1.0f + 1e-5f);
    CHECK(pose.loudness >= 0.0f && pose.loudness <= 1.0f);
  }
}

CHECK_CASE("poses below ready_until never change again") {
  const auto lips = LipSync::create(net());
  const std::vector<float>& samples = speech_samples();
  const std::size_t half = samples.size() / 2;
  lips->push({samples.data(), half});
  const double ready = lips->ready_until();
  CHECK(ready > 0.3);
  CHECK(static_cast<double>(half) / LipSync::kSampleRate - ready < 0.125);
  std::vector<MouthPose> before, after;
  for (double t = 0.0; t < ready; t += 0.01) before.push_back(lips->at(t));
  lips->push({samples.data() + half, samples.size() - half});
  for (double t = 0.0; t < ready; t += 0.01) after.push_back(lips->at(t));
  CHECK(same(before, after));
  lips->finish();
  CHECK_NEAR(lips->ready_until(), duration(), 1e-9);
}

CHECK_CASE("the mouth rests before the first and after the last sample") {
  const auto lips = LipSync::create(net());
  CHECK(lips->at(0.0).at_rest());
  CHECK_NEAR(lips->ready_until(), 0.0, 0.0);
  lips->push(speech_samples());
  lips->finish();
  CHECK(lips->at(-0.1).at_rest());
  CHECK(lips->at(duration() + 0.1).at_rest());
  CHECK(lips->at(1e9).at_rest());
  CHECK(lips->at(std::nan("")).at_rest());
}

CHECK_CASE("when audio stops coming the mouth comes to rest") {
  const auto lips = LipSync::create(net());
  lips->push({speech_samples().data(), 8000});
  CHECK(lips->at(2.0).at_rest());
}

CHECK_CASE("nothing moves in silence") {
  CHECK(most_shown(0.0, 4, [] { return 0.0f; }) == 0.0f);
}

CHECK_CASE("nothing moves on background noise") {
  for (const float level : {0.001f, 0.005f, 0.01f}) {
    std::mt19937 random(17);
    std::normal_distribution<float> normal(0.0f, level);
    float brown = 0.0f;
    const auto white_noise = [&] { return normal(random); };
    const auto brown_noise = [&] { return brown = 0.98f * brown + 0.2f * normal(random); };
    // Noise that sets in sounds like a fricative until it has lasted; 100 ms of that are forgiven.
    CHECK(most_shown(0.1, 6, white_noise) <= 1e-3f);
    CHECK(most_shown(0.1, 6, brown_noise) <= 1e-3f);
  }
}

CHECK_CASE("nothing moves on mains hum") {
  double t = 0.0;
  const auto hum = [&] {
    t += 1.0 / LipSync::kSampleRate;
    const double phase = 2.0 * std::numbers::pi * 50.0 * t;
    return static_cast<float>(0.02 * std::sin(phase) + 0.01 * std::sin(3.0 * phase));
  };
  CHECK(most_shown(0.0, 4, hum) == 0.0f);
}

CHECK_CASE("loudness follows the speaker's own level") {
  const std::vector<float>& samples = speech_samples();
  std::vector<float> quiet(samples);
  for (float& sample : quiet) sample *= 0.25f;
  double loud_sum = 0.0, quiet_sum = 0.0;
  for (const auto& [sum, source] : {std::pair(&loud_sum, &samples), {&quiet_sum, &quiet}}) {
    const auto lips = LipSync::create(net());
    lips->push(*source);
    lips->finish();
    for (double t = 0.0; t < duration(); t += 0.02) *sum += lips->at(t).loudness;
  }
  CHECK(loud_sum > 10.0);
  CHECK_NEAR(quiet_sum / loud_sum, 1.0, 0.1);
}

CHECK_CASE("reset starts afresh, finish ends, and pushing after it is refused") {
  const auto lips = LipSync::create(net());
  lips->push({speech_samples().data() + 5000, 9000});
  lips->finish();
  lips->finish();
  CHECK_THROWS(std::logic_error, lips->push(speech_samples()));
  lips->reset();
  CHECK(lips->at(0.2).at_rest());
  lips->push(speech_samples());
  lips->finish();
  CHECK(same(poses(*lips), pushed_in(777)));
  lips->reset();
  lips->finish();
  CHECK(lips->at(0.0).at_rest());
}

CHECK_CASE("poses stay available for a second behind the latest query") {
  const auto lips = LipSync::create(net());
  std::vector<MouthPose> early;
  for (int i = 0; i < 12; ++i) {
    lips->push(speech_samples());
    lips->at(lips->ready_until());
  }
  const double latest = lips->ready_until();
  const MouthPose recent = lips->at(latest - 0.9);
  lips->push(speech_samples());
  CHECK(lips->at(latest - 0.9).weights == recent.weights);
}

CHECK_CASE("a glance far ahead forgets nothing") {
  const auto lips = LipSync::create(net());
  lips->push(speech_samples());
  const double ready = lips->ready_until();
  const MouthPose before = lips->at(ready - 0.5);
  lips->at(1e9);
  lips->push(speech_samples());
  CHECK(lips->at(ready - 0.5).weights == before.weights);
}

CHECK_CASE("a clip's track has one row every 10 ms and equals the poses") {
  const auto track = viseme_track(net(), speech_samples());
  CHECK(track.size() == static_cast<std::size_t>(std::ceil(duration() * 100.0)));
  const auto lips = LipSync::create(net());
  lips->push(speech_samples());
  lips->finish();
  for (std::size_t i = 0; i < track.size(); ++i)
    CHECK(track[i] == lips->at(static_cast<double>(i) * kTrackHopSeconds).weights);
  CHECK(viseme_track(net(), {}).empty());
}

CHECK_CASE("only a loaded net will do") {
  CHECK_THROWS(std::invalid_argument, LipSync::create(nullptr));
  CHECK_THROWS(std::invalid_argument, posterior_track(nullptr, speech_samples()));
}

CHECK_MAIN
