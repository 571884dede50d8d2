// The Stage on the steady clock, and with callers on several threads. Nothing here depends on how fast the machine is.
#include <dirent.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "check.h"
#include "drawn_face.h"
#include "fakes.h"

using visavis::MediaClock;
using visavis::MediaPacket;
using visavis::Stage;
using visavis::StageEvent;
using visavis::StageParts;
using visavis::StageSink;
using visavis::test::EchoLipSync;
using visavis::test::NotingRenderer;
using visavis::test::steady;

namespace {

struct Counts {
  std::atomic<int> packets = 0;
  std::atomic<int> speech = 0;
  std::atomic<int> started = 0;
  std::atomic<int> ended = 0;
};

std::unique_ptr<Stage> open(Counts& counts, int side = 64) {
  StageParts parts;
  parts.loop = {side, side, 25, 10};
  parts.renderer = std::make_unique<NotingRenderer>(std::make_shared<std::vector<NotingRenderer::Call>>());
  parts.make_lip_sync = [] { return std::make_unique<EchoLipSync>(); };
  visavis::VideoEncoderConfig config;
  config.width = side;
  config.height = side;
  parts.video = visavis::VideoEncoder::create(config);
  parts.audio = visavis::SpeechEncoder::opus(32'000);
  parts.clock = MediaClock::steady();
  StageSink sink;
  sink.on_packet = [&counts](MediaPacket&& packet) {
    ++counts.packets;
    counts.speech += packet.speech ? 1 : 0;
  };
  sink.on_event = [&counts](const StageEvent& event) {
    counts.started += event.kind == StageEvent::Kind::kUtteranceStarted ? 1 : 0;
    counts.ended += event.kind == StageEvent::Kind::kUtteranceEnded ? 1 : 0;
  };
  return visavis::make_stage(std::move(parts), std::move(sink));
}

int threads() {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir("/proc/self/task"), closedir);
  int count = -2;  // "." and "..".
  while (readdir(dir.get()) != nullptr) ++count;
  return count;
}

template <typename Condition>
void until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

CHECK_CASE("it may be destroyed in mid speech, and is silent from then on") {
  Counts counts;
  auto stage = open(counts);
  const std::uint64_t utterance = stage->begin_utterance();
  CHECK(stage->push_audio(utterance, steady(60), 16'000));
  until([&] { return counts.speech > 3; });
  stage.reset();
  const int packets = counts.packets;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  CHECK(counts.packets == packets);
  CHECK(counts.ended == 0);
}

CHECK_CASE("two hundred of them come and go without leaving a thread") {
  Counts counts;
  const int before = threads();
  for (int i = 0; i < 200; ++i) {
    auto stage = open(counts);
    if (i % 2 == 0) stage->push_audio(stage->begin_utterance(), steady(0.5), 16'000);
    if (i % 20 == 0) until([&, seen = counts.packets.load()] { return counts.packets > seen; });
  }
  CHECK(threads() == before);
}

CHECK_CASE("callers on many threads: every utterance that began ends once") {
  Counts counts;
  auto stage = open(counts);
  std::atomic<int> begun = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        for (int i = 0; i < 40; ++i) {
          const std::uint64_t utterance = stage->begin_utterance();
          ++begun;
          stage->push_audio(utterance, steady(0.02), 16'000);
          stage->add_mark(utterance, 1);
          stage->end_utterance(utterance);
          if (caller == 0) stage->interrupt();
          if (caller == 1) stage->request_keyframe();
          if (caller == 2) stage->set_video_bitrate(200'000 + 1'000 * i);
          if (caller == 3) CHECK(stage->stats().frames < 1'000'000);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    }
  }
  stage->interrupt();
  until([&] { return counts.ended >= begun; });
  stage.reset();
  CHECK(counts.ended == begun);
  CHECK(begun == 160);
}

CHECK_CASE("tones are added, replaced and worn from many threads while the stage runs, and go with it") {
  Counts counts;
  const visavis::test::TempDir dir;
  build_avatar(visavis::test::options_for(visavis::test::draw_face(128, 128), dir.path()));
  std::weak_ptr<const visavis::Avatar> watched;
  {
    auto stage = open(counts, 128);
    std::atomic<int> refused = 0;
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&, caller] {
          const std::string own = "tone " + std::to_string(caller % 2);
          for (int i = 0; i < 60; ++i) {
            if (i % 10 == 0) stage->add_tone(own, visavis::Avatar::load(dir.path()));
            CHECK(stage->set_tone(i % 3 == 0 ? "neutral" : own));
            refused += stage->set_tone("never") ? 0 : 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
        });
      }
    }
    CHECK(refused == 240);
    auto last = visavis::Avatar::load(dir.path());
    watched = last;
    stage->add_tone("last", std::move(last));
    CHECK(stage->set_tone("last"));
    until([&, seen = counts.packets.load()] { return counts.packets > seen + 30; });
    CHECK(!watched.expired());
  }
  CHECK(watched.expired());
}

CHECK_MAIN
