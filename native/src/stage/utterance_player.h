// One utterance on its way from pushed PCM to what is heard and shown.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "visavis/media/resampler.h"
#include "visavis/media/ring_buffer.h"
#include "visavis/speech/lip_sync.h"

namespace visavis {

// PCM as a caller pushed it.
struct PcmChunk {
  std::vector<std::int16_t> samples;
  int sample_rate = 0;
};

// Resamples and runs the viseme net only a little ahead of playback, so that a burst of speech never stalls the clock
// and an interrupt wastes little. Positions are 48 kHz samples from the utterance's first. Stage thread only.
class UtterancePlayer {
 public:
  static constexpr int kRate = 48'000;
  static constexpr std::int64_t kAhead = kRate * 4 / 10;  // Prepared this far beyond what was played.

  // Borrows a LipSync fresh from reset(); release() gives it back.
  explicit UtterancePlayer(std::unique_ptr<LipSync> lip_sync);

  void feed(PcmChunk&& chunk);
  void end() { ended_ = true; }  // No feed() follows.

  // Prepares at most `budget` samples more. Throws MediaError.
  void prepare(std::int64_t budget);

  std::int64_t played() const { return played_; }
  // Samples that may be played now: their poses are final.
  std::int64_t ready() const;
  bool finished() const { return finished_; }                         // Everything pushed has been prepared.
  bool drained() const { return finished_ && played_ == prepared_; }  // And played.

  // Takes out.size() <= ready() samples.
  void read(std::span<float> out);

  MouthPose pose_at(std::int64_t position) const;

  std::unique_ptr<LipSync> release();

 private:
  void convert(std::span<const std::int16_t> samples, int sample_rate);
  void change_rate(int sample_rate);
  void flush();
  void deliver();

  std::unique_ptr<LipSync> lip_sync_;
  std::deque<PcmChunk> raw_;
  std::size_t raw_offset_ = 0;  // Samples of raw_.front() already converted.
  std::optional<Resampler> to_heard_;
  std::optional<Resampler> to_lips_;
  std::vector<float> heard_scratch_;
  std::vector<float> lips_scratch_;
  RingBuffer<float> heard_;
  std::int64_t prepared_ = 0;
  std::int64_t played_ = 0;
  bool ended_ = false;
  bool finished_ = false;
};

}  // namespace visavis
