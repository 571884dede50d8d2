#pragma once

#include <memory>

#include "visavis/media/video_encoder.h"

namespace visavis {

// libx264 through libavcodec.
std::unique_ptr<VideoEncoder> make_x264_encoder(const VideoEncoderConfig& config);
bool have_x264_encoder();

}  // namespace visavis
