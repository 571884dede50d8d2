#include "utterance_player.h"

#include <algorithm>
#include <utility>

namespace visavis {
namespace {

constexpr int kSlicesPerSecond = 50;

// kAhead, one slice beyond it, and what the resampler's filter lets go at a flush.
constexpr std::size_t kHeardCapacity = UtterancePlayer::kAhead + 4 * UtterancePlayer::kRate / kSlicesPerSecond;

}  // namespace

UtterancePlayer::UtterancePlayer(std::unique_ptr<LipSync> lip_sync)
    : lip_sync_(std::move(lip_sync)), heard_(kHeardCapacity) {}

void UtterancePlayer::feed(PcmChunk&& chunk) {
  if (!chunk.samples.empty()) raw_.push_back(std::move(chunk));
}

void UtterancePlayer::prepare(std::int64_t budget) {
  const std::int64_t until = std::min(prepared_ + budget, played_ + kAhead);
  while (!raw_.empty() && prepared_ < until) {
    const PcmChunk& chunk = raw_.front();
    const std::size_t slice = static_cast<std::size_t>(chunk.sample_rate / kSlicesPerSecond);
    const std::size_t count = std::min(slice, chunk.samples.size() - raw_offset_);
    convert(std::span(chunk.samples).subspan(raw_offset_, count), chunk.sample_rate);
    raw_offset_ += count;
    if (raw_offset_ == chunk.samples.size()) {
      raw_.pop_front();
      raw_offset_ = 0;
    }
  }
  if (ended_ && !finished_ && raw_.empty()) {
    flush();
    lip_sync_->finish();
    finished_ = true;
  }
}

void UtterancePlayer::convert(std::span<const std::int16_t> samples, int sample_rate) {
  if (!to_heard_ || to_heard_->in_rate() != sample_rate) change_rate(sample_rate);
  to_heard_->push(samples, heard_scratch_);
  to_lips_->push(samples, lips_scratch_);
  deliver();
}

void UtterancePlayer::change_rate(int sample_rate) {
  flush();
  to_heard_.emplace(sample_rate, kRate);
  to_lips_.emplace(sample_rate, LipSync::kSampleRate);
}

void UtterancePlayer::flush() {
  if (!to_heard_) return;
  to_heard_->flush(heard_scratch_);
  to_lips_->flush(lips_scratch_);
  deliver();
}

void UtterancePlayer::deliver() {
  prepared_ += static_cast<std::int64_t>(heard_.write(heard_scratch_));
  lip_sync_->push(lips_scratch_);
  heard_scratch_.clear();
  lips_scratch_.clear();
}

std::int64_t UtterancePlayer::ready() const {
  const std::int64_t waiting = prepared_ - played_;
  if (finished_) return waiting;
  const auto final_until = static_cast<std::int64_t>(lip_sync_->ready_until() * kRate);
  return std::clamp<std::int64_t>(final_until - played_, 0, waiting);
}

void UtterancePlayer::read(std::span<float> out) { played_ += static_cast<std::int64_t>(heard_.read(out)); }

MouthPose UtterancePlayer::pose_at(std::int64_t position) const {
  return lip_sync_->at(static_cast<double>(position) / kRate);
}

std::unique_ptr<LipSync> UtterancePlayer::release() {
  lip_sync_->reset();
  return std::move(lip_sync_);
}

}  // namespace visavis
