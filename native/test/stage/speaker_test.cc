#include "speaker.h"

#include <array>
#include <cmath>

#include "check.h"
#include "fakes.h"

using visavis::Speaker;
using visavis::SpeechBlock;
using visavis::SpeechQueue;
using visavis::StageEvent;
using visavis::Viseme;
using visavis::test::EchoLipSync;
using visavis::test::steady;

namespace {

constexpr std::size_t kBlock = 960;
constexpr double kMs = 1.0 / 48.0;

// A speaker, and all it has said so far.
struct Booth {
  SpeechQueue queue;
  Speaker speaker{queue, [] { return std::make_unique<EchoLipSync>(); }};
  std::vector<float> heard;
  std::vector<bool> speech;
  std::vector<float> open;  // The live pose at each block's start; -1 where there is none.
  std::vector<StageEvent> events;

  void run(int blocks) {
    for (int i = 0; i < blocks; ++i) {
      std::array<float, kBlock> out;
      const SpeechBlock block = speaker.compose(static_cast<std::int64_t>(heard.size()), out, 0);
      heard.insert(heard.end(), out.begin(), out.end());
      speech.push_back(block.speech);
      open.push_back(block.pose ? block.pose->pose.weights[static_cast<std::size_t>(Viseme::aa)] : -1);
      events.insert(events.end(), block.before.begin(), block.before.end());
      events.insert(events.end(), block.after.begin(), block.after.end());
    }
  }

  std::uint64_t say(double seconds, double level = 0.5, int rate = 16'000) {
    const std::uint64_t utterance = queue.begin();
    CHECK(queue.push(utterance, steady(seconds, rate, level), rate));
    queue.end(utterance);
    return utterance;
  }

  // Of samples that are not silence.
  std::size_t sounding() const {
    return static_cast<std::size_t>(std::count_if(heard.begin(), heard.end(), [](float s) { return s != 0; }));
  }
};

}  // namespace

CHECK_CASE("nobody speaks: digital silence, no pose, no event") {
  Booth booth;
  booth.run(10);
  CHECK(booth.sounding() == 0);
  CHECK(booth.events.empty());
  CHECK(booth.speech == std::vector<bool>(10, false));
  CHECK(booth.open == std::vector<float>(10, -1));
}

CHECK_CASE("a whole utterance starts with the next block, sounds for its length and ends once") {
  Booth booth;
  booth.run(3);
  const std::uint64_t utterance = booth.say(0.5);
  booth.run(40);
  CHECK(booth.speech[3] && !booth.speech[2]);
  CHECK_NEAR(static_cast<double>(booth.sounding()), 24'000, 20);
  CHECK(booth.events.size() == 2);
  CHECK(booth.events[0].kind == StageEvent::Kind::kUtteranceStarted && booth.events[0].utterance == utterance);
  CHECK_NEAR(booth.events[0].media_time_ms, 60, 1e-9);
  CHECK(booth.events[1].kind == StageEvent::Kind::kUtteranceEnded && booth.events[1].utterance == utterance);
  CHECK_NEAR(booth.events[1].media_time_ms, 560, 0.1);
  CHECK_NEAR(booth.events[1].played_ms, 500, 0.1);
  CHECK(!booth.events[1].interrupted);
}

CHECK_CASE("the mouth shows what is heard at that very sample") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  // Ten steps of 100 ms, each louder than the one before.
  for (int step = 1; step <= 10; ++step) booth.queue.push(utterance, steady(0.1, 24'000, 0.05 * step), 24'000);
  booth.queue.end(utterance);
  booth.run(55);
  int compared = 0;
  for (std::size_t block = 1; block < 50; ++block) {
    if (block % 5 == 0) continue;  // The steps' own edges ring in the resampler.
    CHECK_NEAR(booth.open[block], booth.heard[block * kBlock], 0.005);
    ++compared;
  }
  CHECK(compared == 40);
  CHECK(booth.open[52] == -1);
}

CHECK_CASE("speech waits until its first poses are final") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  booth.queue.push(utterance, steady(0.07), 16'000);
  booth.run(3);
  CHECK(booth.sounding() == 0);
  booth.queue.push(utterance, steady(0.02), 16'000);
  booth.run(1);
  CHECK(booth.speech[3]);
}

CHECK_CASE("a short utterance need not wait once it has ended") {
  Booth booth;
  booth.say(0.03);
  booth.run(3);
  CHECK(booth.speech[0] && booth.speech[1] && !booth.speech[2]);
}

CHECK_CASE("utterances follow each other without a gap, in their order") {
  Booth booth;
  const std::uint64_t first = booth.say(0.25, 0.3);
  const std::uint64_t second = booth.say(0.25, 0.6, 48'000);
  booth.run(30);
  CHECK_NEAR(static_cast<double>(booth.sounding()), 24'000, 20);
  CHECK_NEAR(booth.heard[11'900], 0.3, 0.02);
  CHECK_NEAR(booth.heard[12'100], 0.6, 0.02);
  CHECK(booth.events.size() == 4);
  const std::uint64_t expected[] = {first, first, second, second};
  for (std::size_t i = 0; i < 4; ++i) {
    const bool start = i % 2 == 0;
    CHECK(booth.events[i].utterance == expected[i]);
    CHECK(booth.events[i].kind == (start ? StageEvent::Kind::kUtteranceStarted : StageEvent::Kind::kUtteranceEnded));
    if (i > 0) CHECK(booth.events[i].media_time_ms >= booth.events[i - 1].media_time_ms);
  }
}

CHECK_CASE("marks come in order, where playback reaches them") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  CHECK(booth.queue.mark(utterance, 1));
  booth.queue.push(utterance, steady(0.1, 22'050), 22'050);
  CHECK(booth.queue.mark(utterance, 2));
  booth.queue.push(utterance, steady(0.2, 22'050), 22'050);
  CHECK(booth.queue.mark(utterance, 3));
  booth.queue.end(utterance);
  booth.run(30);
  std::vector<StageEvent> marks;
  for (const StageEvent& event : booth.events) {
    if (event.kind == StageEvent::Kind::kMark) marks.push_back(event);
  }
  CHECK(marks.size() == 3);
  const double expected[] = {0, 100, 300};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    CHECK(marks[i].mark == i + 1 && marks[i].utterance == utterance);
    CHECK_NEAR(marks[i].media_time_ms, expected[i], 0.1);
  }
  CHECK(booth.events.back().kind == StageEvent::Kind::kUtteranceEnded);
}

CHECK_CASE("an utterance without sound ends without having started, and keeps its marks") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  booth.queue.mark(utterance, 9);
  booth.queue.end(utterance);
  booth.run(2);
  CHECK(booth.events.size() == 2);
  CHECK(booth.events[0].kind == StageEvent::Kind::kMark && booth.events[0].mark == 9);
  CHECK(booth.events[1].kind == StageEvent::Kind::kUtteranceEnded && booth.events[1].played_ms == 0);
}

CHECK_CASE("an underrun is silence without a click, counted once, and playback resumes where it broke off") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  booth.queue.push(utterance, steady(0.3), 16'000);
  booth.run(30);
  CHECK(booth.speaker.underruns() == 1);
  // The last 60 ms wait for their poses.
  CHECK_NEAR(static_cast<double>(booth.sounding()), 240 / kMs, 5 / kMs);
  CHECK(booth.open[20] == -1);
  booth.queue.push(utterance, steady(0.3), 16'000);
  booth.run(1);
  CHECK(booth.speech.back());
  booth.queue.end(utterance);
  booth.run(30);
  CHECK(booth.speaker.underruns() == 1);
  CHECK_NEAR(static_cast<double>(booth.sounding()), 600 / kMs, 7 / kMs);
  CHECK_NEAR(booth.events.back().played_ms, 600, 0.1);
  float largest = 0;
  for (std::size_t i = 13 * kBlock; i < 32 * kBlock; ++i) {
    largest = std::max(largest, std::fabs(booth.heard[i] - booth.heard[i - 1]));
  }
  CHECK(largest < 0.01f);
}

CHECK_CASE("an interrupt fades linearly over 30 ms and lets nothing through afterwards") {
  Booth booth;
  const std::uint64_t speaking = booth.say(2.0);
  const std::uint64_t waiting = booth.say(2.0);
  booth.queue.mark(speaking, 1);
  booth.run(25);
  booth.queue.interrupt();
  CHECK(!booth.queue.push(speaking, steady(0.1), 16'000));
  booth.run(25);
  const std::size_t at = 25 * kBlock;
  for (std::size_t i = 0; i < Speaker::kFadeSamples; ++i) {
    const double expected = 0.5 * (1.0 - static_cast<double>(i + 1) / Speaker::kFadeSamples);
    CHECK_NEAR(booth.heard[at + i], expected, 0.001);
  }
  for (std::size_t i = at + Speaker::kFadeSamples; i < booth.heard.size(); ++i) CHECK(booth.heard[i] == 0);
  CHECK(booth.speech[25] && booth.speech[26] && !booth.speech[27]);
  CHECK(booth.open[24] > 0.4f && booth.open[25] == -1);

  CHECK(booth.events.size() == 3);
  for (std::size_t i = 1; i < booth.events.size(); ++i) {
    CHECK(booth.events[i].kind == StageEvent::Kind::kUtteranceEnded && booth.events[i].interrupted);
    CHECK_NEAR(booth.events[i].played_ms, booth.events[i].utterance == speaking ? 530 : 0, 0.1);
  }
  CHECK(booth.events[1].utterance == waiting && booth.events[2].utterance == speaking);
  CHECK_NEAR(booth.events[2].media_time_ms, 530, 0.1);
}

CHECK_CASE("a new generation follows right behind the fade") {
  Booth booth;
  booth.say(1.0, 0.5);
  booth.run(10);
  booth.queue.interrupt();
  const std::uint64_t fresh = booth.say(0.2, 0.25);
  booth.run(20);
  CHECK_NEAR(booth.heard[10 * kBlock + Speaker::kFadeSamples + 200], 0.25, 0.01);
  CHECK(booth.events.back().utterance == fresh && !booth.events.back().interrupted);
  CHECK_NEAR(booth.events.back().played_ms, 200, 0.1);
}

CHECK_CASE("interrupts on interrupts: every utterance still ends exactly once") {
  Booth booth;
  std::vector<int> ended(200, 0);
  std::uint64_t last = 0;
  for (int round = 0; round < 60; ++round) {
    last = booth.say(0.05 + 0.013 * (round % 7));
    if (round % 3 != 0) last = booth.queue.begin();
    booth.run(round % 4);
    if (round % 2 == 1) booth.queue.interrupt();
    if (round % 5 == 1) booth.queue.interrupt();
  }
  booth.queue.interrupt();
  booth.run(5);
  for (const StageEvent& event : booth.events) {
    if (event.kind == StageEvent::Kind::kUtteranceEnded) ++ended[event.utterance];
  }
  for (std::uint64_t utterance = 1; utterance <= last; ++utterance) CHECK(ended[utterance] == 1);
  CHECK(last > 90);
}

CHECK_CASE("the rate may change in mid utterance") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  for (const int rate : {8'000, 22'050, 48'000, 16'000, 44'100}) {
    CHECK(booth.queue.push(utterance, steady(0.1, rate, 0.4), rate));
  }
  booth.queue.end(utterance);
  booth.run(40);
  CHECK_NEAR(booth.events.back().played_ms, 500, 0.3);
}

CHECK_CASE("a long push is prepared piece by piece, never all at once") {
  Booth booth;
  const std::uint64_t utterance = booth.queue.begin();
  booth.queue.push(utterance, steady(300), 16'000);
  booth.run(100);
  CHECK(booth.speaker.underruns() == 0);
  CHECK_NEAR(static_cast<double>(booth.sounding()), 96'000, 50);
}

CHECK_MAIN
