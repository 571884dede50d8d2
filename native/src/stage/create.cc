// The Stage that sessions use: an avatar, the viseme net, H.264 and Opus on the steady clock.
#include <stdexcept>

#include "visavis/stage/stage_parts.h"

namespace visavis {
namespace {

std::string name_of(WarpDevice device) {
  switch (device) {
    case WarpDevice::kPortable:
      return "portable";
    case WarpDevice::kAvx2:
      return "avx2";
    case WarpDevice::kAuto:
      break;
  }
  return "auto";
}

// What LipSync's own choice comes to, so that it can be told.
NetDevice best_net_device(const std::shared_ptr<const VisemeNet>& net) {
  try {
    LipSync::create(net, NetDevice::kAvx2);
    return NetDevice::kAvx2;
  } catch (const std::invalid_argument&) {
    return NetDevice::kPortable;
  }
}

}  // namespace

std::unique_ptr<Stage> Stage::create(StageConfig config, StageSink sink) {
  if (config.avatar == nullptr || config.net == nullptr)
    throw std::invalid_argument("a stage needs an avatar and a net");
  const Avatar& avatar = *config.avatar;
  StageParts parts;
  parts.loop = {avatar.width(), avatar.height(), avatar.fps(), avatar.frame_count()};
  parts.fps = config.fps;
  parts.renderer = FaceRenderer::create(config.avatar);
  parts.warp_device = name_of(parts.renderer->device());
  const NetDevice net_device = best_net_device(config.net);
  parts.net_device = net_device == NetDevice::kAvx2 ? "avx2" : "portable";
  parts.make_lip_sync = [net = config.net, net_device] { return LipSync::create(net, net_device); };
  VideoEncoderConfig video;
  video.width = avatar.width();
  video.height = avatar.height();
  video.fps = config.fps;
  video.bitrate_bps = config.video_bitrate_bps;
  parts.video = VideoEncoder::create(video);
  parts.audio = std::make_unique<SpeechEncoder>(config.audio_bitrate_bps);
  parts.clock = MediaClock::steady();
  return make_stage(std::move(parts), std::move(sink));
}

}  // namespace visavis
