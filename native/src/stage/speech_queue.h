// What callers have begun and pushed: the rules of utterances and generations, shared by any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "utterance_player.h"

namespace visavis {

struct Mark {
  std::uint64_t number = 0;
  std::int64_t position = 0;  // 48 kHz samples of the utterance.
};

// What happened to one utterance since the Stage last looked.
struct SpeechNews {
  std::vector<PcmChunk> chunks;
  std::vector<Mark> marks;
  bool ended = false;
};

// Everything is bounded: at most kMaxBacklog samples (ten minutes) unplayed, kMaxWaiting utterances and
// as many marks in each.
class SpeechQueue {
 public:
  static constexpr double kMaxBacklog = 600.0 * UtterancePlayer::kRate;
  static constexpr std::size_t kMaxWaiting = 10'000;

  // Callers.
  std::uint64_t begin();  // Throws std::length_error past kMaxWaiting.
  bool push(std::uint64_t utterance, std::span<const std::int16_t> pcm, int sample_rate);
  bool mark(std::uint64_t utterance, std::uint64_t number);
  void end(std::uint64_t utterance);
  std::uint64_t interrupt();

  // The Stage's thread.
  std::vector<std::uint64_t> take_interrupted();       // Oldest first; each is forgotten by this.
  std::uint64_t first_after(std::uint64_t utterance);  // The next in line, or 0.
  SpeechNews take(std::uint64_t utterance);
  void played(std::int64_t samples);     // Leaves the backlog.
  bool forget(std::uint64_t utterance);  // It has been played to its end; false where an interrupt came first.
  void fail();                           // Nothing is accepted any more.

 private:
  struct Entry {
    std::vector<PcmChunk> chunks;
    std::vector<Mark> marks;
    double pushed = 0;  // In samples at 48 kHz.
    std::size_t marked = 0;
    bool ended = false;
  };

  std::mutex mutex_;
  std::deque<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::vector<std::uint64_t> interrupted_;
  std::uint64_t next_ = 1;
  std::uint64_t generation_ = 1;
  double backlog_ = 0;
  bool failed_ = false;
};

}  // namespace visavis
