// Streaming speech in, mouth poses on the speech's own clock out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "visavis/errors.h"
#include "visavis/viseme.h"

namespace visavis {

// Where the net runs. (CUDA joins this list behind the same class.)
enum class NetDevice { kAuto, kPortable, kAvx2 };

// The trained weights; immutable, shared by all sessions.
class VisemeNet {
 public:
  // Throws FormatError for a file that is truncated, of another version or inconsistent.
  static std::shared_ptr<const VisemeNet> load(const std::filesystem::path& weights);
  virtual ~VisemeNet() = default;
};

// One utterance: 16 kHz mono samples are pushed as they arrive (faster than real time is normal), poses become final
// about 60 ms of audio behind what was pushed. Not thread-safe.
class LipSync {
 public:
  static constexpr int kSampleRate = 16'000;

  static std::unique_ptr<LipSync> create(std::shared_ptr<const VisemeNet> net, NetDevice device = NetDevice::kAuto);

  virtual ~LipSync() = default;
  virtual void push(std::span<const float> samples) = 0;  // -1..1.
  virtual void finish() = 0;                              // No more audio: everything pushed becomes final.
  virtual void reset() = 0;                               // Ready for the next utterance; keeps its memory.

  // Poses are final for times below this many seconds from the first sample.
  virtual double ready_until() const = 0;

  // The pose `seconds` after the first sample, smoothed and coarticulated; before the first and after the last sample the
  // mouth goes to rest. Times at or past ready_until() answer with what is known so far.
  virtual MouthPose at(double seconds) const = 0;
};

}  // namespace visavis
