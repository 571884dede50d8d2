#include "speech/coarticulation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "check.h"

using namespace visavis;
using namespace visavis::speech;

namespace {

constexpr double kHopSeconds = static_cast<double>(kHop) / LipSync::kSampleRate;

constexpr std::size_t at(Viseme viseme) { return static_cast<std::size_t>(viseme); }

// Pushes `count` records that share out their probability as told; the rest of it is silence.
void say(RecordRing& records, int count, std::initializer_list<std::pair<Viseme, float>> shares, float loudness = 0.8f) {
  SpeechRecord record{};
  record.loudness = loudness;
  float rest = 1.0f;
  for (const auto& [viseme, share] : shares) {
    record.posteriors[at(viseme)] = share;
    rest -= share;
  }
  record.posteriors[at(Viseme::sil)] += rest;
  for (int i = 0; i < count; ++i) records.push(record);
}

float shown(const RecordRing& records, Viseme viseme, double seconds) {
  return pose_at(records, seconds).weights[at(viseme)];
}

// How long `viseme` shows at least `level`.
double seconds_above(const RecordRing& records, Viseme viseme, float level) {
  int count = 0;
  for (double t = record_time(records.begin()); t < record_time(records.end() - 1); t += 0.001) {
    count += shown(records, viseme, t) >= level ? 1 : 0;
  }
  return 0.001 * count;
}

}  // namespace

CHECK_CASE("a short stop between vowels is shut for longer than a frame of 25 a second") {
  for (const Viseme stop : {Viseme::PP, Viseme::FF}) {
    RecordRing records;
    say(records, 20, {{Viseme::aa, 1.0f}});
    say(records, 3, {{stop, 0.9f}, {Viseme::aa, 0.1f}});
    say(records, 20, {{Viseme::aa, 1.0f}});
    CHECK(seconds_above(records, stop, 0.99f) >= 0.04);
    CHECK(shown(records, stop, record_time(21)) > 0.99f);
    CHECK(shown(records, Viseme::aa, record_time(21)) < 0.01f);
  }
}

CHECK_CASE("a long closure is shut as long as it sounds, no longer") {
  RecordRing records;
  say(records, 20, {{Viseme::E, 1.0f}});
  say(records, 15, {{Viseme::PP, 0.95f}});
  say(records, 20, {{Viseme::E, 1.0f}});
  CHECK_NEAR(seconds_above(records, Viseme::PP, 0.99f), 15 * kHopSeconds, 0.015);
}

CHECK_CASE("what flickers, or is never likely, closes nothing") {
  RecordRing records;
  say(records, 20, {{Viseme::aa, 1.0f}});
  say(records, 1, {{Viseme::PP, 0.9f}, {Viseme::aa, 0.1f}});
  say(records, 20, {{Viseme::aa, 1.0f}});
  say(records, 6, {{Viseme::PP, 0.3f}, {Viseme::nn, 0.7f}});
  say(records, 20, {{Viseme::aa, 1.0f}});
  CHECK(seconds_above(records, Viseme::PP, 0.05f) == 0.0);
}

CHECK_CASE("lips take their time to meet and to part") {
  RecordRing records;
  say(records, 20, {{Viseme::aa, 1.0f}});
  say(records, 8, {{Viseme::PP, 1.0f}});
  say(records, 20, {{Viseme::aa, 1.0f}});
  float before = 0.0f, steepest = 0.0f;
  for (double t = 0.1; t < 0.45; t += 0.01) {
    const float now = shown(records, Viseme::PP, t);
    steepest = std::max(steepest, std::fabs(now - before));
    before = now;
  }
  CHECK(steepest > 0.0f && steepest < 0.6f);
}

CHECK_CASE("rounding leads its vowel; a spread vowel does not") {
  const auto onset = [](Viseme vowel) {
    RecordRing records;
    say(records, 30, {{Viseme::SS, 1.0f}});
    say(records, 30, {{vowel, 1.0f}});
    double t = record_time(20);
    while (shown(records, vowel, t) < 0.5f) t += 0.001;
    return t;
  };
  for (const Viseme rounded : {Viseme::O, Viseme::U}) CHECK(onset(rounded) < onset(Viseme::I) - 0.007);
}

CHECK_CASE("a pose looks no further ahead than it says") {
  RecordRing known;
  say(known, 30, {{Viseme::aa, 0.6f}, {Viseme::PP, 0.4f}});
  RecordRing more;
  say(more, 30, {{Viseme::aa, 0.6f}, {Viseme::PP, 0.4f}});
  say(more, 10, {{Viseme::PP, 1.0f}});
  const double last = record_time(29) - kPoseLookAhead;
  for (double t = 0.05; t <= last; t += 0.001) CHECK(pose_at(known, t).weights == pose_at(more, t).weights);
}

CHECK_CASE("a murmur of probabilities in silence moves nothing") {
  RecordRing records;
  say(records, 40, {{Viseme::aa, 0.1f}, {Viseme::DD, 0.1f}, {Viseme::PP, 0.05f}}, 0.0f);
  for (double t = 0.05; t < 0.35; t += 0.01) CHECK(pose_at(records, t).at_rest());
}

CHECK_MAIN
