// Turns what callers pushed into 20 ms blocks of sound, with the mouth and the events that belong to them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mouth_follower.h"
#include "speech_queue.h"
#include "utterance_player.h"
#include "visavis/stage/stage.h"

namespace visavis {

struct SpeechBlock {
  bool speech = false;             // Holds samples of an utterance.
  std::optional<LivePose> pose;    // At the frame asked for, where speech is heard there.
  std::vector<StageEvent> before;  // To be told before the block is sent: what starts it.
  std::vector<StageEvent> after;   // And after: what ends in it, and all that follows that.
};

// Stage thread only.
class Speaker {
 public:
  static constexpr int kRate = UtterancePlayer::kRate;
  static constexpr int kFadeSamples = kRate * 30 / 1000;     // Interrupt.
  static constexpr int kDeclickSamples = kRate * 5 / 1000;   // Where an underrun breaks the sound off and resumes it.
  static constexpr int kStartSamples = kRate * 20 / 1000;    // Must be ready before an utterance starts.
  static constexpr int kResumeSamples = kRate * 100 / 1000;  // And before it resumes after an underrun.

  Speaker(SpeechQueue& queue, std::function<std::unique_ptr<LipSync>()> make_lip_sync);

  // Writes the block that starts at `start` on the media clock. `frame` is where in the block a frame is due, or -1.
  SpeechBlock compose(std::int64_t start, std::span<float> out, int frame);

  std::uint64_t underruns() const { return underruns_; }

 private:
  struct Active {
    std::uint64_t utterance;
    UtterancePlayer player;
    std::deque<Mark> marks;
    bool started = false;
    bool playing = false;
    std::uint64_t stretch = 0;
    std::int64_t stretch_begin = 0;  // Position where this stretch of playback started.
  };
  struct Position {
    std::int64_t start;
    std::span<float> out;
    int frame;
    std::size_t done = 0;
    SpeechBlock block = {};
  };

  void heed_interrupts(Position& at);
  void prepare();
  std::unique_ptr<Active> next_after(std::uint64_t utterance);
  bool fade(Position& at);
  bool play(Position& at);
  bool may_play(Position& at);
  void take(Active& active, Position& at, std::size_t count);
  void tell_marks(Active& active, Position& at);
  void finish(std::unique_ptr<Active> active, Position& at, bool interrupted);
  StageEvent event(StageEvent::Kind kind, std::uint64_t utterance, const Position& at) const;
  void decay(Position& at);

  SpeechQueue& queue_;
  std::function<std::unique_ptr<LipSync>()> make_lip_sync_;
  std::vector<std::unique_ptr<LipSync>> spare_;
  std::unique_ptr<Active> current_;
  std::unique_ptr<Active> next_;
  std::unique_ptr<Active> fading_;
  int fade_done_ = 0;
  int fade_length_ = 0;
  float last_sample_ = 0;  // Decays to silence after an underrun.
  float decay_step_ = 0;
  std::uint64_t stretches_ = 0;
  std::uint64_t underruns_ = 0;
};

}  // namespace visavis
