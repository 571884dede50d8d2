// The live engine of one session: one native thread, one media clock, audio and video packets out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "visavis/face/avatar.h"
#include "visavis/speech/lip_sync.h"

namespace visavis {

// What a Stage's packets hold: H.264 access units (Annex B, one slice) and 20 ms Opus packets, or, for a consumer that
// encodes for itself, I420 pictures (Y, U, V without padding) and 20 ms of signed 16-bit little-endian mono at 48 kHz.
enum class StageOutput { kEncoded, kRaw };

struct StageConfig {
  std::shared_ptr<const Avatar> avatar;
  std::shared_ptr<const VisemeNet> net;
  int fps = 25;  // 25 or 30.
  StageOutput output = StageOutput::kEncoded;
  int video_bitrate_bps = 1'500'000;  // Of an encoded output, as is the one below.
  int audio_bitrate_bps = 32'000;
};

// One picture, or 20 ms of sound, as StageOutput says.
struct MediaPacket {
  enum class Kind { kAudio, kVideo } kind = Kind::kAudio;
  std::vector<std::uint8_t> data;
  std::uint32_t rtp_timestamp = 0;  // 48 kHz units for audio, 90 kHz for video; both count from the same clock's zero.
  bool keyframe = false;            // Video only.
  bool speech = false;              // Audio only: holds samples of an utterance, not silence.
};

struct StageEvent {
  enum class Kind { kUtteranceStarted, kUtteranceEnded, kMark, kLeftGpu, kFailed } kind = Kind::kFailed;
  std::uint64_t utterance = 0;
  std::uint64_t mark = 0;    // kMark.
  double media_time_ms = 0;  // When on the media clock.
  double played_ms = 0;      // kUtteranceEnded: speech heard.
  bool interrupted = false;  // kUtteranceEnded.
  std::string message;       // kFailed, and kLeftGpu: as StageStats::gpu_off; the session goes on.
};

struct Percentiles {
  double p50 = 0, p95 = 0, p99 = 0;
};

struct StageStats {
  std::uint64_t frames = 0, dropped_frames = 0, audio_packets = 0, underruns = 0;
  double fps = 0;                   // Over the last two seconds of media time, as is bitrate_bps.
  Percentiles frame_ms, encode_ms;  // Whole frame; the encoder alone.
  double bitrate_bps = 0;           // Of the video, as it leaves the Stage.
  std::string encoder, warp_device, net_device;  // Where they run now.
  std::string gpu;            // The card's name; empty without one.
  std::size_t gpu_bytes = 0;  // In use on it, by all that use it.
  std::string gpu_off;  // Why there is none or, with one, what does not run on it and why. Empty while all does.
};

// Called on the stage's own thread, in order; must not block.
struct StageSink {
  std::function<void(MediaPacket&&)> on_packet;
  std::function<void(const StageEvent&)> on_event;
};

// Thread-safe. The idle loop runs from construction to destruction; the destructor joins the thread and frees
// everything.
class Stage {
 public:
  static std::unique_ptr<Stage> create(StageConfig config, StageSink sink);
  virtual ~Stage() = default;

  // Starts an utterance in the current generation and returns its number (never 0). Utterances play one after another.
  virtual std::uint64_t begin_utterance() = 0;
  // Appends mono PCM at 8..48 kHz. False when the utterance is unknown, ended or of an interrupted generation, and when
  // ten minutes are waiting already.
  virtual bool push_audio(std::uint64_t utterance, std::span<const std::int16_t> pcm, int sample_rate) = 0;
  // Asks for a kMark event when playback reaches the end of what was pushed so far.
  virtual bool add_mark(std::uint64_t utterance, std::uint64_t mark) = 0;
  virtual void end_utterance(std::uint64_t utterance) = 0;

  // Barge-in: fades what is heard over 30 ms, drops everything queued, closes the mouth. Every utterance that had begun
  // gets one kUtteranceEnded with interrupted set. Returns the new generation.
  virtual std::uint64_t interrupt() = 0;

  // The loop of a delivery tone, in place of one added before under that name. The loop the stage was made with is
  // "neutral". Throws std::invalid_argument where its size or frame rate is another.
  virtual void add_tone(const std::string& tone, std::shared_ptr<const Avatar> avatar) = 0;
  // Morphs to the loop of a tone within about 320 ms. False, and nothing changes, for one that was not added.
  virtual bool set_tone(const std::string& tone) = 0;

  virtual void request_keyframe() = 0;
  virtual void set_video_bitrate(int bps) = 0;  // A ceiling, clamped as VideoEncoder says.
  virtual StageStats stats() const = 0;
};

}  // namespace visavis
