#include "visavis/stage/outbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace visavis {
namespace {

constexpr std::size_t kSeconds = 2;
constexpr std::size_t kAudioPerSecond = 50;

bool is(const Outbox::Item& item, MediaPacket::Kind kind) {
  const auto* packet = std::get_if<MediaPacket>(&item);
  return packet != nullptr && packet->kind == kind;
}

bool is_audio(const Outbox::Item& item) { return is(item, MediaPacket::Kind::kAudio); }
bool is_video(const Outbox::Item& item) { return is(item, MediaPacket::Kind::kVideo); }

}  // namespace

Outbox::Outbox(int fps)
    : max_audio_(kSeconds * kAudioPerSecond), max_video_(kSeconds * static_cast<std::size_t>(fps)) {}

bool Outbox::wake() { return !std::exchange(woken_, true); }

bool Outbox::put(MediaPacket&& packet) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (packet.kind == MediaPacket::Kind::kAudio) {
    if (audio_ == max_audio_) {
      items_.erase(std::find_if(items_.begin(), items_.end(), is_audio));
      --audio_;
    }
    ++audio_;
  } else {
    if (!admit_video(packet)) return false;
    ++video_;
    video_bytes_ += packet.data.size();
  }
  items_.emplace_back(std::move(packet));
  return wake();
}

// Makes room where there is none; false where the packet needs pictures that were dropped.
bool Outbox::admit_video(const MediaPacket& packet) {
  while (video_ == max_video_ || (video_ > 0 && video_bytes_ + packet.data.size() > kMaxVideoBytes)) {
    drop_oldest_pictures();
  }
  if (packet.keyframe) awaiting_keyframe_ = false;
  return !awaiting_keyframe_;
}

void Outbox::drop_oldest_pictures() {
  const auto first = std::find_if(items_.begin(), items_.end(), is_video);
  const auto keyframe = std::find_if(std::next(first), items_.end(), [](const Item& item) {
    return is_video(item) && std::get<MediaPacket>(item).keyframe;
  });
  awaiting_keyframe_ = keyframe == items_.end();
  for (auto item = first; item != keyframe; ++item) {
    if (!is_video(*item)) continue;
    --video_;
    video_bytes_ -= std::get<MediaPacket>(*item).data.size();
  }
  items_.erase(std::remove_if(first, keyframe, is_video), keyframe);
}

bool Outbox::put(const StageEvent& event) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  items_.emplace_back(event);
  return wake();
}

Outbox::Batch Outbox::take() {
  const std::lock_guard lock(mutex_);
  Batch batch{{std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end())}, awaiting_keyframe_};
  items_.clear();
  audio_ = 0;
  video_ = 0;
  video_bytes_ = 0;
  woken_ = false;
  return batch;
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  items_.clear();
}

}  // namespace visavis
