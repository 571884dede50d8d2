// Streaming speech in, words out, on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace visavis {

// A recogniser that does not load or fails while running. The message is fit to be shown.
struct HearingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct RecogniserConfig {
  std::filesystem::path model_dir{};  // Empty: the American English model where its package puts it.
};

struct RecogniserEvent {
  enum class Kind {
    kReady,       // Loaded; first of all, or kFailed.
    kFailed,      // Nothing follows.
    kHypothesis,  // The words of the turn so far.
    kSettled,     // The answer to settle().
  };
  Kind kind = Kind::kReady;
  std::string text{};         // Words, or what failed.
  std::uint64_t number = 0;   // kSettled: what settle() returned.
  std::uint64_t dropped = 0;  // kHypothesis: dropped() when its sound was pushed; void once that counts further.
};

// One listener. Its calls never wait for the decoder; they come from one thread.
class Recogniser {
 public:
  static constexpr int kSampleRate = 16'000;
  static constexpr std::size_t kMaxWaiting = 30 * kSampleRate;  // Samples not yet decoded.

  // True when this build can recognise at all; open() still works otherwise, and fails with kFailed.
  static bool available();

  // Loads on its own thread. `sink` is called on that thread and must not block.
  static std::unique_ptr<Recogniser> open(RecogniserConfig config, std::function<void(RecogniserEvent&&)> sink);

  // Ends the thread, and the sink is not called afterwards. One that still loads is not waited for: it ends by itself.
  virtual ~Recogniser() = default;

  // Mono. False, and nothing taken, when more than kMaxWaiting would wait and once it has failed.
  virtual bool push(std::span<const std::int16_t> pcm) = 0;
  // Ends the turn at the end of what was pushed. Returns the number kSettled will carry.
  virtual std::uint64_t settle() = 0;
  // Forgets what was pushed since the last settle().
  virtual void drop() = 0;
  // Another person, or another microphone, speaks from here on: what was learnt of the last one's level is forgotten.
  // Includes drop().
  virtual void begin_speaker() = 0;
  virtual std::uint64_t dropped() const = 0;  // How often drop() and begin_speaker() were called.
};

}  // namespace visavis
