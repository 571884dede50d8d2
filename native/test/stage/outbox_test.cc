#include "visavis/stage/outbox.h"

#include "check.h"

using visavis::MediaPacket;
using visavis::Outbox;
using visavis::StageEvent;

namespace {

MediaPacket packet(MediaPacket::Kind kind, std::uint32_t timestamp, bool keyframe = false) {
  MediaPacket made;
  made.kind = kind;
  made.rtp_timestamp = timestamp;
  made.keyframe = keyframe;
  return made;
}

MediaPacket sound(std::uint32_t timestamp) { return packet(MediaPacket::Kind::kAudio, timestamp); }
MediaPacket picture(std::uint32_t timestamp, bool keyframe = false) {
  return packet(MediaPacket::Kind::kVideo, timestamp, keyframe);
}

std::vector<std::uint32_t> timestamps(const Outbox::Batch& batch, MediaPacket::Kind kind) {
  std::vector<std::uint32_t> found;
  for (const Outbox::Item& item : batch.items) {
    const auto* media = std::get_if<MediaPacket>(&item);
    if (media != nullptr && media->kind == kind) found.push_back(media->rtp_timestamp);
  }
  return found;
}

}  // namespace

CHECK_CASE("one wake-up for all that waits, in order") {
  Outbox outbox(25);
  CHECK(outbox.put(sound(1)));
  CHECK(!outbox.put(picture(2, true)));
  CHECK(!outbox.put(StageEvent{}));
  CHECK(!outbox.put(sound(3)));
  const Outbox::Batch batch = outbox.take();
  CHECK(batch.items.size() == 4);
  CHECK(!batch.keyframe_needed);
  CHECK(std::get<MediaPacket>(batch.items[0]).rtp_timestamp == 1);
  CHECK(std::get<MediaPacket>(batch.items[1]).rtp_timestamp == 2);
  CHECK(std::holds_alternative<StageEvent>(batch.items[2]));
  CHECK(std::get<MediaPacket>(batch.items[3]).rtp_timestamp == 3);
  CHECK(outbox.put(sound(4)));
  CHECK(outbox.take().items.size() == 1);
  CHECK(outbox.take().items.empty());
}

CHECK_CASE("a stalled consumer finds the last two seconds of sound") {
  Outbox outbox(25);
  for (std::uint32_t i = 0; i < 1'000; ++i) outbox.put(sound(i));
  const auto left = timestamps(outbox.take(), MediaPacket::Kind::kAudio);
  CHECK(left.size() == 100);
  CHECK(left.front() == 900 && left.back() == 999);
}

CHECK_CASE("pictures go up to the next keyframe") {
  Outbox outbox(25);
  for (std::uint32_t i = 0; i < 51; ++i) outbox.put(picture(i, i == 0 || i == 30));
  const Outbox::Batch batch = outbox.take();
  const auto left = timestamps(batch, MediaPacket::Kind::kVideo);
  CHECK(left.size() == 21);
  CHECK(left.front() == 30 && left.back() == 50);
  CHECK(!batch.keyframe_needed);
}

CHECK_CASE("without a keyframe all pictures go, and none is let in before one") {
  Outbox outbox(25);
  for (std::uint32_t i = 0; i < 80; ++i) {
    outbox.put(picture(i, i == 0));
    outbox.put(sound(i));
  }
  Outbox::Batch batch = outbox.take();
  CHECK(batch.keyframe_needed);
  CHECK(timestamps(batch, MediaPacket::Kind::kVideo).empty());
  CHECK(timestamps(batch, MediaPacket::Kind::kAudio).size() == 80);
  CHECK(!outbox.put(picture(80)));
  CHECK(outbox.take().items.empty());
  CHECK(outbox.put(picture(81, true)));
  outbox.put(picture(82));
  batch = outbox.take();
  CHECK(!batch.keyframe_needed);
  CHECK(timestamps(batch, MediaPacket::Kind::kVideo) == (std::vector<std::uint32_t>{81, 82}));
}

CHECK_CASE("raw pictures are held by their bytes: the newest stay, one goes for one that comes") {
  constexpr std::size_t kPicture = 1920 * 1080 * 3 / 2;
  Outbox outbox(25);
  for (std::uint32_t i = 0; i < 40; ++i) {
    MediaPacket raw = picture(i, true);
    raw.data.resize(kPicture);
    outbox.put(std::move(raw));
    outbox.put(sound(i));
  }
  const Outbox::Batch batch = outbox.take();
  CHECK(timestamps(batch, MediaPacket::Kind::kVideo) == (std::vector<std::uint32_t>{35, 36, 37, 38, 39}));
  CHECK(timestamps(batch, MediaPacket::Kind::kAudio).size() == 40);
  CHECK(!batch.keyframe_needed);
  // The count begins anew with what is taken.
  for (std::uint32_t i = 0; i < 5; ++i) {
    MediaPacket raw = picture(i, true);
    raw.data.resize(kPicture);
    outbox.put(std::move(raw));
  }
  CHECK(timestamps(outbox.take(), MediaPacket::Kind::kVideo).size() == 5);
}

CHECK_CASE("a picture larger than all that may wait is let in alone") {
  Outbox outbox(25);
  outbox.put(picture(1, true));
  MediaPacket huge = picture(2, true);
  huge.data.resize(Outbox::kMaxVideoBytes + 1);
  outbox.put(std::move(huge));
  CHECK(timestamps(outbox.take(), MediaPacket::Kind::kVideo) == (std::vector<std::uint32_t>{2}));
}

CHECK_CASE("events outlive the pictures around them") {
  Outbox outbox(25);
  for (std::uint32_t i = 0; i < 60; ++i) {
    outbox.put(picture(i, i == 0));
    if (i == 20) outbox.put(StageEvent{});
  }
  const Outbox::Batch batch = outbox.take();
  CHECK(batch.items.size() == 1);
  CHECK(std::holds_alternative<StageEvent>(batch.items.front()));
}

CHECK_CASE("a closed outbox takes nothing and wakes nobody") {
  Outbox outbox(30);
  outbox.put(sound(1));
  outbox.close();
  CHECK(outbox.take().items.empty());
  CHECK(!outbox.put(sound(2)));
  CHECK(!outbox.put(StageEvent{}));
  CHECK(outbox.take().items.empty());
}

CHECK_MAIN
