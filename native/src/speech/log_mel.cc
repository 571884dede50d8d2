#include "speech/log_mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace visavis::speech {

PowerSpectrum::PowerSpectrum() {
  for (int i = 0; i < kHalf; ++i) {
    int reversed = 0;
    for (int bit = 1, mirror = kHalf / 2; bit < kHalf; bit *= 2, mirror /= 2) {
      if (i & bit) reversed |= mirror;
    }
    reversed_[i] = reversed;
    const double angle = -2.0 * std::numbers::pi * i / kFft;
    twiddle_[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
}

void PowerSpectrum::operator()(const std::array<float, kFft>& samples, std::array<float, kBins>& power) {
  for (int i = 0; i < kHalf; ++i) work_[reversed_[i]] = {samples[2 * i], samples[2 * i + 1]};
  for (int size = 2; size <= kHalf; size *= 2) {
    const int half = size / 2;
    const int step = kFft / size;
    for (int start = 0; start < kHalf; start += size) {
      for (int k = 0; k < half; ++k) {
        const float wr = twiddle_[k * step].real(), wi = twiddle_[k * step].imag();
        std::complex<float>& a = work_[start + k];
        std::complex<float>& b = work_[start + k + half];
        const float br = b.real() * wr - b.imag() * wi;
        const float bi = b.real() * wi + b.imag() * wr;
        b = {a.real() - br, a.imag() - bi};
        a = {a.real() + br, a.imag() + bi};
      }
    }
  }
  // X[k] = even + w^k odd, where even and odd are the transforms of the samples at even and odd places.
  for (int k = 0; k <= kHalf; ++k) {
    const std::complex<float> z = work_[k % kHalf];
    const std::complex<float> mirrored = work_[(kHalf - k) % kHalf];
    const float even_r = 0.5f * (z.real() + mirrored.real()), even_i = 0.5f * (z.imag() - mirrored.imag());
    const float odd_r = 0.5f * (z.imag() + mirrored.imag()), odd_i = 0.5f * (mirrored.real() - z.real());
    const float wr = k == kHalf ? -1.0f : twiddle_[k].real(), wi = k == kHalf ? 0.0f : twiddle_[k].imag();
    const float re = even_r + odd_r * wr - odd_i * wi;
    const float im = even_i + odd_r * wi + odd_i * wr;
    power[k] = re * re + im * im;
  }
}

MelFilters::MelFilters(float low_hz, float high_hz) {
  const auto to_mel = [](double hz) { return 2595.0 * std::log10(1.0 + hz / 700.0); };
  const auto to_hz = [](double mel) { return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0); };
  const double low = to_mel(low_hz), high = to_mel(high_hz);
  const auto edge = [&](int i) { return to_hz(low + (high - low) * i / (kMels + 1)); };
  for (int m = 0; m < kMels; ++m) {
    const double left = edge(m), peak = edge(m + 1), right = edge(m + 2);
    Filter& filter = filters_[m];
    filter.first_bin = 0;
    for (int bin = 0; bin < PowerSpectrum::kBins; ++bin) {
      const double hz = static_cast<double>(bin) * LipSync::kSampleRate / kFft;
      const double weight = std::min((hz - left) / (peak - left), (right - hz) / (right - peak));
      if (weight <= 0.0) continue;
      if (filter.weights.empty()) filter.first_bin = bin;
      filter.weights.push_back(static_cast<float>(weight));
    }
  }
}

float MelFilters::apply(int mel, const std::array<float, PowerSpectrum::kBins>& power) const {
  const Filter& filter = filters_[mel];
  float sum = 0.0f;
  for (std::size_t i = 0; i < filter.weights.size(); ++i) sum += filter.weights[i] * power[filter.first_bin + i];
  return sum;
}

LogMel::LogMel(const NetWeights& net) : filters_(net.low_hz, net.high_hz), floor_(net.floor) {
  for (int i = 0; i < kWindow; ++i) {
    hann_[i] = static_cast<float>(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * i / kWindow));
  }
}

bool LogMel::next(std::span<const float>& samples, LogMelFrame& frame) {
  const std::size_t count = std::min<std::size_t>(samples.size(), kWindow - filled_);
  for (std::size_t i = 0; i < count; ++i) {
    // A sample that is no number would poison every frame after it.
    const float sample = samples[i];
    window_[filled_ + i] = sample >= -4.0f && sample <= 4.0f ? sample : 0.0f;
  }
  filled_ += static_cast<int>(count);
  samples = samples.subspan(count);
  if (filled_ < kWindow) return false;
  compute(frame);
  std::copy(window_.begin() + kHop, window_.end(), window_.begin());
  filled_ = kWindow - kHop;
  return true;
}

void LogMel::compute(LogMelFrame& frame) {
  float energy = 0.0f;
  for (int i = 0; i < kWindow; ++i) {
    padded_[i] = window_[i] * hann_[i];
    energy += padded_[i] * padded_[i];
  }
  spectrum_(padded_, power_);
  for (int m = 0; m < kMels; ++m) frame.mels[m] = std::log(filters_.apply(m, power_) + floor_);
  // The squared Hann window averages to 3/8.
  frame.level = 10.0f * std::log10(energy / (0.375f * kWindow) + 1e-12f);
}

void LogMel::reset() { filled_ = 0; }

}  // namespace visavis::speech
