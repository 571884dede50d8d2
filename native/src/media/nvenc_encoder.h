#pragma once

#include <memory>

#include "visavis/media/video_encoder.h"

namespace visavis {

// NVENC through libavcodec, on the stream that the session's pictures are drawn on: they stay in the GPU's memory, and
// nothing is waited for but the packet. Throws MediaError, in words for a person, where libavcodec, the driver or the
// card has none, and where all encoder sessions of the card are taken.
std::unique_ptr<VideoEncoder> make_nvenc_encoder(const VideoEncoderConfig& config, std::shared_ptr<GpuSession> gpu);

}  // namespace visavis
