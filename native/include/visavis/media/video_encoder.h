// Pictures to H.264 access units.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "visavis/gpu.h"
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

// One picture in, one access unit of one slice out, without delay: constrained baseline, BT.709 limited range. Not
// thread-safe.
class VideoEncoder {
 public:
  static constexpr int kMinBitrate = 50'000;
  static constexpr int kMaxBitrate = 50'000'000;

  // `name` is one of available(), or "auto" for its first. Throws MediaError where the encoder is unknown or refuses.
  static std::unique_ptr<VideoEncoder> create(const VideoEncoderConfig& config, std::string_view name = "auto");

  // On the GPU ("h264_nvenc", which is not among available()) where that has an encoder to spare, else the first of
  // available(), and the session is told why. Throws MediaError as the other one does.
  static std::unique_ptr<VideoEncoder> create(const VideoEncoderConfig& config, const std::shared_ptr<GpuSession>& gpu);

  // Encoders of the processor that this build can run, best first.
  static std::vector<std::string> available();

  virtual ~VideoEncoder() = default;

  // The picture is read before the call returns. Throws MediaError.
  virtual AccessUnit encode(const I420View& picture) = 0;

  // A picture of the encoder's own, in the memory of the GPU that it runs on, for the next one to be drawn into on its
  // session's stream: encode_surface() then takes the place of encode(). Null where there is none. Throws MediaError.
  virtual const GpuPicture* surface() { return nullptr; }
  virtual AccessUnit encode_surface() { throw MediaError(std::string(name()) + ": no picture of its own"); }

  virtual void request_keyframe() = 0;    // The next picture becomes one.
  virtual void set_bitrate(int bps) = 0;  // From the next picture on; clamped to kMinBitrate..kMaxBitrate.
  virtual std::string_view name() const = 0;
};

}  // namespace visavis
