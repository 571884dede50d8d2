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

bool is_video(const Outbox::Item& item) { return is(item, MediaPacket::Kind::kVideo); }

}  // namespace

Outbox::Outbox(int fps, std::function<void()> request_keyframe)
    : max_audio_(kSeconds * kAudioPerSecond),
      max_video_(kSeconds * static_cast<std::size_t>(fps)),
      request_keyframe_(std::move(request_keyframe)) {}

bool Outbox::wake() { return !std::exchange(woken_, true); }

bool Outbox::put(MediaPacket&& packet) {
  bool ask = false;
  bool wake_consumer = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (packet.kind == MediaPacket::Kind::kAudio) {
      if (audio_ == max_audio_) {
        const auto is_audio = [](const Item& item) { return is(item, MediaPacket::Kind::kAudio); };
        items_.erase(std::find_if(items_.begin(), items_.end(), is_audio));
        --audio_;
      }
      ++audio_;
    } else {
      if (!admit_video(packet)) {
        ask = true;
      } else {
        ++video_;
      }
    }
    if (!ask) {
      items_.emplace_back(std::move(packet));
      wake_consumer = wake();
    }
  }
  if (ask) request_keyframe_();
  return wake_consumer;
}

// Makes room where there is none; false where the packet needs pictures that were dropped.
bool Outbox::admit_video(const MediaPacket& packet) {
  if (video_ == max_video_) {
    const auto first = std::find_if(items_.begin(), items_.end(), is_video);
    const auto keyframe = std::find_if(std::next(first), items_.end(), [](const Item& item) {
      return is_video(item) && std::get<MediaPacket>(item).keyframe;
    });
    awaiting_keyframe_ = keyframe == items_.end();
    const auto kept = std::remove_if(first, keyframe, is_video);
    video_ -= static_cast<std::size_t>(std::distance(kept, keyframe));
    items_.erase(kept, keyframe);
  }
  if (packet.keyframe) awaiting_keyframe_ = false;
  return !awaiting_keyframe_;
}

bool Outbox::put(const StageEvent& event) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  items_.emplace_back(event);
  return wake();
}

std::vector<Outbox::Item> Outbox::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Item> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
  items_.clear();
  audio_ = 0;
  video_ = 0;
  woken_ = false;
  return taken;
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  items_.clear();
}

}  // namespace visavis
