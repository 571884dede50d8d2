#ifdef __linux__
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "cuda/gpu_session.h"
#include "meter.h"
#include "speaker.h"
#include "visavis/stage/stage_parts.h"
#include "wardrobe.h"

namespace visavis {
namespace {

using std::chrono::nanoseconds;

constexpr int kRate = Speaker::kRate;
constexpr int kBlock = SpeechEncoder::kPacketSamples;
constexpr int kVideoRtpRate = 90'000;

// Later than this the Stage skips sound instead of catching up, and pictures where two are due at once behind the
// newest: a burst would only fill the receiver's jitter buffer.
constexpr nanoseconds kMaxCatchUp = std::chrono::milliseconds(80);

nanoseconds at_sample(std::int64_t sample) {
  return std::chrono::seconds(sample / kRate) + nanoseconds(sample % kRate * 1'000'000'000 / kRate);
}

std::int64_t sample_at(nanoseconds time) { return time.count() * (kRate / 1'000) / 1'000'000; }

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Names the thread and asks to run ahead of ordinary work; a process that may not ask goes on as it is.
void settle_in() {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "visavis-stage");
  constexpr int kNice = -10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
#endif
}

class LiveStage final : public Stage {
 public:
  LiveStage(StageParts parts, StageSink sink)
      : parts_(std::move(parts)),
        sink_(std::move(sink)),
        samples_per_frame_(kRate / parts_.fps),
        picture_(parts_.loop.width, parts_.loop.height),
        wardrobe_(parts_.loop, std::move(parts_.renderer), std::move(parts_.avatar), parts_.fps),
        speaker_(queue_, parts_.make_lip_sync),
        thread_([this](std::stop_token stop) { run(stop); }) {}

  std::uint64_t begin_utterance() override { return queue_.begin(); }
  bool push_audio(std::uint64_t utterance, std::span<const std::int16_t> pcm, int sample_rate) override {
    return queue_.push(utterance, pcm, sample_rate);
  }
  bool add_mark(std::uint64_t utterance, std::uint64_t mark) override { return queue_.mark(utterance, mark); }
  void end_utterance(std::uint64_t utterance) override { queue_.end(utterance); }
  std::uint64_t interrupt() override { return queue_.interrupt(); }
  void add_tone(const std::string& tone, std::shared_ptr<const Avatar> avatar) override {
    wardrobe_.add(tone, std::move(avatar));
  }
  bool set_tone(const std::string& tone) override { return wardrobe_.wear(tone); }
  void request_keyframe() override { keyframe_wanted_ = true; }
  void set_video_bitrate(int bps) override { wanted_bitrate_ = bps; }

  StageStats stats() const override {
    // Asked of the driver, for which the Stage's own thread must not wait.
    const std::size_t gpu_bytes = parts_.gpu ? bytes_used(*parts_.gpu) : 0;
    const std::lock_guard lock(stats_mutex_);
    StageStats stats = counts_;
    stats.gpu_bytes = gpu_bytes;
    stats.fps = rate_.per_second(media_now_);
    stats.bitrate_bps = rate_.bits_per_second(media_now_);
    stats.frame_ms = frame_ms_.get();
    stats.encode_ms = encode_ms_.get();
    stats.encoder = parts_.video->name();
    stats.warp_device = parts_.warp_device;
    stats.net_device = parts_.net_device;
    stats.gpu_off = parts_.gpu_off;
    if (parts_.gpu) {
      if (parts_.gpu->left(GpuSession::Part::kNet)) stats.net_device = parts_.net_device_off_gpu;
      stats.gpu = name_of(*parts_.gpu);
      stats.gpu_off = left_gpu(*parts_.gpu);
    }
    return stats;
  }

 private:
  void run(const std::stop_token& stop) {
    settle_in();
    try {
      live(stop);
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("the stage failed for an unknown reason");
    }
  }

  void fail(const char* message) {
    queue_.fail();
    StageEvent event;
    event.kind = StageEvent::Kind::kFailed;
    event.media_time_ms = std::chrono::duration<double, std::milli>(at_sample(block_ * kBlock)).count();
    event.message = message;
    try {
      sink_.on_event(event);
    } catch (...) {
      // Nobody is left to tell.
    }
  }

  void live(const std::stop_token& stop) {
    const nanoseconds zero = parts_.clock->now();
    while (true) {
      const nanoseconds next = std::min(block_time(), frame_time());
      parts_.clock->wait_until(zero + next, stop);
      if (stop.stop_requested()) return;
      const nanoseconds now = parts_.clock->now() - zero;
      if (now - block_time() > kMaxCatchUp) block_ = sample_at(now) / kBlock;
      while (block_time() <= now && !stop.stop_requested()) send_block();
      if (frame_time() <= now && !stop.stop_requested()) {
        const std::int64_t latest = std::max(frame_, sample_at(now) / samples_per_frame_);
        const std::int64_t skipped = latest - frame_ > 1 ? latest - frame_ : 0;
        frame_ += skipped;
        send_frame(static_cast<std::uint64_t>(skipped));
      }
    }
  }

  nanoseconds block_time() const { return at_sample(block_ * kBlock); }
  nanoseconds frame_time() const { return at_sample(frame_ * samples_per_frame_); }

  void send_block() {
    const std::int64_t start = block_ * kBlock;
    const std::int64_t frame = (start + samples_per_frame_ - 1) / samples_per_frame_;
    const std::int64_t offset = frame * samples_per_frame_ - start;
    SpeechBlock block = speaker_.compose(start, samples_, offset < kBlock ? static_cast<int>(offset) : -1);
    if (offset < kBlock) poses_[static_cast<std::size_t>(frame) % poses_.size()] = {frame, block.pose};

    MediaPacket packet;
    packet.kind = MediaPacket::Kind::kAudio;
    packet.data = parts_.audio->encode(samples_);
    packet.rtp_timestamp = static_cast<std::uint32_t>(start);
    packet.speech = block.speech;
    ++block_;
    {
      const std::lock_guard lock(stats_mutex_);
      ++counts_.audio_packets;
      counts_.underruns = speaker_.underruns();
    }
    tell_what_left_the_gpu();
    for (const StageEvent& event : block.before) sink_.on_event(event);
    sink_.on_packet(std::move(packet));
    for (const StageEvent& event : block.after) sink_.on_event(event);
  }

  void tell_what_left_the_gpu() {
    if (!parts_.gpu || parts_.gpu->departures() == departures_) return;
    departures_ = parts_.gpu->departures();
    StageEvent event;
    event.kind = StageEvent::Kind::kLeftGpu;
    event.media_time_ms = std::chrono::duration<double, std::milli>(at_sample(block_ * kBlock)).count();
    event.message = left_gpu(*parts_.gpu);
    sink_.on_event(event);
  }

  void send_frame(std::uint64_t skipped) {
    const auto began = std::chrono::steady_clock::now();
    const FramePose& heard = poses_[static_cast<std::size_t>(frame_) % poses_.size()];
    const double seconds = static_cast<double>(frame_ * samples_per_frame_) / kRate;
    const MouthPose pose = mouth_.step(seconds, heard.frame == frame_ ? heard.pose : std::nullopt);
    if (const int bitrate = wanted_bitrate_.exchange(0); bitrate > 0) {
      bitrate_ = bitrate;
      parts_.video->set_bitrate(bitrate);
    }
    if (keyframe_wanted_.exchange(false)) parts_.video->request_keyframe();
    double encode_ms = 0;
    AccessUnit unit = draw_and_encode(pose, encode_ms);

    MediaPacket packet;
    packet.kind = MediaPacket::Kind::kVideo;
    packet.rtp_timestamp = static_cast<std::uint32_t>(frame_ * (kVideoRtpRate / parts_.fps));
    packet.keyframe = unit.keyframe;
    packet.data = std::move(unit.data);
    {
      const std::lock_guard lock(stats_mutex_);
      if (wardrobe_.device() != warp_device_) {
        warp_device_ = wardrobe_.device();
        parts_.warp_device = name_of(warp_device_);
      }
      ++counts_.frames;
      counts_.dropped_frames += skipped;
      media_now_ = frame_time();
      rate_.add(media_now_, packet.data.size());
      encode_ms_.add(encode_ms);
      frame_ms_.add(milliseconds_since(began));
    }
    ++frame_;
    sink_.on_packet(std::move(packet));
  }

  // Frame frame_. On a GPU it stays there until its packet; what fails goes on on the processor, with this very frame.
  AccessUnit draw_and_encode(const MouthPose& pose, double& encode_ms) {
    while (true) {
      try {
        const GpuPicture* const surface = parts_.video->surface();
        const bool on_gpu = surface != nullptr && wardrobe_.draw_on_gpu(frame_, pose, *surface);
        if (!on_gpu) wardrobe_.draw(frame_, pose, picture_.view());
        const auto encoding = std::chrono::steady_clock::now();
        AccessUnit unit =
            on_gpu ? parts_.video->encode_surface() : parts_.video->encode(std::as_const(picture_).view());
        encode_ms = milliseconds_since(encoding);
        return unit;
      } catch (const MediaError& error) {
        if (!parts_.replace_video) throw;
        replace_encoder(error.what());
      }
    }
  }

  // Its first picture is a keyframe.
  void replace_encoder(const char* why) {
    std::unique_ptr<VideoEncoder> video = std::exchange(parts_.replace_video, nullptr)();
    if (bitrate_ > 0) video->set_bitrate(bitrate_);
    if (parts_.gpu) parts_.gpu->leave(GpuSession::Part::kEncoder, why);
    const std::lock_guard lock(stats_mutex_);
    parts_.video.swap(video);
  }

  struct FramePose {
    std::int64_t frame = -1;
    std::optional<LivePose> pose;
  };

  StageParts parts_;
  StageSink sink_;
  const std::int64_t samples_per_frame_;
  I420Frame picture_;
  SpeechQueue queue_;
  Wardrobe wardrobe_;
  std::atomic<bool> keyframe_wanted_ = false;
  std::atomic<int> wanted_bitrate_ = 0;

  // The thread's own.
  Speaker speaker_;
  MouthFollower mouth_;
  std::array<float, kBlock> samples_{};
  std::array<FramePose, 8> poses_;  // Found with the sound, shown up to kMaxCatchUp later.
  std::int64_t block_ = 0;
  std::int64_t frame_ = 0;
  int bitrate_ = 0;  // That was asked for last; 0 before that.
  WarpDevice warp_device_ = wardrobe_.device();
  int departures_ = 0;  // From the GPU, told so far.

  mutable std::mutex stats_mutex_;
  StageStats counts_;
  RollingPercentiles frame_ms_;
  RollingPercentiles encode_ms_;
  RollingRate rate_;
  nanoseconds media_now_{0};

  std::jthread thread_;  // Last: it is joined before anything it uses is gone.
};

}  // namespace

std::unique_ptr<Stage> make_stage(StageParts parts, StageSink sink) {
  if (parts.fps != 25 && parts.fps != 30) {
    throw std::invalid_argument("a stage runs at 25 or 30 fps, not " + std::to_string(parts.fps));
  }
  if (parts.renderer == nullptr || !parts.make_lip_sync || parts.video == nullptr || parts.audio == nullptr ||
      parts.clock == nullptr || !sink.on_packet || !sink.on_event) {
    throw std::invalid_argument("a stage lacks a part");
  }
  if (parts.loop.frames < 1 || parts.loop.fps < 1) throw std::invalid_argument("a stage needs an idle loop");
  return std::make_unique<LiveStage>(std::move(parts), std::move(sink));
}

}  // namespace visavis
