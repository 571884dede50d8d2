#include "visavis/speech/lip_sync.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "speech/coarticulation.h"
#include "speech/log_mel.h"
#include "speech/net_stream.h"

namespace visavis {
namespace speech {
namespace {

constexpr double kEntrySeconds = 0.050;    // The mouth opens from rest this long before the first sample.
constexpr double kReleaseSeconds = 0.080;  // And returns to rest this long after the last one.
constexpr double kStarvedSeconds = 0.120;  // Past what is known it holds its pose this long.
constexpr double kKeptSeconds = 1.0;       // Poses this long before the latest query stay available.

class StreamingLipSync final : public LipSync {
 public:
  StreamingLipSync(std::shared_ptr<const LoadedNet> net, NetDevice device)
      : look_ahead_(net->weights().look_ahead), features_(net->weights()), stream_(std::move(net), device) {}

  void push(std::span<const float> samples) override {
    if (finished_) throw std::logic_error("LipSync::push after finish");
    forget();
    pushed_ += static_cast<std::int64_t>(samples.size());
    feed(samples);
  }

  void finish() override {
    if (finished_) return;
    finished_ = true;
    // Silence flushes the window, the net's look-ahead and the pose's.
    static constexpr std::array<float, kHop> kSilence{};
    const double wanted = duration() + kPoseLookAhead;
    while (pushed_ > 0 && record_time(records_.end() - 1) < wanted) feed(kSilence);
  }

  void reset() override {
    features_.reset();
    stream_.reset();
    loudness_.reset();
    records_.clear();
    frames_ = pushed_ = 0;
    latest_query_ = 0.0;
    finished_ = false;
  }

  double ready_until() const override {
    if (finished_) return duration();
    if (records_.end() == 0) return 0.0;
    return std::max(0.0, record_time(records_.end() - 1) - kPoseLookAhead);
  }

  MouthPose at(double seconds) const override {
    const double last = records_.end() == 0 ? 0.0 : record_time(records_.end() - 1);
    // A glance far ahead must not let what is still to be shown be forgotten.
    latest_query_ = std::max(latest_query_, std::min(seconds, last));
    const double fade_from = finished_ ? duration() : last + kStarvedSeconds;
    const double opening = 1.0 + seconds / kEntrySeconds;
    const double closing = 1.0 - (seconds - fade_from) / kReleaseSeconds;
    const float gain = static_cast<float>(std::clamp(std::min(opening, closing), 0.0, 1.0));
    if (!(gain > 0.0f)) return {};
    MouthPose pose = pose_at(records_, seconds);
    for (float& weight : pose.weights) weight *= gain;
    pose.loudness *= gain;
    return pose;
  }

  NetDevice device() const override { return stream_.device(); }

 private:
  double duration() const { return static_cast<double>(pushed_) / kSampleRate; }

  void feed(std::span<const float> samples) {
    while (!samples.empty()) {
      int count = 0;
      while (count < NetStream::kMaxBlock && features_.next(samples, frame_)) {
        mels_[count] = frame_.mels;
        levels_[(frames_ + count) % kLevels] = frame_.level;
        ++count;
        if (samples.empty()) break;
      }
      if (count == 0) break;
      stream_.run({mels_.data(), static_cast<std::size_t>(count)}, {rows_.data(), static_cast<std::size_t>(count)});
      for (int i = 0; i < count; ++i, ++frames_) {
        if (frames_ < look_ahead_) continue;
        const float level = levels_[(frames_ - look_ahead_) % kLevels];
        records_.push({rows_[i], loudness_.next(level, 1.0f - rows_[i][0])});
      }
    }
  }

  void forget() {
    const double oldest = latest_query_ - kKeptSeconds;
    if (oldest > 0.0) records_.forget_before(static_cast<std::int64_t>(oldest * kSampleRate / kHop));
  }

  // Levels wait here until the net has spoken of their frame; it is at most kMaxLookAhead frames behind.
  static constexpr std::int64_t kLevels = 32;

  std::int64_t look_ahead_;
  LogMel features_;
  NetStream stream_;
  LoudnessMeter loudness_;
  RecordRing records_;
  LogMelFrame frame_{};
  std::array<std::array<float, kMels>, NetStream::kMaxBlock> mels_{};
  std::array<Posteriors, NetStream::kMaxBlock> rows_{};
  std::array<float, kLevels> levels_{};
  std::int64_t frames_ = 0;
  std::int64_t pushed_ = 0;
  mutable double latest_query_ = 0.0;
  bool finished_ = false;
};

}  // namespace
}  // namespace speech

std::unique_ptr<LipSync> LipSync::create(std::shared_ptr<const VisemeNet> net, NetDevice device) {
  auto loaded = std::dynamic_pointer_cast<const speech::LoadedNet>(std::move(net));
  if (!loaded) throw std::invalid_argument("LipSync needs a loaded VisemeNet");
  return std::make_unique<speech::StreamingLipSync>(std::move(loaded), device);
}

}  // namespace visavis
