#include "visavis/media/video_encoder.h"

#include "cuda/gpu_session.h"
#include "nvenc_encoder.h"
#include "x264_encoder.h"

namespace visavis {
namespace {

struct Entry {
  const char* name;
  bool (*present)();
  std::unique_ptr<VideoEncoder> (*make)(const VideoEncoderConfig&);
};

// Best first.
constexpr Entry kEncoders[] = {
    {"libx264", have_x264_encoder, make_x264_encoder},
};

// Throws MediaError.
void check(const VideoEncoderConfig& config) {
  const auto& [width, height, fps, bitrate, keyframe_seconds] = config;
  if (width < 16 || height < 16 || width > 4096 || height > 4096 || width % 2 != 0 || height % 2 != 0) {
    throw MediaError("video encoder: " + std::to_string(width) + "x" + std::to_string(height) +
                     " is not an even size within 16..4096");
  }
  if (fps < 1 || fps > 120) throw MediaError("video encoder: " + std::to_string(fps) + " fps is outside 1..120");
  if (bitrate < VideoEncoder::kMinBitrate || bitrate > VideoEncoder::kMaxBitrate) {
    throw MediaError("video encoder: " + std::to_string(bitrate) + " bit/s is outside 50000..50000000");
  }
  if (keyframe_seconds < 1) throw MediaError("video encoder: keyframes cannot be closer than a second");
}

}  // namespace

std::vector<std::string> VideoEncoder::available() {
  std::vector<std::string> names;
  for (const Entry& entry : kEncoders) {
    if (entry.present()) names.emplace_back(entry.name);
  }
  return names;
}

std::unique_ptr<VideoEncoder> VideoEncoder::create(const VideoEncoderConfig& config, std::string_view name) {
  check(config);
  for (const Entry& entry : kEncoders) {
    if ((name == "auto" || name == entry.name) && entry.present()) return entry.make(config);
  }
  throw MediaError("video encoder: no \"" + std::string(name) + "\" here");
}

std::unique_ptr<VideoEncoder> VideoEncoder::create(const VideoEncoderConfig& config,
                                                   const std::shared_ptr<GpuSession>& gpu) {
  check(config);
  if (gpu == nullptr) return create(config);
  try {
    return make_nvenc_encoder(config, gpu);
  } catch (const MediaError& error) {
    gpu->leave(GpuSession::Part::kEncoder, error.what());
    return create(config);
  }
}

}  // namespace visavis
