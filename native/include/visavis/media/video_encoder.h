// Pictures to H.264 access units.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "visavis/image.h"
#include "visavis/media/media_error.h"

namespace visavis {

struct VideoEncoderConfig {
  int width = 0;   // Even.
  int height = 0;  // Even.
  int fps = 25;
  int bitrate_bps = 1'500'000;  // A ceiling: easy pictures take less.
  int keyframe_seconds = 10;    // Lost frames are mended by request_keyframe(); this only bounds a silent failure.
};

struct AccessUnit {
  std::vector<std::uint8_t> data;  // Annex B; parameter sets stand before every keyframe.
  bool keyframe = false;           // An IDR picture.
};

// One picture in, one access unit of one slice out, without delay: constrained baseline, BT.709 limited range. An
// encoder on a GPU joins here under its own name. Not thread-safe.
class VideoEncoder {
 public:
  static constexpr int kMinBitrate = 50'000;
  static constexpr int kMaxBitrate = 50'000'000;

  // `name` is one of available(), or "auto" for its first. Throws MediaError where the encoder is unknown or refuses.
  static std::unique_ptr<VideoEncoder> create(const VideoEncoderConfig& config, std::string_view name = "auto");

  // Encoders this build can run, best first.
  static std::vector<std::string> available();

  virtual ~VideoEncoder() = default;

  // The picture is read before the call returns. Throws MediaError.
  virtual AccessUnit encode(const I420View& picture) = 0;

  virtual void request_keyframe() = 0;    // The next picture becomes one.
  virtual void set_bitrate(int bps) = 0;  // From the next picture on; clamped to kMinBitrate..kMaxBitrate.
  virtual std::string_view name() const = 0;
};

}  // namespace visavis
