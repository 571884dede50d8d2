// What leaves a Stage as it was made, for a consumer that encodes for itself.
#pragma once

#include <memory>

#include "visavis/media/speech_encoder.h"
#include "visavis/media/video_encoder.h"

namespace visavis {

// Every picture as i420_bytes() bytes, Y then U then V without padding, and each a keyframe: none needs another. Throws
// MediaError on a size that is not even or outside 16..4096.
std::unique_ptr<VideoEncoder> make_raw_video(int width, int height);

// Every 20 ms as 960 samples of signed 16 bits, little-endian; what is beyond full scale is cut.
std::unique_ptr<SpeechEncoder> make_raw_speech();

}  // namespace visavis
