#include "visavis/media/speech_encoder.h"

#include <opus.h>

#include <algorithm>
#include <array>
#include <string>

namespace visavis {
namespace {

// RFC 6716, section 3.4: no Opus frame is longer.
constexpr std::size_t kMaxPacketBytes = 1275;

// Half the encoder's full effort: on 20 ms of mono speech the rest costs twice the time and is not heard.
constexpr int kComplexity = 5;

// What the redundancy is sized for, in per cent.
constexpr int kExpectedLoss = 10;

// Silent packets until the decoder's memory of the last speech has died away and the packet may simply repeat.
constexpr int kSettlePackets = 10;

void require(int result, const char* what) {
  if (result != OPUS_OK) throw MediaError(std::string("opus: ") + what + ": " + opus_strerror(result));
}

class OpusSpeech final : public SpeechEncoder {
 public:
  explicit OpusSpeech(int bitrate_bps);
  std::vector<std::uint8_t> encode(std::span<const float> samples) override;

 private:
  struct Free {
    void operator()(::OpusEncoder* encoder) const { opus_encoder_destroy(encoder); }
  };

  std::unique_ptr<::OpusEncoder, Free> encoder_;
  std::vector<std::uint8_t> silence_;
  int silent_packets_ = 0;
};

OpusSpeech::OpusSpeech(int bitrate_bps) {
  if (bitrate_bps < 6'000 || bitrate_bps > 510'000) {
    throw MediaError("opus: " + std::to_string(bitrate_bps) + " bit/s is outside 6000..510000");
  }
  int error = OPUS_OK;
  encoder_.reset(opus_encoder_create(kSampleRate, 1, OPUS_APPLICATION_VOIP, &error));
  require(error, "create");
  require(opus_encoder_ctl(encoder_.get(), OPUS_SET_BITRATE(bitrate_bps)), "bit rate");
  require(opus_encoder_ctl(encoder_.get(), OPUS_SET_COMPLEXITY(kComplexity)), "complexity");
  require(opus_encoder_ctl(encoder_.get(), OPUS_SET_INBAND_FEC(1)), "error correction");
  require(opus_encoder_ctl(encoder_.get(), OPUS_SET_PACKET_LOSS_PERC(kExpectedLoss)), "expected loss");
  require(opus_encoder_ctl(encoder_.get(), OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE)), "signal");
}

std::vector<std::uint8_t> OpusSpeech::encode(std::span<const float> samples) {
  if (samples.size() != kPacketSamples) {
    throw MediaError("opus: a packet takes 960 samples, not " + std::to_string(samples.size()));
  }
  const bool silent = std::all_of(samples.begin(), samples.end(), [](float sample) { return sample == 0.0f; });
  silent_packets_ = silent ? std::min(silent_packets_ + 1, kSettlePackets + 1) : 0;
  if (silent_packets_ > kSettlePackets) return silence_;

  std::array<std::uint8_t, kMaxPacketBytes> packet;
  const int bytes = opus_encode_float(encoder_.get(), samples.data(), kPacketSamples, packet.data(), packet.size());
  if (bytes < 0) throw MediaError(std::string("opus: encode: ") + opus_strerror(bytes));
  std::vector<std::uint8_t> out(packet.begin(), packet.begin() + bytes);
  if (silent_packets_ == kSettlePackets) silence_ = out;
  return out;
}

}  // namespace

std::unique_ptr<SpeechEncoder> SpeechEncoder::opus(int bitrate_bps) {
  return std::make_unique<OpusSpeech>(bitrate_bps);
}

}  // namespace visavis
