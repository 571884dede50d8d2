// Speech to Opus packets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "visavis/media/media_error.h"

struct OpusEncoder;

namespace visavis {

// 48 kHz mono, 20 ms a packet, voice mode with in-band forward error correction (RFC 6716).
class SpeechEncoder {
 public:
  static constexpr int kSampleRate = 48'000;
  static constexpr int kPacketSamples = 960;

  // Throws MediaError where libopus refuses the rate (6000..510000 bit/s).
  explicit SpeechEncoder(int bitrate_bps);

  // `samples` are kPacketSamples, full scale 1. Exact digital silence costs next to nothing once the codec has settled
  // on it: the packet it settled on is repeated. Throws MediaError.
  std::vector<std::uint8_t> encode(std::span<const float> samples);

 private:
  struct Free {
    void operator()(::OpusEncoder* encoder) const;
  };

  std::unique_ptr<::OpusEncoder, Free> encoder_;
  std::vector<std::uint8_t> silence_;
  int silent_packets_ = 0;
};

}  // namespace visavis
