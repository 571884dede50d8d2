// The visemes of a whole clip at once, for benchmarks, tests and tools.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "visavis/speech/lip_sync.h"
#include "visavis/viseme.h"

namespace visavis {

inline constexpr double kTrackHopSeconds = 0.010;

// `device` and `gpu` as LipSync::create() takes them.

// Weights of a clip of 16 kHz mono samples (-1..1) at 0, 10, 20 ms.. up to its end, as LipSync shows them.
std::vector<VisemeWeights> viseme_track(std::shared_ptr<const VisemeNet> net, std::span<const float> samples,
                                        NetDevice device = NetDevice::kAuto,
                                        std::shared_ptr<GpuSession> gpu = nullptr);

// The net's own class probabilities, neither smoothed nor coarticulated; row i speaks of 12.5 + 10 i ms.
std::vector<VisemeWeights> posterior_track(std::shared_ptr<const VisemeNet> net, std::span<const float> samples,
                                           NetDevice device = NetDevice::kAuto,
                                           std::shared_ptr<GpuSession> gpu = nullptr);

}  // namespace visavis
