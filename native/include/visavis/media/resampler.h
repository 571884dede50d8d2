// Mono speech from any rate to the one a consumer wants.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "visavis/media/media_error.h"

struct SwrContext;

namespace visavis {

// Streaming and free of delay: output sample i lies at i / out_rate seconds of the input, whatever the two rates are,
// so that two resamplers fed alike stay aligned. The filter's half length is withheld until later input or flush()
// fills it.
class Resampler {
 public:
  static constexpr int kMinRate = 8'000;
  static constexpr int kMaxRate = 48'000;

  // Rates in Hz. Throws MediaError where either is outside kMinRate..kMaxRate or the filter cannot be built.
  Resampler(int in_rate, int out_rate);

  int in_rate() const { return in_rate_; }
  int out_rate() const { return out_rate_; }

  // Appends what `samples` (full scale 32768) makes final to `out` (full scale 1). Throws MediaError.
  void push(std::span<const std::int16_t> samples, std::vector<float>& out);

  // Appends the withheld end. push() may not follow.
  void flush(std::vector<float>& out);

 private:
  struct Free {
    void operator()(SwrContext* context) const;
  };

  void convert(const std::uint8_t* data, int count, std::vector<float>& out);

  int in_rate_;
  int out_rate_;
  std::int64_t in_count_ = 0;
  std::int64_t out_count_ = 0;
  std::unique_ptr<SwrContext, Free> context_;  // Null where the rates are equal.
};

}  // namespace visavis
