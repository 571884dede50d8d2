#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "check.h"
#include "recorded.h"
#include "speech/log_mel.h"
#include "speech/net_stream.h"
#include "visavis/speech/viseme_track.h"

using namespace visavis;
using speech::kMels;
using speech::NetStream;

namespace {

std::shared_ptr<const VisemeNet> net() {
  static const auto loaded = VisemeNet::load(VISAVIS_NET);
  return loaded;
}

const check::Recorded& recorded() {
  static const check::Recorded vectors = check::load_recorded(VISAVIS_VECTORS);
  return vectors;
}

bool avx2_here() {
  try {
    return speech::resolve_device(NetDevice::kAvx2) == NetDevice::kAvx2;
  } catch (const std::invalid_argument&) {
    std::printf("skipped: this machine has no AVX2 with FMA and F16C\n");
    return false;
  }
}

double largest_difference(const std::vector<VisemeWeights>& a, const std::vector<VisemeWeights>& b) {
  if (a.size() != b.size() || a.empty()) return 1e9;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < kVisemeCount; ++c) {
      const double difference = std::fabs(a[i][c] - b[i][c]);
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

}  // namespace

CHECK_CASE("probabilities equal the trained model's") {
  CHECK(recorded().rows.size() > 50);
  for (const NetDevice device : {NetDevice::kAuto, NetDevice::kPortable}) {
    CHECK_NEAR(largest_difference(posterior_track(net(), recorded().samples, device), recorded().rows), 0.0, 1e-4);
  }
}

CHECK_CASE("AVX2 equals portable") {
  if (!avx2_here()) return;
  const auto portable = posterior_track(net(), recorded().samples, NetDevice::kPortable);
  CHECK_NEAR(largest_difference(posterior_track(net(), recorded().samples, NetDevice::kAvx2), portable), 0.0, 1e-5);
}

CHECK_CASE("a LipSync tells where its net runs") {
  CHECK(LipSync::create(net(), NetDevice::kPortable)->device() == NetDevice::kPortable);
  const NetDevice best = speech::resolve_device(NetDevice::kAuto);
  CHECK(best != NetDevice::kAuto);
  CHECK(LipSync::create(net())->device() == best);
}

CHECK_CASE("frames grouped in any way give the same probabilities, bit for bit") {
  std::mt19937 random(11);
  std::normal_distribution<float> mel(-5.0f, 3.0f);
  std::vector<std::array<float, kMels>> mels(200);
  for (auto& frame : mels) {
    for (float& value : frame) value = mel(random);
  }
  const auto loaded = std::dynamic_pointer_cast<const speech::LoadedNet>(net());
  NetStream one(loaded, NetDevice::kAuto), many(loaded, NetDevice::kAuto);
  std::vector<VisemeWeights> expected(mels.size()), actual(mels.size());
  for (std::size_t i = 0; i < mels.size(); ++i) one.run({&mels[i], 1}, {&expected[i], 1});
  for (std::size_t i = 0; i < mels.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % NetStream::kMaxBlock, mels.size() - i);
    many.run({&mels[i], count}, {&actual[i], count});
    i += count;
  }
  CHECK(largest_difference(expected, actual) == 0.0);

  many.reset();
  many.run({mels.data(), 1}, {actual.data(), 1});
  CHECK(actual[0] == expected[0]);
}

CHECK_CASE("the power spectrum equals the defining sum") {
  std::mt19937 random(3);
  std::normal_distribution<float> noise;
  std::array<float, speech::kFft> samples;
  for (float& sample : samples) sample = noise(random);
  std::array<float, speech::PowerSpectrum::kBins> power;
  speech::PowerSpectrum spectrum;
  spectrum(samples, power);
  for (int k = 0; k < speech::PowerSpectrum::kBins; k += 7) {
    double re = 0.0, im = 0.0;
    for (int i = 0; i < speech::kFft; ++i) {
      const double angle = -2.0 * std::numbers::pi * k * i / speech::kFft;
      re += samples[i] * std::cos(angle);
      im += samples[i] * std::sin(angle);
    }
    CHECK_NEAR(power[k], re * re + im * im, 2e-4 * (1.0 + re * re + im * im));
  }
}

CHECK_CASE("the level of a full-scale sine is -3 dB") {
  const auto loaded = std::dynamic_pointer_cast<const speech::LoadedNet>(net());
  speech::LogMel features(loaded->weights());
  std::vector<float> sine(speech::kWindow);
  for (std::size_t i = 0; i < sine.size(); ++i)
    sine[i] = static_cast<float>(std::sin(2.0 * std::numbers::pi * 0.0625 * i));
  std::span<const float> rest = sine;
  speech::LogMelFrame frame;
  CHECK(features.next(rest, frame));
  CHECK(rest.empty());
  CHECK_NEAR(frame.level, -3.01, 0.02);
}

CHECK_CASE("samples that are no numbers do not poison what follows") {
  std::vector<float> samples = recorded().samples;
  std::vector<float> broken(1600, std::nanf(""));
  broken.insert(broken.end(), {INFINITY, -INFINITY, 1e30f});
  broken.insert(broken.end(), samples.begin(), samples.end());
  for (const VisemeWeights& row : posterior_track(net(), broken)) {
    for (const float p : row) CHECK(p >= 0.0f && p <= 1.0f);
  }
}

CHECK_MAIN
