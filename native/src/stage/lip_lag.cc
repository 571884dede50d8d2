#include "lip_lag.h"

#include <utility>

namespace visavis {
namespace {

class DelayedLips final : public LipSync {
 public:
  DelayedLips(std::unique_ptr<LipSync> lips, double lag_seconds) : lips_(std::move(lips)), lag_seconds_(lag_seconds) {}

  void push(std::span<const float> samples) override { lips_->push(samples); }
  void finish() override { lips_->finish(); }
  void reset() override { lips_->reset(); }
  double ready_until() const override { return lips_->ready_until() + lag_seconds_; }
  MouthPose at(double seconds) const override { return lips_->at(seconds - lag_seconds_); }
  NetDevice device() const override { return lips_->device(); }

 private:
  std::unique_ptr<LipSync> lips_;
  double lag_seconds_;
};

}  // namespace

std::unique_ptr<LipSync> delay_lips(std::unique_ptr<LipSync> lips, double lag_seconds) {
  return std::make_unique<DelayedLips>(std::move(lips), lag_seconds);
}

}  // namespace visavis
