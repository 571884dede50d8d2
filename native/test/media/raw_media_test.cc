#include "visavis/media/raw_media.h"

#include <cstring>
#include <utility>
#include <vector>

#include "check.h"

using visavis::AccessUnit;
using visavis::I420View;
using visavis::make_raw_speech;
using visavis::make_raw_video;
using visavis::MediaError;
using visavis::SpeechEncoder;

namespace {

std::vector<std::int16_t> samples_of(const std::vector<std::uint8_t>& packet) {
  std::vector<std::int16_t> samples(packet.size() / 2);
  std::memcpy(samples.data(), packet.data(), packet.size());
  return samples;
}

}  // namespace

CHECK_CASE("a picture leaves without the padding of its lines") {
  constexpr int kWidth = 32, kHeight = 16, kStride = 48, kStrideUv = 40;
  std::vector<std::uint8_t> y(kStride * kHeight, 255), u(kStrideUv * kHeight / 2, 255), v(kStrideUv * kHeight / 2, 255);
  for (int row = 0; row < kHeight; ++row) {
    for (int x = 0; x < kWidth; ++x) y[row * kStride + x] = static_cast<std::uint8_t>(row * 4 + x % 4);
  }
  for (int row = 0; row < kHeight / 2; ++row) {
    for (int x = 0; x < kWidth / 2; ++x) {
      u[row * kStrideUv + x] = static_cast<std::uint8_t>(100 + row);
      v[row * kStrideUv + x] = static_cast<std::uint8_t>(200 + x);
    }
  }
  const auto video = make_raw_video(kWidth, kHeight);
  const AccessUnit unit = video->encode({y.data(), u.data(), v.data(), kStride, kStrideUv, kWidth, kHeight});
  CHECK(unit.keyframe);
  CHECK(unit.data.size() == visavis::i420_bytes(kWidth, kHeight));
  CHECK(unit.data[0] == 0 && unit.data[kWidth] == 4 && unit.data[kWidth * kHeight - 1] == 63);
  const std::uint8_t* chroma = unit.data.data() + kWidth * kHeight;
  CHECK(chroma[0] == 100 && chroma[kWidth / 2] == 101 && chroma[kWidth * kHeight / 4 - 1] == 107);
  CHECK(chroma[kWidth * kHeight / 4] == 200 && chroma[kWidth * kHeight / 2 - 1] == 215);
  for (const std::uint8_t byte : unit.data) CHECK(byte != 255);
  CHECK(video->name() == "raw");
}

CHECK_CASE("a picture of another size and an odd size are refused") {
  const auto video = make_raw_video(32, 16);
  visavis::I420Frame other(16, 16);
  CHECK_THROWS(MediaError, video->encode(std::as_const(other).view()));
  CHECK_THROWS(MediaError, make_raw_video(33, 16));
  CHECK_THROWS(MediaError, make_raw_video(8, 16));
  CHECK_THROWS(MediaError, make_raw_video(32, 5'000));
}

CHECK_CASE("samples of sixteen bits come back as they were, and none wraps around") {
  const auto speech = make_raw_speech();
  std::vector<float> samples(SpeechEncoder::kPacketSamples);
  for (int i = 0; i < SpeechEncoder::kPacketSamples; ++i) {
    samples[static_cast<std::size_t>(i)] = static_cast<float>(i * 68 - 32'768) / 32'768.0f;
  }
  const auto packet = speech->encode(samples);
  CHECK(packet.size() == 1'920);
  const auto back = samples_of(packet);
  for (int i = 0; i < SpeechEncoder::kPacketSamples; ++i) CHECK(back[static_cast<std::size_t>(i)] == i * 68 - 32'768);
  samples.assign(samples.size(), 2.0f);
  samples[1] = -2.0f;
  const auto cut = samples_of(speech->encode(samples));
  CHECK(cut[0] == 32'767 && cut[1] == -32'768);
  samples.pop_back();
  CHECK_THROWS(MediaError, speech->encode(samples));
}

CHECK_MAIN
