// A Stage from its parts: how tests and benchmarks put in their own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "visavis/face/renderer.h"
#include "visavis/media/speech_encoder.h"
#include "visavis/media/video_encoder.h"
#include "visavis/speech/lip_sync.h"
#include "visavis/stage/media_clock.h"
#include "visavis/stage/stage.h"

namespace visavis {

// How the idle loop is laid out.
struct LoopInfo {
  int width = 0;
  int height = 0;
  int fps = 25;  // Rate the loop was made at; its frames are picked by media time.
  int frames = 0;
};

struct StageParts {
  LoopInfo loop;
  int fps = 25;  // 25 or 30.
  std::unique_ptr<FaceRenderer> renderer;
  std::shared_ptr<const Avatar> avatar;  // The renderer's; null where that is a stand-in.
  std::function<std::unique_ptr<LipSync>()> make_lip_sync;  // Called on the constructing thread and on the stage's own.
  std::unique_ptr<VideoEncoder> video;
  // Makes the encoder that goes on, once, where `video` fails; without it that ends the stage. Called on the stage's
  // own thread.
  std::function<std::unique_ptr<VideoEncoder>()> replace_video;
  std::unique_ptr<SpeechEncoder> audio;
  std::unique_ptr<MediaClock> clock;
  std::string warp_device;
  std::string net_device;
  std::string net_device_off_gpu;   // Where the net goes on when it leaves the GPU.
  std::shared_ptr<GpuSession> gpu;  // That the parts above share; null without one.
  std::string gpu_off;              // Why there is none.
};

// Throws std::invalid_argument where a part is missing or the loop is empty.
std::unique_ptr<Stage> make_stage(StageParts parts, StageSink sink);

}  // namespace visavis
