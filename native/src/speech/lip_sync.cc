#include "visavis/speech/lip_sync.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "speech/coarticulation.h"
#include "speech/log_mel.h"
#include "speech/net_runner.h"

namespace visavis {
namespace speech {
namespace {

constexpr double kEntrySeconds = 0.050;    // The mouth opens from rest this long before the first sample.
constexpr double kReleaseSeconds = 0.080;  // And returns to rest this long after the last one.
constexpr double kStarvedSeconds = 0.120;  // Past what is known it holds its pose this long.
constexpr double kKeptSeconds = 1.0;       // Poses this long before the latest query stay available.

class StreamingLipSync final : public LipSync {
 public:
  StreamingLipSync(std::shared_ptr<const LoadedNet> net, NetDevice device, std::shared_ptr<GpuSession> gpu)
      : look_ahead_(net->weights().look_ahead),
        features_(net->weights()),
        net_(std::move(net), device, std::move(gpu)) {}

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
    while (pushed_ > 0 && record_time(promised() - 1) < wanted) feed(kSilence);
  }

  void reset() override {
    features_.reset();
    net_.reset();
    loudness_.reset();
    records_.clear();
    rows_ = 0;
    pushed_ = 0;
    latest_query_ = 0.0;
    finished_ = false;
  }

  double ready_until() const override {
    if (finished_) return duration();
    if (promised() == 0) return 0.0;
    return std::max(0.0, record_time(promised() - 1) - kPoseLookAhead);
  }

  MouthPose at(double seconds) const override {
    const double last = promised() == 0 ? 0.0 : record_time(promised() - 1);
    // A glance far ahead must not let what is still to be shown be forgotten.
    latest_query_ = std::max(latest_query_, std::min(seconds, last));
    const double fade_from = finished_ ? duration() : last + kStarvedSeconds;
    const double opening = 1.0 + seconds / kEntrySeconds;
    const double closing = 1.0 - (seconds - fade_from) / kReleaseSeconds;
    const float gain = static_cast<float>(std::clamp(std::min(opening, closing), 0.0, 1.0));
    if (!(gain > 0.0f)) return {};
    collect_for(seconds);
    MouthPose pose = pose_at(records_, seconds);
    for (float& weight : pose.weights) weight *= gain;
    pose.loudness *= gain;
    return pose;
  }

  NetDevice device() const override { return net_.device(); }

 private:
  double duration() const { return static_cast<double>(pushed_) / kSampleRate; }

  // Records of all frames that the net was given, whether or not its rows are there yet.
  std::int64_t promised() const { return std::max<std::int64_t>(0, net_.submitted() - look_ahead_); }

  void feed(std::span<const float> samples) {
    while (!samples.empty()) {
      int count = 0;
      while (count < NetStream::kMaxBlock && features_.next(samples, frame_)) {
        mels_[count] = frame_.mels;
        levels_[(net_.submitted() + count) % kLevels] = frame_.level;
        ++count;
        if (samples.empty()) break;
      }
      if (count == 0) break;
      while (net_.full()) collect(true);
      net_.submit({mels_.data(), static_cast<std::size_t>(count)});
      while (collect(false)) {
      }
    }
  }

  // A row of the net's becomes a record; false where none is there, or none is to come.
  bool collect(bool wait) const {
    const Posteriors* row = net_.front(wait);
    if (row == nullptr) return false;
    if (rows_ >= look_ahead_) {
      const float level = levels_[(rows_ - look_ahead_) % kLevels];
      records_.push({*row, loudness_.next(level, 1.0f - (*row)[0])});
    }
    net_.pop();
    ++rows_;
    return true;
  }

  // Waits for the rows that the pose at `seconds` is made of, and for no others.
  void collect_for(double seconds) const {
    const std::int64_t all = promised();
    const double until = seconds + kPoseLookAhead;
    while (records_.end() < all && (records_.end() == 0 || record_time(records_.end() - 1) <= until)) {
      if (!collect(true)) break;
    }
  }

  void forget() {
    const double oldest = latest_query_ - kKeptSeconds;
    if (oldest > 0.0) records_.forget_before(static_cast<std::int64_t>(oldest * kSampleRate / kHop));
  }

  // Levels wait here until the net has spoken of their frame: as many as fly, and what it looks ahead.
  static constexpr std::int64_t kLevels = 512;
  static_assert(kLevels >= (GpuNet::kMaxFlying + 1) * NetStream::kMaxBlock + kMaxLookAhead);

  std::int64_t look_ahead_;
  LogMel features_;
  // Rows are collected when somebody asks for a pose.
  mutable NetRunner net_;
  mutable LoudnessMeter loudness_;
  mutable RecordRing records_;
  mutable std::int64_t rows_ = 0;  // Collected.
  LogMelFrame frame_{};
  std::array<std::array<float, kMels>, NetStream::kMaxBlock> mels_{};
  std::array<float, kLevels> levels_{};
  std::int64_t pushed_ = 0;
  mutable double latest_query_ = 0.0;
  bool finished_ = false;
};

}  // namespace
}  // namespace speech

std::unique_ptr<LipSync> LipSync::create(std::shared_ptr<const VisemeNet> net, NetDevice device,
                                         std::shared_ptr<GpuSession> gpu) {
  auto loaded = std::dynamic_pointer_cast<const speech::LoadedNet>(std::move(net));
  if (!loaded) throw std::invalid_argument("LipSync needs a loaded VisemeNet");
  return std::make_unique<speech::StreamingLipSync>(std::move(loaded), device, std::move(gpu));
}

}  // namespace visavis
