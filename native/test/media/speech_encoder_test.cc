#include "visavis/media/speech_encoder.h"

#include <opus.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "check.h"

using visavis::MediaError;
using visavis::SpeechEncoder;

namespace {

constexpr int kPacket = SpeechEncoder::kPacketSamples;

// Voiced-like: a 140 Hz fundamental with falling harmonics, swelling four times a second.
std::vector<float> voice(int packets) {
  std::vector<float> samples(static_cast<std::size_t>(packets * kPacket));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double at = static_cast<double>(i) / 48'000;
    double value = 0;
    for (int harmonic = 1; harmonic <= 12; ++harmonic) {
      value += std::sin(2 * std::numbers::pi * 140 * harmonic * at) / harmonic;
    }
    samples[i] = static_cast<float>(0.2 * value * (0.6 + 0.4 * std::sin(2 * std::numbers::pi * 4 * at)));
  }
  return samples;
}

class Decoder {
 public:
  Decoder() : decoder_(opus_decoder_create(48'000, 1, nullptr), opus_decoder_destroy) {}

  void decode(const std::vector<std::uint8_t>& packet, std::vector<float>& out, bool lost_before = false) {
    std::array<float, kPacket> pcm;
    const int count = opus_decode_float(decoder_.get(), packet.data(), static_cast<int>(packet.size()), pcm.data(),
                                        kPacket, lost_before ? 1 : 0);
    CHECK(count == kPacket);
    out.insert(out.end(), pcm.begin(), pcm.end());
  }

 private:
  std::unique_ptr<OpusDecoder, void (*)(OpusDecoder*)> decoder_;
};

std::span<const float> packet_of(const std::vector<float>& samples, int index) {
  return std::span(samples).subspan(static_cast<std::size_t>(index * kPacket), kPacket);
}

double energy(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) sum += sample * sample;
  return sum / static_cast<double>(samples.size());
}

// Best normalized correlation within the codec's delay.
double likeness(std::span<const float> a, std::span<const float> b) {
  double best = 0;
  for (std::size_t lag = 0; lag < 480; ++lag) {
    double cross = 0, left = 0, right = 0;
    for (std::size_t i = 0; i + lag < a.size(); ++i) {
      cross += a[i] * b[i + lag];
      left += a[i] * a[i];
      right += b[i + lag] * b[i + lag];
    }
    best = std::max(best, cross / std::sqrt(left * right + 1e-12));
  }
  return best;
}

}  // namespace

CHECK_CASE("speech survives the round trip") {
  const auto encoder = SpeechEncoder::opus(32'000);
  Decoder decoder;
  const auto spoken = voice(50);
  std::vector<float> heard;
  std::size_t bytes = 0;
  for (int i = 0; i < 50; ++i) {
    const auto packet = encoder->encode(packet_of(spoken, i));
    CHECK(opus_packet_get_samples_per_frame(packet.data(), 48'000) == kPacket);
    CHECK(opus_packet_get_nb_frames(packet.data(), static_cast<int>(packet.size())) == 1);
    bytes += packet.size();
    decoder.decode(packet, heard);
  }
  CHECK(likeness(std::span(spoken).subspan(9'600, 28'800), std::span(heard).subspan(9'600, 28'800)) > 0.8);
  CHECK(bytes * 8 < 60'000);
}

CHECK_CASE("silence settles into one packet, and speech after it is not harmed") {
  const auto encoder = SpeechEncoder::opus(32'000);
  Decoder decoder;
  const auto spoken = voice(25);
  const std::vector<float> silence(kPacket, 0.0f);
  std::vector<float> first, quiet, second;
  for (int i = 0; i < 25; ++i) decoder.decode(encoder->encode(packet_of(spoken, i)), first);
  std::vector<std::uint8_t> settled;
  for (int i = 0; i < 100; ++i) {
    const auto packet = encoder->encode(silence);
    if (i == 20) settled = packet;
    if (i > 20) CHECK(packet == settled);
    decoder.decode(packet, quiet);
  }
  CHECK(energy(std::span(quiet).subspan(50 * kPacket)) < 1e-8);
  for (int i = 0; i < 25; ++i) decoder.decode(encoder->encode(packet_of(spoken, i)), second);
  const auto from = [](const std::vector<float>& all) { return std::span(all).subspan(3 * kPacket, 20 * kPacket); };
  CHECK_NEAR(energy(from(second)) / energy(from(first)), 1.0, 0.1);
  CHECK(likeness(from(spoken), from(second)) > likeness(from(spoken), from(first)) - 0.05);
}

CHECK_CASE("a lost packet is carried by the next one") {
  const auto encoder = SpeechEncoder::opus(32'000);
  Decoder decoder;
  const auto spoken = voice(30);
  std::vector<std::vector<std::uint8_t>> packets;
  for (int i = 0; i < 30; ++i) packets.push_back(encoder->encode(packet_of(spoken, i)));
  std::vector<float> heard;
  for (int i = 0; i < 20; ++i) decoder.decode(packets[static_cast<std::size_t>(i)], heard);
  std::vector<float> mended;
  decoder.decode(packets[21], mended, true);
  CHECK(likeness(packet_of(spoken, 20).subspan(0, 400), mended) > 0.8);
}

CHECK_CASE("wrong sizes and rates are refused") {
  const auto encoder = SpeechEncoder::opus(32'000);
  const std::vector<float> samples(961);
  CHECK_THROWS(MediaError, encoder->encode(samples));
  CHECK_THROWS(MediaError, SpeechEncoder::opus(100));
}

CHECK_MAIN
