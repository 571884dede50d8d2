#include "speech_queue.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace visavis {

std::uint64_t SpeechQueue::begin() {
  const std::lock_guard lock(mutex_);
  if (order_.size() + interrupted_.size() >= kMaxWaiting) throw std::length_error("too many utterances are waiting");
  const std::uint64_t utterance = next_++;
  if (!failed_) {
    order_.push_back(utterance);
    entries_.emplace(utterance, Entry{});
  }
  return utterance;
}

bool SpeechQueue::push(std::uint64_t utterance, std::span<const std::int16_t> pcm, int sample_rate) {
  if (sample_rate < Resampler::kMinRate || sample_rate > Resampler::kMaxRate) return false;
  const double samples = static_cast<double>(pcm.size()) * UtterancePlayer::kRate / sample_rate;
  PcmChunk chunk{{pcm.begin(), pcm.end()}, sample_rate};
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(utterance);
  if (found == entries_.end() || found->second.ended || backlog_ + samples > kMaxBacklog) return false;
  Entry& entry = found->second;
  entry.pushed += samples;
  backlog_ += samples;
  // Small pushes of one rate are joined: a chunk has its own price.
  constexpr std::size_t kJoinBelow = 4'096;
  if (!entry.chunks.empty() && entry.chunks.back().sample_rate == sample_rate &&
      entry.chunks.back().samples.size() < kJoinBelow) {
    auto& last = entry.chunks.back().samples;
    last.insert(last.end(), chunk.samples.begin(), chunk.samples.end());
  } else if (!chunk.samples.empty()) {
    entry.chunks.push_back(std::move(chunk));
  }
  return true;
}

bool SpeechQueue::mark(std::uint64_t utterance, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(utterance);
  if (found == entries_.end() || found->second.marked >= kMaxWaiting) return false;
  found->second.marks.push_back({number, std::llround(found->second.pushed)});
  ++found->second.marked;
  return true;
}

void SpeechQueue::end(std::uint64_t utterance) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(utterance);
  if (found != entries_.end()) found->second.ended = true;
}

std::uint64_t SpeechQueue::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_.insert(interrupted_.end(), order_.begin(), order_.end());
  order_.clear();
  entries_.clear();
  backlog_ = 0;
  return ++generation_;
}

std::vector<std::uint64_t> SpeechQueue::take_interrupted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(interrupted_, {});
}

std::uint64_t SpeechQueue::first_after(std::uint64_t utterance) {
  const std::lock_guard lock(mutex_);
  const auto found = std::upper_bound(order_.begin(), order_.end(), utterance);
  return found == order_.end() ? 0 : *found;
}

SpeechNews SpeechQueue::take(std::uint64_t utterance) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(utterance);
  if (found == entries_.end()) return {};
  Entry& entry = found->second;
  return {std::exchange(entry.chunks, {}), std::exchange(entry.marks, {}), entry.ended};
}

void SpeechQueue::played(std::int64_t samples) {
  const std::lock_guard lock(mutex_);
  backlog_ = std::max(0.0, backlog_ - static_cast<double>(samples));
}

bool SpeechQueue::forget(std::uint64_t utterance) {
  const std::lock_guard lock(mutex_);
  if (entries_.erase(utterance) == 0) return false;
  const auto found = std::lower_bound(order_.begin(), order_.end(), utterance);
  if (found != order_.end() && *found == utterance) order_.erase(found);
  if (order_.empty()) backlog_ = 0;
  return true;
}

void SpeechQueue::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  order_.clear();
  entries_.clear();
  interrupted_.clear();
  backlog_ = 0;
}

}  // namespace visavis
