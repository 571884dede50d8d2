#include "speaker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace visavis {
namespace {

constexpr double kMsPerSample = 1000.0 / Speaker::kRate;

// Prepared a block: six times real time, and little enough to leave the frame its time.
constexpr std::int64_t kBudget = Speaker::kRate * 120 / 1000;

// After an underrun the mouth opens again over this long rather than in one frame.
constexpr double kReopenSamples = Speaker::kRate * 0.06;

}  // namespace

Speaker::Speaker(SpeechQueue& queue, std::function<std::unique_ptr<LipSync>()> make_lip_sync)
    : queue_(queue), make_lip_sync_(std::move(make_lip_sync)) {
  // One fades out while the next is heard and a third is made ready.
  for (int i = 0; i < 3; ++i) spare_.push_back(make_lip_sync_());
}

SpeechBlock Speaker::compose(std::int64_t start, std::span<float> out, int frame) {
  Position at{.start = start, .out = out, .frame = frame};
  std::fill(out.begin(), out.end(), 0.0f);
  heed_interrupts(at);
  prepare();
  while (at.done < out.size() && (fade(at) || play(at))) {
  }
  decay(at);
  return std::move(at.block);
}

void Speaker::heed_interrupts(Position& at) {
  const std::vector<std::uint64_t> interrupted = queue_.take_interrupted();
  for (const std::uint64_t utterance : interrupted) {
    const bool is_current = current_ && current_->utterance == utterance;
    std::unique_ptr<Active> active;
    if (is_current) active = std::move(current_);
    if (next_ && next_->utterance == utterance) active = std::move(next_);
    if (is_current && active->playing && active->player.ready() > 0) {
      fade_length_ = static_cast<int>(std::min<std::int64_t>(kFadeSamples, active->player.ready()));
      fade_done_ = 0;
      fading_ = std::move(active);
    } else if (active) {
      finish(std::move(active), at, true);
    } else {
      StageEvent ended = event(StageEvent::Kind::kUtteranceEnded, utterance, at);
      ended.interrupted = true;
      at.block.after.push_back(std::move(ended));
    }
  }
}

std::unique_ptr<Speaker::Active> Speaker::next_after(std::uint64_t utterance) {
  const std::uint64_t following = queue_.first_after(utterance);
  if (following == 0) return nullptr;
  std::unique_ptr<LipSync> lip_sync;
  if (spare_.empty()) {
    lip_sync = make_lip_sync_();
  } else {
    lip_sync = std::move(spare_.back());
    spare_.pop_back();
  }
  return std::make_unique<Active>(Active{following, UtterancePlayer(std::move(lip_sync)), {}});
}

void Speaker::prepare() {
  if (!current_) current_ = next_ ? std::move(next_) : next_after(0);
  if (current_ && !next_) next_ = next_after(current_->utterance);
  for (Active* active : {current_.get(), next_.get()}) {
    if (active == nullptr) continue;
    SpeechNews news = queue_.take(active->utterance);
    for (PcmChunk& chunk : news.chunks) active->player.feed(std::move(chunk));
    active->marks.insert(active->marks.end(), news.marks.begin(), news.marks.end());
    if (news.ended) active->player.end();
    active->player.prepare(kBudget);
  }
}

bool Speaker::fade(Position& at) {
  if (!fading_) return false;
  const std::size_t count = std::min(at.out.size() - at.done, static_cast<std::size_t>(fade_length_ - fade_done_));
  const auto samples = at.out.subspan(at.done, count);
  fading_->player.read(samples);
  for (float& sample : samples) sample *= 1.0f - static_cast<float>(++fade_done_) / static_cast<float>(fade_length_);
  at.block.speech = true;
  at.done += count;
  if (fade_done_ == fade_length_) finish(std::move(fading_), at, true);
  return true;
}

bool Speaker::play(Position& at) {
  if (!current_) return false;
  Active& active = *current_;
  if (active.player.drained()) {
    // An interrupt that slips in here is heeded with the next block, which ends the utterance then.
    if (!queue_.forget(active.utterance)) return false;
    tell_marks(active, at);
    finish(std::move(current_), at, false);
    current_ = std::move(next_);
    return current_ != nullptr;
  }
  if (!may_play(at)) return false;
  take(active, at, std::min(at.out.size() - at.done, static_cast<std::size_t>(active.player.ready())));
  return true;
}

bool Speaker::may_play(Position& at) {
  Active& active = *current_;
  const std::int64_t ready = active.player.ready();
  if (active.playing) {
    if (ready > 0) return true;
    active.playing = false;
    ++underruns_;
    decay_step_ = last_sample_ / kDeclickSamples;
    return false;
  }
  const int wanted = active.started ? kResumeSamples : kStartSamples;
  if (ready == 0 || (ready < wanted && !active.player.finished())) return false;
  active.playing = true;
  active.stretch = ++stretches_;
  active.stretch_begin = active.player.played();
  decay_step_ = 0;
  if (!active.started) {
    active.started = true;
    // What ended earlier in this block is told first.
    auto& events = at.block.after.empty() ? at.block.before : at.block.after;
    events.push_back(event(StageEvent::Kind::kUtteranceStarted, active.utterance, at));
  }
  return true;
}

void Speaker::take(Active& active, Position& at, std::size_t count) {
  const std::int64_t from = active.player.played();
  const auto samples = at.out.subspan(at.done, count);
  active.player.read(samples);
  queue_.played(static_cast<std::int64_t>(count));
  const std::int64_t since_resume = active.stretch_begin > 0 ? from - active.stretch_begin : kDeclickSamples;
  for (std::int64_t i = since_resume; i < kDeclickSamples && i - since_resume < static_cast<std::int64_t>(count); ++i) {
    samples[static_cast<std::size_t>(i - since_resume)] *= static_cast<float>(i) / kDeclickSamples;
  }
  const std::int64_t frame = at.frame - static_cast<std::int64_t>(at.done);
  if (frame >= 0 && frame < static_cast<std::int64_t>(count)) {
    MouthPose pose = active.player.pose_at(from + frame);
    if (active.stretch_begin > 0) {
      const double open = std::min(1.0, static_cast<double>(from + frame - active.stretch_begin) / kReopenSamples);
      for (float& weight : pose.weights) weight *= static_cast<float>(open);
    }
    at.block.pose = LivePose{pose, active.stretch};
  }
  last_sample_ = samples.back();
  at.block.speech = true;
  at.done += count;
  tell_marks(active, at);
}

void Speaker::tell_marks(Active& active, Position& at) {
  while (!active.marks.empty() &&
         (active.marks.front().position <= active.player.played() || active.player.drained())) {
    StageEvent mark = event(StageEvent::Kind::kMark, active.utterance, at);
    const std::int64_t past = active.player.played() - active.marks.front().position;
    mark.media_time_ms -= static_cast<double>(std::max<std::int64_t>(0, past)) * kMsPerSample;
    mark.mark = active.marks.front().number;
    at.block.after.push_back(std::move(mark));
    active.marks.pop_front();
  }
}

void Speaker::finish(std::unique_ptr<Active> active, Position& at, bool interrupted) {
  StageEvent ended = event(StageEvent::Kind::kUtteranceEnded, active->utterance, at);
  ended.played_ms = static_cast<double>(active->player.played()) * kMsPerSample;
  ended.interrupted = interrupted;
  at.block.after.push_back(std::move(ended));
  spare_.push_back(active->player.release());
}

StageEvent Speaker::event(StageEvent::Kind kind, std::uint64_t utterance, const Position& at) const {
  StageEvent event;
  event.kind = kind;
  event.utterance = utterance;
  event.media_time_ms = static_cast<double>(at.start + static_cast<std::int64_t>(at.done)) * kMsPerSample;
  return event;
}

void Speaker::decay(Position& at) {
  if (decay_step_ == 0) return;
  for (float& sample : at.out.subspan(at.done)) {
    last_sample_ -= decay_step_;
    if (last_sample_ * decay_step_ <= 0) {
      decay_step_ = 0;
      return;
    }
    sample = last_sample_;
  }
}

}  // namespace visavis
