// The whole Stage in virtual time: real encoders, a face and a net that show what they were asked.
#include <opus.h>

#include <cmath>
#include <memory>

#include "../media/h264.h"
#include "check.h"
#include "fakes.h"
#include "visavis/media/raw_media.h"

using visavis::MediaPacket;
using visavis::Stage;
using visavis::StageEvent;
using visavis::StageStats;
using visavis::test::FailingEncoder;
using visavis::test::Rehearsal;
using visavis::test::steady;
using visavis::test::tone;
namespace h264 = visavis::h264;

namespace {

std::vector<float> decode(const std::vector<MediaPacket>& packets) {
  const std::unique_ptr<OpusDecoder, void (*)(OpusDecoder*)> decoder(opus_decoder_create(48'000, 1, nullptr),
                                                                     opus_decoder_destroy);
  std::vector<float> heard(packets.size() * 960);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const auto& data = packets[i].data;
    CHECK(opus_decode_float(decoder.get(), data.data(), static_cast<int>(data.size()), heard.data() + i * 960, 960,
                            0) == 960);
  }
  return heard;
}

double level(const std::vector<float>& samples, std::size_t from, std::size_t count) {
  double sum = 0;
  for (std::size_t i = from; i < from + count; ++i) sum += samples[i] * samples[i];
  return std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

CHECK_CASE("a raw output is the pictures and the samples themselves, on the same clock") {
  const auto raw = [] { return visavis::make_raw_video(Rehearsal::kWidth, Rehearsal::kHeight); };
  Rehearsal on(25, raw(), 50, visavis::make_raw_speech());
  const std::uint64_t utterance = on.stage->begin_utterance();
  // At the Stage's own rate the resampler changes nothing but the first and the last few samples.
  const auto spoken = tone(1.0, 48'000);
  CHECK(on.stage->push_audio(utterance, spoken, 48'000));
  on.stage->end_utterance(utterance);
  on.clock.run_ms(2'000);
  const auto audio = on.audio();
  const auto video = on.video();
  CHECK(audio.size() == 101);
  CHECK(video.size() == 51);
  std::vector<std::int16_t> heard;
  std::size_t speech = 0;
  for (std::size_t i = 0; i < audio.size(); ++i) {
    CHECK(audio[i].rtp_timestamp == 960 * i);
    CHECK(audio[i].data.size() == 1'920);
    const auto* samples = reinterpret_cast<const std::int16_t*>(audio[i].data.data());
    heard.insert(heard.end(), samples, samples + 960);
    speech += audio[i].speech ? 1 : 0;
  }
  for (std::size_t i = 0; i < video.size(); ++i) {
    CHECK(video[i].rtp_timestamp == 3'600 * i);
    CHECK(video[i].keyframe);
    CHECK(video[i].data.size() == visavis::i420_bytes(Rehearsal::kWidth, Rehearsal::kHeight));
  }
  CHECK(speech >= 50 && speech <= 52);
  std::vector<float> levels(heard.begin(), heard.end());
  for (float& value : levels) value /= 32'768;
  double loudest = 0;
  for (std::size_t from = 0; from + 4'800 <= levels.size(); from += 4'800) {
    loudest = std::max(loudest, level(levels, from, 4'800));
  }
  CHECK_NEAR(loudest, 0.5 / std::sqrt(2.0), 0.01);
  CHECK(level(levels, levels.size() - 9'600, 9'600) == 0);
  const auto ended = on.told(StageEvent::Kind::kUtteranceEnded);
  CHECK(ended.size() == 1);
  CHECK(!ended.front().interrupted);
  CHECK_NEAR(ended.front().played_ms, 1'000, 1);
}

CHECK_CASE("silence and idle frames flow from the start, each on its own grid of the one clock") {
  for (const int fps : {25, 30}) {
    Rehearsal on(fps);
    on.clock.run_ms(2'000);
    const auto audio = on.audio();
    const auto video = on.video();
    CHECK(audio.size() == 101);
    CHECK(video.size() == static_cast<std::size_t>(2 * fps + 1));
    for (std::size_t i = 0; i < audio.size(); ++i) {
      CHECK(audio[i].rtp_timestamp == 960 * i);
      CHECK(!audio[i].speech);
    }
    for (std::size_t i = 0; i < video.size(); ++i) {
      CHECK(video[i].rtp_timestamp == 90'000u / static_cast<unsigned>(fps) * i);
      CHECK(video[i].keyframe == (i == 0));
    }
    CHECK(on.events.empty());
    // In media order: nothing comes before what lies earlier on the clock.
    double before = -1;
    for (const MediaPacket& packet : on.packets) {
      const bool is_audio = packet.kind == MediaPacket::Kind::kAudio;
      const double at = packet.rtp_timestamp / (is_audio ? 48'000.0 : 90'000.0);
      CHECK(at >= before - 1e-9);
      before = at;
    }
  }
}

CHECK_CASE("the loop is picked by media time and begins again without end") {
  Rehearsal on(30, nullptr, 50);
  on.clock.run_ms(5'000);
  CHECK(on.drawn->size() == 151);
  for (std::size_t frame = 0; frame < on.drawn->size(); ++frame) {
    CHECK((*on.drawn)[frame].index == static_cast<int>(frame * 25 / 30 % 50));
  }
}

CHECK_CASE("the stream decodes, every frame") {
  Rehearsal on;
  on.clock.run_ms(1'000);
  h264::Decoder decoder;
  std::size_t frame = 0;
  for (const MediaPacket& packet : on.video()) {
    const AVFrame& picture = decoder.decode(packet.data);
    CHECK(picture.width == Rehearsal::kWidth && picture.height == Rehearsal::kHeight);
    CHECK_NEAR(picture.data[0][0], 60 + (*on.drawn)[frame++].index, 4);
  }
  CHECK(frame == 26);
}

CHECK_CASE("a clause is heard with the next packet, and the mouth moves with it") {
  Rehearsal on;
  on.clock.run_ms(505);
  const std::uint64_t utterance = on.stage->begin_utterance();
  CHECK(on.stage->push_audio(utterance, tone(0.4), 24'000));
  on.stage->end_utterance(utterance);
  on.clock.run_ms(1'000);

  const auto audio = on.audio();
  const auto first = std::find_if(audio.begin(), audio.end(), [](const MediaPacket& p) { return p.speech; });
  CHECK(first != audio.end() && first->rtp_timestamp == 520 * 48);
  const auto speaking = std::count_if(audio.begin(), audio.end(), [](const MediaPacket& p) { return p.speech; });
  CHECK(speaking == 20);

  const auto heard = decode(audio);
  CHECK(level(heard, 100 * 48, 400 * 48) < 1e-4);
  CHECK_NEAR(level(heard, 600 * 48, 200 * 48), 0.5 / std::sqrt(2), 0.05);
  CHECK(level(heard, 1'200 * 48, 200 * 48) < 1e-4);

  // 200 Hz has a whole number of periods in a frame: each shows a crest, in the frames of 520..920 ms.
  for (std::size_t frame = 0; frame < on.drawn->size(); ++frame) {
    const double at = static_cast<double>(frame) * 40;
    const float open = (*on.drawn)[frame].open;
    if (at < 520 || at >= 1'040) {
      CHECK(open == 0);
    } else if (at < 920) {
      CHECK_NEAR(open, 0.5, 0.02);
    }
  }

  const auto started = on.told(StageEvent::Kind::kUtteranceStarted);
  const auto ended = on.told(StageEvent::Kind::kUtteranceEnded);
  CHECK(started.size() == 1 && ended.size() == 1);
  CHECK_NEAR(started[0].media_time_ms, 520, 1e-6);
  CHECK_NEAR(ended[0].media_time_ms, 920, 0.1);
}

CHECK_CASE("at 30 fps a frame within a packet shows the sound at its own time") {
  Rehearsal on(30);
  const std::uint64_t utterance = on.stage->begin_utterance();
  // From 0.1 to 0.9 within a second, in steps of a sample.
  std::vector<std::int16_t> ramp(48'000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<std::int16_t>(3'277 + i * 26'214 / 48'000);
  on.clock.run_ms(10);
  CHECK(on.stage->push_audio(utterance, ramp, 48'000));
  on.stage->end_utterance(utterance);
  on.clock.run_ms(1'100);
  int compared = 0;
  for (std::size_t frame = 0; frame < on.drawn->size(); ++frame) {
    const double into = static_cast<double>(frame) / 30 - 0.020;
    if (into < 0 || into > 0.99) continue;
    CHECK_NEAR((*on.drawn)[frame].open, 0.1 + 0.8 * into, 0.001);
    ++compared;
  }
  CHECK(compared == 30);
}

CHECK_CASE("an interrupt is silent within 50 ms, shuts the mouth within 100 and leaves nothing behind") {
  Rehearsal on;
  const std::uint64_t first = on.stage->begin_utterance();
  const std::uint64_t second = on.stage->begin_utterance();
  on.stage->push_audio(first, steady(3), 16'000);
  on.stage->push_audio(second, steady(3), 16'000);
  on.stage->end_utterance(first);
  on.clock.run_ms(1'001);
  const std::uint64_t generation = on.stage->interrupt();
  CHECK(!on.stage->push_audio(first, steady(1), 16'000));
  CHECK(!on.stage->push_audio(second, steady(1), 16'000));
  CHECK(!on.stage->add_mark(second, 1));
  on.clock.run_ms(1'000);

  for (const MediaPacket& packet : on.audio()) {
    CHECK(packet.speech == (packet.rtp_timestamp >= 20u * 48 && packet.rtp_timestamp < 1'060u * 48) ||
          packet.rtp_timestamp == 0);
  }
  float before = 1;
  for (std::size_t frame = 25; frame < on.drawn->size(); ++frame) {
    const float open = (*on.drawn)[frame].open;
    CHECK(open <= before);
    if (frame * 40 >= 1'120) CHECK(open == 0);
    before = open;
  }
  CHECK((*on.drawn)[25].open > 0.4f);
  const auto ended = on.told(StageEvent::Kind::kUtteranceEnded);
  CHECK(ended.size() == 2);
  for (const StageEvent& event : ended) CHECK(event.interrupted && event.media_time_ms <= 1'050.001);
  CHECK(on.stage->interrupt() == generation + 1);
}

CHECK_CASE("an underrun is counted and the mouth rests until speech goes on") {
  Rehearsal on;
  const std::uint64_t utterance = on.stage->begin_utterance();
  on.stage->push_audio(utterance, steady(0.3), 16'000);
  on.clock.run_ms(1'000);
  CHECK(on.stage->stats().underruns == 1);
  CHECK(on.drawn->back().open == 0);
  on.stage->push_audio(utterance, steady(0.3), 16'000);
  on.stage->end_utterance(utterance);
  on.clock.run_ms(200);
  CHECK_NEAR(on.drawn->back().open, 0.5, 0.02);
  on.clock.run_ms(800);
  CHECK(on.stage->stats().underruns == 1);
  const auto ended = on.told(StageEvent::Kind::kUtteranceEnded);
  CHECK(ended.size() == 1);
  CHECK_NEAR(ended[0].played_ms, 600, 0.1);
}

CHECK_CASE("a keyframe comes with the next frame") {
  Rehearsal on;
  on.clock.run_ms(410);
  on.stage->request_keyframe();
  on.clock.run_ms(400);
  for (const MediaPacket& packet : on.video()) {
    CHECK(packet.keyframe == (packet.rtp_timestamp == 0 || packet.rtp_timestamp == 11u * 3'600));
  }
}

CHECK_CASE("a short stall is caught up, a long one skipped, and the clock stays the clock") {
  Rehearsal on;
  on.clock.run_ms(200);
  on.packets.clear();
  on.clock.leap_ms(70);
  // 220, 240, 260 ms of sound; of the frames at 240 only that one.
  CHECK(on.audio().size() == 3);
  CHECK(on.video().size() == 1);
  CHECK(on.stage->stats().dropped_frames == 0);
  on.clock.run_ms(10);
  on.packets.clear();
  on.clock.leap_ms(80);
  // The frames at 320 and 360 ms, both.
  CHECK(on.video().size() == 2);
  CHECK(on.stage->stats().dropped_frames == 0);
  on.clock.run_ms(10);
  on.packets.clear();
  const auto drawn = on.drawn->size();
  on.clock.leap_ms(1'000);
  CHECK(on.audio().size() <= 2);
  CHECK(on.video().size() == 1);
  CHECK(on.drawn->size() == drawn + 1);
  CHECK(on.stage->stats().dropped_frames == 24);
  on.packets.clear();
  on.clock.run_ms(200);
  for (const MediaPacket& packet : on.audio()) CHECK(packet.rtp_timestamp % 960 == 0);
  CHECK(on.audio().back().rtp_timestamp == 1'560 * 48);
  CHECK(on.video().back().rtp_timestamp == 1'560 * 90);
  CHECK((*on.drawn).back().index == 39);
}

CHECK_CASE("speech waits out a stall instead of losing a word") {
  Rehearsal on;
  const std::uint64_t utterance = on.stage->begin_utterance();
  on.stage->push_audio(utterance, steady(1), 16'000);
  on.stage->end_utterance(utterance);
  on.clock.run_ms(300);
  on.clock.leap_ms(2'000);
  on.clock.run_ms(1'500);
  const auto ended = on.told(StageEvent::Kind::kUtteranceEnded);
  CHECK(ended.size() == 1 && !ended[0].interrupted);
  CHECK_NEAR(ended[0].played_ms, 1'000, 0.1);
  const auto audio = on.audio();
  const auto speaking = std::count_if(audio.begin(), audio.end(), [](const MediaPacket& p) { return p.speech; });
  CHECK(speaking == 50);
}

CHECK_CASE("timestamps wrap at 32 bits and go on") {
  Rehearsal on;
  on.clock.run_ms(100);
  // 2^32 / 48000 s is just over 24 hours and 51 minutes.
  on.clock.leap_ms(89'477'000);
  on.packets.clear();
  on.clock.run_ms(2'000);
  const auto audio = on.audio();
  CHECK(audio.size() == 100);
  for (std::size_t i = 1; i < audio.size(); ++i) {
    CHECK(static_cast<std::uint32_t>(audio[i].rtp_timestamp - audio[i - 1].rtp_timestamp) == 960);
  }
  CHECK(audio.front().rtp_timestamp > audio.back().rtp_timestamp);
  for (std::size_t i = 1; i < on.video().size(); ++i) {
    CHECK(static_cast<std::uint32_t>(on.video()[i].rtp_timestamp - on.video()[i - 1].rtp_timestamp) == 3'600);
  }
}

CHECK_CASE("figures") {
  Rehearsal on;
  on.clock.run_ms(4'000);
  const StageStats stats = on.stage->stats();
  CHECK(stats.frames == 101);
  CHECK(stats.audio_packets == 201);
  CHECK_NEAR(stats.fps, 25, 0.51);
  CHECK(stats.dropped_frames == 0 && stats.underruns == 0);
  CHECK(stats.encoder == "libx264");
  CHECK(stats.frame_ms.p50 > 0 && stats.frame_ms.p50 <= stats.frame_ms.p95 && stats.frame_ms.p95 <= stats.frame_ms.p99);
  CHECK(stats.encode_ms.p50 > 0 && stats.encode_ms.p99 <= stats.frame_ms.p99);
  std::size_t bytes = 0;
  for (const MediaPacket& packet : on.video()) bytes += packet.rtp_timestamp > 2'000u * 90 ? packet.data.size() : 0;
  CHECK_NEAR(stats.bitrate_bps, static_cast<double>(bytes) * 4, 1'000);
}

CHECK_CASE("an encoder that fails is told once, and the Stage falls silent") {
  Rehearsal on(25, std::make_unique<FailingEncoder>(10));
  const std::uint64_t utterance = on.stage->begin_utterance();
  on.clock.run_ms(1'000);
  CHECK(on.video().size() == 10);
  CHECK(on.events.size() == 1);
  CHECK(on.events[0].kind == StageEvent::Kind::kFailed);
  CHECK(on.events[0].message == "the encoder lost its device");
  CHECK_NEAR(on.events[0].media_time_ms, 420, 20);
  CHECK(!on.stage->push_audio(utterance, steady(0.1), 16'000));
  on.stage->interrupt();
  CHECK(on.stage->stats().frames == 10);
}

CHECK_CASE("a part that is missing is refused") {
  visavis::StageParts parts;
  visavis::StageSink sink;
  CHECK_THROWS(std::invalid_argument, visavis::make_stage(std::move(parts), std::move(sink)));
  CHECK_THROWS(std::invalid_argument, Rehearsal(24));
}

CHECK_MAIN
