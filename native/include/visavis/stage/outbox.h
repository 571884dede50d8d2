// Between a Stage's thread and a consumer that may stall: bounded, in media order.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <variant>
#include <vector>

#include "visavis/stage/stage.h"

namespace visavis {

// Holds two seconds, and of pictures no more than kMaxVideoBytes. Past that the oldest sound goes, and the oldest
// pictures up to the next keyframe. Where none waits all pictures go and none is let in before a keyframe, which the
// consumer must ask for when it comes back: what is taken can always be decoded. Events stay.
class Outbox {
 public:
  // More than two seconds at VideoEncoder's highest bit rate; five raw pictures of 1920x1080.
  static constexpr std::size_t kMaxVideoBytes = std::size_t{16} << 20;

  using Item = std::variant<MediaPacket, StageEvent>;

  explicit Outbox(int fps);

  // True where the consumer must be woken: nothing was put since its last take().
  bool put(MediaPacket&& packet);
  bool put(const StageEvent& event);

  struct Batch {
    std::vector<Item> items;
    bool keyframe_needed = false;
  };

  // Everything that waits.
  Batch take();

  // Drops what waits and whatever comes.
  void close();

 private:
  bool admit_video(const MediaPacket& packet);
  void drop_oldest_pictures();
  bool wake();

  const std::size_t max_audio_;
  const std::size_t max_video_;

  std::mutex mutex_;
  std::deque<Item> items_;
  std::size_t audio_ = 0;
  std::size_t video_ = 0;
  std::size_t video_bytes_ = 0;
  bool awaiting_keyframe_ = false;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace visavis
