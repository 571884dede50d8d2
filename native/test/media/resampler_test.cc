#include "visavis/media/resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "check.h"

using visavis::MediaError;
using visavis::Resampler;

namespace {

constexpr int kRates[] = {8'000, 11'025, 16'000, 22'050, 24'000, 32'000, 44'100, 48'000};

// A bump of 2 ms around each of `centres`, in seconds; a centroid finds it again to a fraction of a sample.
std::vector<std::int16_t> bumps(int rate, double seconds, const std::vector<double>& centres) {
  std::vector<std::int16_t> samples(static_cast<std::size_t>(seconds * rate));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double value = 0;
    for (const double centre : centres) {
      const double distance = (static_cast<double>(i) / rate - centre) / 0.002;
      value += std::exp(-0.5 * distance * distance);
    }
    samples[i] = static_cast<std::int16_t>(std::lround(20'000 * value));
  }
  return samples;
}

double centroid(const std::vector<float>& samples, int rate, double around) {
  double weight = 0;
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double at = static_cast<double>(i) / rate;
    if (std::fabs(at - around) > 0.01) continue;
    weight += samples[i];
    sum += samples[i] * at;
  }
  return sum / weight;
}

std::vector<float> resample(const std::vector<std::int16_t>& samples, int from, int to, std::size_t chunk) {
  Resampler resampler(from, to);
  std::vector<float> out;
  for (std::size_t i = 0; i < samples.size(); i += chunk) {
    resampler.push(std::span(samples).subspan(i, std::min(chunk, samples.size() - i)), out);
  }
  resampler.flush(out);
  return out;
}

}  // namespace

CHECK_CASE("both outputs lie where the input lay, at any rate") {
  for (const int rate : kRates) {
    const auto samples = bumps(rate, 1.0, {0.02, 0.5, 0.985});
    for (const int to : {48'000, 16'000}) {
      const auto out = resample(samples, rate, to, samples.size());
      CHECK_NEAR(static_cast<double>(out.size()), to, 1.0);
      for (const double at : {0.02, 0.5, 0.985}) CHECK_NEAR(centroid(out, to, at), at, 0.00003);
    }
  }
}

CHECK_CASE("the cut into pushes does not matter") {
  for (const int rate : kRates) {
    const auto samples = bumps(rate, 0.3, {0.05, 0.1, 0.2});
    const auto whole = resample(samples, rate, 48'000, samples.size());
    const auto pieces = resample(samples, rate, 48'000, 137);
    CHECK(whole.size() == pieces.size());
    float largest = 0;
    for (std::size_t i = 0; i < std::min(whole.size(), pieces.size()); ++i) {
      largest = std::max(largest, std::fabs(whole[i] - pieces[i]));
    }
    CHECK(largest < 1e-6f);
  }
}

CHECK_CASE("a tone keeps its level") {
  std::vector<std::int16_t> tone(22'050);
  for (std::size_t i = 0; i < tone.size(); ++i) {
    tone[i] =
        static_cast<std::int16_t>(16'384 * std::sin(2 * std::numbers::pi * 440 * static_cast<double>(i) / 22'050));
  }
  const auto out = resample(tone, 22'050, 48'000, 441);
  double energy = 0;
  for (std::size_t i = 4'800; i < 43'200; ++i) energy += out[i] * out[i];
  CHECK_NEAR(std::sqrt(2 * energy / 38'400), 0.5, 0.002);
}

CHECK_CASE("little is withheld, and the end comes with flush") {
  Resampler resampler(22'050, 48'000);
  std::vector<float> out;
  const std::vector<std::int16_t> samples(2'205, 1'000);
  resampler.push(samples, out);
  CHECK(out.size() > 4'800 - 96 && out.size() < 4'800);
  resampler.flush(out);
  CHECK(out.size() == 4'800);
}

CHECK_CASE("nothing in, nothing out") {
  Resampler resampler(16'000, 48'000);
  std::vector<float> out;
  resampler.push({}, out);
  resampler.flush(out);
  CHECK(out.empty());
}

CHECK_CASE("rates outside 8..48 kHz are refused") {
  CHECK_THROWS(MediaError, Resampler(7'999, 48'000));
  CHECK_THROWS(MediaError, Resampler(96'000, 48'000));
  CHECK_THROWS(MediaError, Resampler(16'000, 0));
}

CHECK_MAIN
