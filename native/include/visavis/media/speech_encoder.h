// Speech to packets of 20 ms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "visavis/media/media_error.h"

namespace visavis {

// 48 kHz mono, 20 ms a packet. Not thread-safe.
class SpeechEncoder {
 public:
  static constexpr int kSampleRate = 48'000;
  static constexpr int kPacketSamples = 960;

  // Opus in voice mode with in-band forward error correction (RFC 6716). Exact digital silence costs next to nothing
  // once the codec has settled on it: the packet it settled on is repeated. Throws MediaError where libopus refuses the
  // rate (6000..510000 bit/s).
  static std::unique_ptr<SpeechEncoder> opus(int bitrate_bps);

  virtual ~SpeechEncoder() = default;

  // `samples` are kPacketSamples, full scale 1. Throws MediaError.
  virtual std::vector<std::uint8_t> encode(std::span<const float> samples) = 0;
};

}  // namespace visavis
