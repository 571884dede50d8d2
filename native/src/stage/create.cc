// The Stage that sessions use: an avatar, the viseme net, and H.264 and Opus or neither, on the steady clock.
#include <stdexcept>
#include <utility>

#include "lip_lag.h"
#include "visavis/media/raw_media.h"
#include "visavis/stage/stage_parts.h"

namespace visavis {
namespace {

std::string name_of(NetDevice device) {
  switch (device) {
    case NetDevice::kPortable:
      return "portable";
    case NetDevice::kAvx2:
      return "avx2";
    case NetDevice::kCuda:
      return "cuda";
    case NetDevice::kAuto:
      break;
  }
  return "auto";
}

}  // namespace

std::unique_ptr<Stage> Stage::create(StageConfig config, StageSink sink) {
  if (config.avatar == nullptr || config.net == nullptr)
    throw std::invalid_argument("a stage needs an avatar and a net");
  const Avatar& avatar = *config.avatar;
  StageParts parts;
  parts.loop = {avatar.width(), avatar.height(), avatar.fps(), avatar.frame_count()};
  parts.fps = config.fps;
  FoundGpu found = find_gpu();
  parts.gpu = std::move(found.gpu);
  parts.gpu_off = std::move(found.why_not);
  parts.renderer = FaceRenderer::create(config.avatar, parts.gpu);
  parts.avatar = config.avatar;
  parts.warp_device = name_of(parts.renderer->device());
  parts.make_lip_sync = [net = config.net, gpu = parts.gpu] {
    return delay_lips(LipSync::create(net, NetDevice::kAuto, gpu), kLipLagSeconds);
  };
  parts.net_device = name_of(parts.make_lip_sync()->device());
  parts.net_device_off_gpu = name_of(LipSync::create(config.net)->device());
  if (config.output == StageOutput::kRaw) {
    parts.video = make_raw_video(avatar.width(), avatar.height());
    parts.audio = make_raw_speech();
  } else {
    VideoEncoderConfig video;
    video.width = avatar.width();
    video.height = avatar.height();
    video.fps = config.fps;
    video.bitrate_bps = config.video_bitrate_bps;
    parts.video = VideoEncoder::create(video, parts.gpu);
    if (parts.gpu) parts.replace_video = [video] { return VideoEncoder::create(video); };
    parts.audio = SpeechEncoder::opus(config.audio_bitrate_bps);
  }
  parts.clock = MediaClock::steady();
  return make_stage(std::move(parts), std::move(sink));
}

}  // namespace visavis
