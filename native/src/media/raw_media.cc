#include "visavis/media/raw_media.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace visavis {
namespace {

static_assert(std::endian::native == std::endian::little, "raw samples are handed on as they lie in memory");

std::uint8_t* copy_plane(std::uint8_t* out, const std::uint8_t* plane, int stride, int width, int height) {
  for (int row = 0; row < height; ++row, plane += stride, out += width) {
    std::memcpy(out, plane, static_cast<std::size_t>(width));
  }
  return out;
}

class RawVideo final : public VideoEncoder {
 public:
  RawVideo(int width, int height) : width_(width), height_(height) {}

  AccessUnit encode(const I420View& picture) override {
    if (picture.width != width_ || picture.height != height_) {
      throw MediaError("raw video: a picture of " + std::to_string(picture.width) + "x" +
                       std::to_string(picture.height) + " where " + std::to_string(width_) + "x" +
                       std::to_string(height_) + " was announced");
    }
    AccessUnit unit{std::vector<std::uint8_t>(i420_bytes(width_, height_)), true};
    std::uint8_t* out = copy_plane(unit.data.data(), picture.y, picture.stride_y, width_, height_);
    out = copy_plane(out, picture.u, picture.stride_uv, width_ / 2, height_ / 2);
    copy_plane(out, picture.v, picture.stride_uv, width_ / 2, height_ / 2);
    return unit;
  }

  void request_keyframe() override {}
  void set_bitrate(int) override {}
  std::string_view name() const override { return "raw"; }

 private:
  const int width_;
  const int height_;
};

class RawSpeech final : public SpeechEncoder {
 public:
  std::vector<std::uint8_t> encode(std::span<const float> samples) override {
    if (samples.size() != kPacketSamples) {
      throw MediaError("raw speech: a packet takes 960 samples, not " + std::to_string(samples.size()));
    }
    std::vector<std::uint8_t> packet(samples.size() * sizeof(std::int16_t));
    std::uint8_t* out = packet.data();
    for (const float sample : samples) {
      const auto value = static_cast<std::int16_t>(std::lround(std::clamp(sample * 32'768.0f, -32'768.0f, 32'767.0f)));
      std::memcpy(out, &value, sizeof value);
      out += sizeof value;
    }
    return packet;
  }
};

}  // namespace

std::unique_ptr<VideoEncoder> make_raw_video(int width, int height) {
  if (width < 16 || height < 16 || width > 4096 || height > 4096 || width % 2 != 0 || height % 2 != 0) {
    throw MediaError("raw video: " + std::to_string(width) + "x" + std::to_string(height) +
                     " is not an even size within 16..4096");
  }
  return std::make_unique<RawVideo>(width, height);
}

std::unique_ptr<SpeechEncoder> make_raw_speech() { return std::make_unique<RawSpeech>(); }

}  // namespace visavis
