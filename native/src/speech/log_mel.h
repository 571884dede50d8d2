// Streaming log-mel features, equal to native/model/features.py.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "speech/weights.h"

namespace visavis::speech {

// Power spectrum of kFft real samples: a complex FFT of half the size, untangled.
class PowerSpectrum {
 public:
  static constexpr int kBins = kFft / 2 + 1;

  PowerSpectrum();
  void operator()(const std::array<float, kFft>& samples, std::array<float, kBins>& power);

 private:
  static constexpr int kHalf = kFft / 2;
  std::array<int, kHalf> reversed_;
  std::array<std::complex<float>, kHalf> twiddle_;  // exp(-2 pi i k / kFft).
  std::array<std::complex<float>, kHalf> work_;
};

// Triangular HTK mel filters, stored as the run of bins that each touches.
class MelFilters {
 public:
  MelFilters(float low_hz, float high_hz);
  float apply(int mel, const std::array<float, PowerSpectrum::kBins>& power) const;

 private:
  struct Filter {
    int first_bin;
    std::vector<float> weights;
  };
  std::array<Filter, kMels> filters_;
};

struct LogMelFrame {
  std::array<float, kMels> mels;  // ln(power + floor), not normalised.
  float level;                    // RMS of the windowed samples in dB relative to full scale.
};

// Frame i covers samples kHop * i .. kHop * i + kWindow - 1.
class LogMel {
 public:
  explicit LogMel(const NetWeights& net);

  // Consumes samples up to and including those that complete one frame; true when `frame` was filled.
  bool next(std::span<const float>& samples, LogMelFrame& frame);
  void reset();

 private:
  void compute(LogMelFrame& frame);

  MelFilters filters_;
  float floor_;
  PowerSpectrum spectrum_;
  std::array<float, kWindow> hann_;
  std::array<float, kWindow> window_{};
  int filled_ = 0;
  std::array<float, kFft> padded_{};
  std::array<float, PowerSpectrum::kBins> power_{};
};

}  // namespace visavis::speech
