// From class probabilities every 10 ms to the pose of a mouth that has mass and prepares what comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "speech/net_stream.h"
#include "visavis/viseme.h"

namespace visavis::speech {

// How far ahead of an instant its pose looks.
inline constexpr double kPoseLookAhead = 0.055;

// The instant of record i: the middle of its analysis window.
inline constexpr double record_time(std::int64_t i) {
  return (kWindow / 2.0 + static_cast<double>(i) * kHop) / LipSync::kSampleRate;
}

// What is kept of each 10 ms.
struct SpeechRecord {
  Posteriors posteriors;
  float loudness;  // 0..1 relative to the speaker's own level.
};

// Consecutive records by number; grows as needed, forgets from the front, keeps its memory.
class RecordRing {
 public:
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  const SpeechRecord& operator[](std::int64_t i) const { return slots_[static_cast<std::size_t>(i) & mask_]; }

  void push(const SpeechRecord& record);
  void forget_before(std::int64_t i);
  void clear() { begin_ = end_ = 0; }

 private:
  std::vector<SpeechRecord> slots_ = std::vector<SpeechRecord>(256);
  std::size_t mask_ = 255;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

// Follows the level of the speaker's vowels and maps each frame's level onto 0..1 against it.
class LoudnessMeter {
 public:
  float next(float level_db, float speech_probability);
  void reset() { reference_ = kNone; }

 private:
  static constexpr float kNone = -1000.0f;
  float reference_ = kNone;
};

// The pose `seconds` after the first sample, from the records around it; rest where there are none.
MouthPose pose_at(const RecordRing& records, double seconds);

}  // namespace visavis::speech
