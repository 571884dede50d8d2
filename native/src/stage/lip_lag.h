// Lips on the clock of the ear: what a receiver does to sound, done to the mouth.
#pragma once

#include <memory>

#include "visavis/speech/lip_sync.h"

namespace visavis {

// How much later than its timestamp sound is heard beside a picture of the same timestamp: 6.5 ms inside the Opus
// encoder (RFC 6716, section 4: 2.5 ms of overlap and 4 ms of resampling), and some 20 ms because browsers hold audio
// longer than video. Chromium was seen playing audio 22..34 ms behind our video, below the 30 ms at which it starts to
// correct.
inline constexpr double kLipLagSeconds = 0.026;

// `lips`, with every pose `lag_seconds` later. Poses become final that much earlier in exchange.
std::unique_ptr<LipSync> delay_lips(std::unique_ptr<LipSync> lips, double lag_seconds);

}  // namespace visavis
