// Streaming speech in, mouth poses on the speech's own clock out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "visavis/errors.h"
#include "visavis/gpu.h"
#include "visavis/viseme.h"

namespace visavis {

// Where the net runs.
enum class NetDevice { kAuto, kPortable, kAvx2, kCuda };

// The trained weights; immutable, shared by all sessions.
class VisemeNet {
 public:
  // Throws FormatError for a file that is truncated, of another version or inconsistent.
  static std::shared_ptr<const VisemeNet> load(const std::filesystem::path& weights);
  virtual ~VisemeNet() = default;
};

// One utterance: 16 kHz mono samples are pushed as they arrive (faster than real time is normal), poses become final
// 108..118 ms of audio behind what was pushed: 52.5 ms of it is the net's look-ahead, the rest smoothing, anticipation
// and the 10 ms grid. Not thread-safe.
class LipSync {
 public:
  static constexpr int kSampleRate = 16'000;

  // kAuto runs on `gpu` where one is given and takes it, else on the CPU; kCuda on `gpu` or, without one, on the
  // machine's own. Where a GPU fails later, the CPU goes on from there. Throws std::invalid_argument for a null net and
  // for a device that this machine or build lacks.
  static std::unique_ptr<LipSync> create(std::shared_ptr<const VisemeNet> net, NetDevice device = NetDevice::kAuto,
                                         std::shared_ptr<GpuSession> gpu = nullptr);

  virtual ~LipSync() = default;
  virtual void push(std::span<const float> samples) = 0;  // -1..1. Throws std::logic_error after finish().
  virtual void finish() = 0;                              // No more audio: everything pushed becomes final.
  virtual void reset() = 0;                               // Ready for the next utterance; keeps its memory.

  // Poses are final for times below this many seconds from the first sample; the whole duration after finish().
  virtual double ready_until() const = 0;

  // The pose `seconds` after the first sample, smoothed and coarticulated; before the first and after the last sample
  // the mouth goes to rest. Times at or past ready_until() answer with what is known so far, and with rest once that is
  // more than 200 ms behind. Times a second or more before the latest asked for may be forgotten at the next push. The
  // weight of sil is what the others leave of 1 while audio lasts.
  virtual MouthPose at(double seconds) const = 0;

  virtual NetDevice device() const = 0;  // Where the net runs now; never kAuto.
};

}  // namespace visavis
