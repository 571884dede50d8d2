// Stand-ins for the face and the net that make what the Stage does with them visible, and a clock that is moved by
// hand.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "visavis/stage/stage_parts.h"

namespace visavis::test {

// Opens the mouth ("aa") as wide as the sample at that time is loud; as late as the real net.
class EchoLipSync final : public LipSync {
 public:
  static constexpr int kLookAhead = kSampleRate * 60 / 1000;

  void push(std::span<const float> samples) override {
    samples_.insert(samples_.end(), samples.begin(), samples.end());
  }
  void finish() override { finished_ = true; }
  void reset() override {
    samples_.clear();
    finished_ = false;
  }
  double ready_until() const override {
    const auto size = static_cast<double>(samples_.size());
    return std::max(0.0, finished_ ? size : size - kLookAhead) / kSampleRate;
  }
  MouthPose at(double seconds) const override {
    MouthPose pose;
    const auto index = static_cast<std::size_t>(std::lround(seconds * kSampleRate));
    if (index < samples_.size()) pose.weights[static_cast<std::size_t>(Viseme::aa)] = std::fabs(samples_[index]);
    return pose;
  }
  NetDevice device() const override { return NetDevice::kPortable; }

 private:
  std::vector<float> samples_;
  bool finished_ = false;
};

// Writes down what it was asked for.
class NotingRenderer final : public FaceRenderer {
 public:
  struct Call {
    int index;
    float open;
  };
  explicit NotingRenderer(std::shared_ptr<std::vector<Call>> calls) : calls_(std::move(calls)) {}

  void render(int index, const MouthPose& pose, I420MutView out) override {
    const float open = pose.weights[static_cast<std::size_t>(Viseme::aa)];
    calls_->push_back({index, open});
    std::fill_n(out.y, out.stride_y * out.height, static_cast<std::uint8_t>(60 + index % 100));
    std::fill_n(out.u, out.stride_uv * out.height / 2, static_cast<std::uint8_t>(128));
    std::fill_n(out.v, out.stride_uv * out.height / 2, static_cast<std::uint8_t>(128));
  }
  WarpDevice device() const override { return WarpDevice::kPortable; }

 private:
  std::shared_ptr<std::vector<Call>> calls_;
};

// Fails at the picture it is told to.
class FailingEncoder final : public VideoEncoder {
 public:
  explicit FailingEncoder(int good) : good_(good) {}
  AccessUnit encode(const I420View&) override {
    if (good_-- == 0) throw MediaError("the encoder lost its device");
    return {{0, 0, 1, 0x65}, true};
  }
  void request_keyframe() override {}
  void set_bitrate(int) override {}
  std::string_view name() const override { return "failing"; }

 private:
  int good_;
};

// Time stands still until a test moves it; then the Stage's thread does all that has come due before the test goes on.
class HandClock {
 public:
  // The end that a Stage holds.
  std::unique_ptr<MediaClock> end() { return std::make_unique<End>(state_); }

  // Moves from deadline to deadline: nothing is ever late.
  void run_to(std::chrono::nanoseconds target) {
    std::unique_lock lock(state_->mutex);
    while (true) {
      settle(lock);
      if (state_->gone || state_->deadline > target) break;
      state_->now = state_->deadline;
      state_->woken.notify_all();
    }
    state_->now = std::max(state_->now, target);
  }
  void run_ms(double ms) { run_to(now() + std::chrono::nanoseconds(std::llround(ms * 1e6))); }

  // Moves in one leap, as after a stall of the machine.
  void leap_ms(double ms) {
    std::unique_lock lock(state_->mutex);
    settle(lock);
    state_->now += std::chrono::nanoseconds(std::llround(ms * 1e6));
    state_->woken.notify_all();
    settle(lock);
  }

  std::chrono::nanoseconds now() {
    const std::lock_guard lock(state_->mutex);
    return state_->now;
  }

  // The Stage's thread will not wait any more.
  void gone() {
    const std::lock_guard lock(state_->mutex);
    state_->gone = true;
    state_->woken.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::chrono::nanoseconds now{1'000'000'000};
    std::chrono::nanoseconds deadline{0};
    bool waiting = false;
    bool gone = false;
  };

  class End final : public MediaClock {
   public:
    explicit End(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::chrono::nanoseconds now() override {
      const std::lock_guard lock(state_->mutex);
      return state_->now;
    }
    void wait_until(std::chrono::nanoseconds deadline, std::stop_token stop) override {
      std::unique_lock lock(state_->mutex);
      state_->deadline = deadline;
      state_->waiting = true;
      state_->woken.notify_all();
      state_->woken.wait(lock, stop, [&] { return state_->now >= deadline; });
      state_->waiting = false;
    }

   private:
    std::shared_ptr<State> state_;
  };

  // Until the thread waits for a time that is still to come.
  void settle(std::unique_lock<std::mutex>& lock) {
    state_->woken.wait(lock, [&] { return state_->gone || (state_->waiting && state_->deadline > state_->now); });
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// A Stage of fakes with the real encoders, everything it sent, and its clock. The Stage's thread writes only while the
// clock moves; so what a test reads in between stands still.
class Rehearsal {
 public:
  static constexpr int kWidth = 128;
  static constexpr int kHeight = 96;

  explicit Rehearsal(int fps = 25, std::unique_ptr<VideoEncoder> video = nullptr, int loop_frames = 50,
                     std::unique_ptr<SpeechEncoder> audio = nullptr,
                     const std::function<void(StageParts&)>& change = nullptr) {
    StageParts parts;
    parts.loop = {kWidth, kHeight, 25, loop_frames};
    parts.fps = fps;
    parts.renderer = std::make_unique<NotingRenderer>(drawn);
    parts.make_lip_sync = [] { return std::make_unique<EchoLipSync>(); };
    VideoEncoderConfig config;
    config.width = kWidth;
    config.height = kHeight;
    config.fps = fps;
    parts.video = video ? std::move(video) : VideoEncoder::create(config);
    parts.audio = audio ? std::move(audio) : SpeechEncoder::opus(32'000);
    parts.clock = clock.end();
    if (change) change(parts);
    StageSink sink;
    sink.on_packet = [this](MediaPacket&& packet) { packets.push_back(std::move(packet)); };
    sink.on_event = [this](const StageEvent& event) {
      events.push_back(event);
      if (event.kind == StageEvent::Kind::kFailed) clock.gone();
    };
    stage = make_stage(std::move(parts), std::move(sink));
  }

  std::vector<MediaPacket> of(MediaPacket::Kind kind) const {
    std::vector<MediaPacket> found;
    for (const MediaPacket& packet : packets) {
      if (packet.kind == kind) found.push_back(packet);
    }
    return found;
  }
  std::vector<MediaPacket> audio() const { return of(MediaPacket::Kind::kAudio); }
  std::vector<MediaPacket> video() const { return of(MediaPacket::Kind::kVideo); }
  std::vector<StageEvent> told(StageEvent::Kind kind) const {
    std::vector<StageEvent> found;
    for (const StageEvent& event : events) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

  HandClock clock;
  std::shared_ptr<std::vector<NotingRenderer::Call>> drawn = std::make_shared<std::vector<NotingRenderer::Call>>();
  std::vector<MediaPacket> packets;
  std::vector<StageEvent> events;
  std::unique_ptr<Stage> stage;
};

// `seconds` of a 200 Hz tone at `level` of full scale.
inline std::vector<std::int16_t> tone(double seconds, int rate = 24'000, double level = 0.5) {
  std::vector<std::int16_t> samples(static_cast<std::size_t>(std::llround(seconds * rate)));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * std::numbers::pi * 200 * static_cast<double>(i) / rate;
    samples[i] = static_cast<std::int16_t>(std::lround(32'767 * level * std::cos(phase)));
  }
  return samples;
}

// `seconds` of one value: every sample of it opens the fake mouth to `level`.
inline std::vector<std::int16_t> steady(double seconds, int rate = 16'000, double level = 0.5) {
  return std::vector<std::int16_t>(static_cast<std::size_t>(std::llround(seconds * rate)),
                                   static_cast<std::int16_t>(std::lround(32'768 * level)));
}

}  // namespace visavis::test
