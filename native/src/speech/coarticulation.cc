#include "speech/coarticulation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace visavis::speech {
namespace {

// Lips and jaw are low-pass systems of about 10 Hz; a Hann kernel of this half width falls to half at 10.3 Hz.
constexpr double kSmoothing = 0.035;
// Lip rounding starts before its vowel sounds (anticipatory coarticulation; Bell-Berti and Harris, 1982).
constexpr double kRoundingLead = 0.020;
// Lips need this long to meet and to part again. A closure stays full for kShortestClosure, so that even at 25 frames a
// second one frame shows it; English p and b stay shut for 60..70 ms on average (Byrd, 1993).
constexpr double kClosureRamp = 0.025;
constexpr std::int64_t kShortestClosure = 5;  // Records.
// Probabilities at which a run of evidence begins, at which a closure is likelier than what else it may be, and from which
// on the lips touch.
constexpr float kClosureFrom = 0.15f;
constexpr float kClosureLikely = 0.40f;
constexpr float kClosureFull = 0.55f;
// Sums of a run's probabilities below which it is a flicker and from which it is a closure: a stop that is there is heard
// over several records, most mistakes of the net over one or two.
constexpr float kEvidenceFrom = 1.7f;
constexpr float kEvidenceFull = 2.3f;
// Mass of all shapes below which the mouth rests: what the net leaks in silence and noise stays under it.
constexpr float kRestMass = 0.30f;

constexpr double kHopSeconds = static_cast<double>(kHop) / LipSync::kSampleRate;
constexpr std::size_t kSil = static_cast<std::size_t>(Viseme::sil);
constexpr std::size_t kPP = static_cast<std::size_t>(Viseme::PP);
constexpr std::size_t kFF = static_cast<std::size_t>(Viseme::FF);
constexpr std::size_t kO = static_cast<std::size_t>(Viseme::O);
constexpr std::size_t kU = static_cast<std::size_t>(Viseme::U);

float smoothstep(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

float hann(double distance, double half_width) {
  if (std::fabs(distance) >= half_width) return 0.0f;
  return static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * distance / half_width));
}

// How shut one viseme's records say the lips are at `seconds`. A run of records that speak of the viseme is one closure: as
// full as its best record and all of them together bear out, over the records that are more likely closed than not, no
// shorter than the shortest closure, with a ramp on either side. Looks at records from..to - 1 only.
float closure_at(const RecordRing& records, std::size_t viseme, std::int64_t from, std::int64_t to, double seconds) {
  float shut = 0.0f;
  for (std::int64_t i = from; i < to; ++i) {
    float peak = 0.0f, sum = 0.0f;
    std::int64_t first = to, last = from - 1;
    for (; i < to && records[i].posteriors[viseme] > kClosureFrom; ++i) {
      const float p = records[i].posteriors[viseme];
      peak = std::max(peak, p);
      sum += p;
      if (p < kClosureLikely) continue;
      first = std::min(first, i);
      last = i;
    }
    if (last < first) continue;
    const float full = smoothstep(kEvidenceFrom, kEvidenceFull, sum) * smoothstep(kClosureLikely, kClosureFull, peak);
    const double middle = 0.5 * (record_time(first) + record_time(last));
    const double half = 0.5 * kHopSeconds * static_cast<double>(std::max(last - first + 1, kShortestClosure));
    const double beyond = std::fabs(seconds - middle) - half;
    shut = std::max(shut, full * (beyond <= 0.0 ? 1.0f : hann(beyond, kClosureRamp)));
  }
  return shut;
}

std::int64_t nearest_record(double seconds) {
  return std::llround((seconds - record_time(0)) * LipSync::kSampleRate / kHop);
}

}  // namespace

void RecordRing::push(const SpeechRecord& record) {
  if (static_cast<std::size_t>(end_ - begin_) == slots_.size()) {
    std::vector<SpeechRecord> wider(slots_.size() * 2);
    for (std::int64_t i = begin_; i < end_; ++i) wider[static_cast<std::size_t>(i) & (wider.size() - 1)] = (*this)[i];
    slots_.swap(wider);
    mask_ = slots_.size() - 1;
  }
  slots_[static_cast<std::size_t>(end_++) & mask_] = record;
}

void RecordRing::forget_before(std::int64_t i) { begin_ = std::clamp(i, begin_, end_); }

float LoudnessMeter::next(float level_db, float speech_probability) {
  constexpr float kAttack = 0.15f;     // Of the distance, each 10 ms.
  constexpr float kDecay = 0.04f;      // dB each 10 ms: 4 dB a second.
  constexpr float kRange = 26.0f;      // dB from the speaker's vowels down to a closed jaw.
  constexpr float kQuietest = -45.0f;  // A reference below this is a noise floor, not a speaker.
  constexpr float kFaintest = -66.0f;  // dB of full scale: below it there is nothing to hear.
  if (speech_probability > 0.5f && level_db > kQuietest) {
    if (reference_ == kNone) reference_ = level_db;
    reference_ += level_db > reference_ ? kAttack * (level_db - reference_) : -kDecay;
  }
  const float reference = reference_ == kNone ? kQuietest + 20.0f : reference_;
  if (level_db < kFaintest) return 0.0f;
  return std::clamp(1.0f + (level_db - reference) / kRange, 0.0f, 1.0f);
}

MouthPose pose_at(const RecordRing& records, double seconds) {
  MouthPose pose;
  if (records.begin() == records.end()) return pose;
  const double first = record_time(records.begin()), last = record_time(records.end() - 1);
  const double t = std::clamp(seconds, first, last);
  const std::int64_t centre = nearest_record(t);
  // Nothing beyond the promised look-ahead may matter, or a pose would change after it was said to be final.
  const std::int64_t from = std::max(records.begin(), centre - 6);
  std::int64_t to = std::min(records.end(), centre + 7);
  while (to > from + 1 && record_time(to - 1) > t + kPoseLookAhead) --to;

  std::array<float, kVisemeCount> sum{};
  std::array<float, 2> rounding{};
  float total = 0.0f, rounding_total = 0.0f, loudness = 0.0f;
  for (std::int64_t i = from; i < to; ++i) {
    const SpeechRecord& record = records[i];
    const double distance = record_time(i) - t;
    const float weight = hann(distance, kSmoothing);
    total += weight;
    loudness += weight * record.loudness;
    for (std::size_t c = 0; c < kVisemeCount; ++c) sum[c] += weight * record.posteriors[c];
    const float lead = hann(distance - kRoundingLead, kSmoothing);
    rounding_total += lead;
    rounding[0] += lead * record.posteriors[kO];
    rounding[1] += lead * record.posteriors[kU];
  }
  for (float& s : sum) s /= total;
  if (rounding_total > 0.0f) {
    sum[kO] = std::max(sum[kO], rounding[0] / rounding_total);
    sum[kU] = std::max(sum[kU], rounding[1] / rounding_total);
  }
  pose.loudness = loudness / total;

  // Closures take what they need; the other shapes share the remainder, rest among them.
  const float pp = closure_at(records, kPP, from, to, t);
  const float ff = std::min(closure_at(records, kFF, from, to, t), 1.0f - pp);
  float others = 0.0f;
  for (std::size_t c = 0; c < kVisemeCount; ++c) {
    if (c != kPP && c != kFF) others += sum[c];
  }
  const float moving = others - sum[kSil];
  const float awake = smoothstep(kRestMass, 2.0f * kRestMass, moving + sum[kPP] + sum[kFF]);
  const float share = others > 1e-6f ? (1.0f - pp - ff) * awake / others : 0.0f;
  float shown = 0.0f;
  for (std::size_t c = 1; c < kVisemeCount; ++c) {
    if (c != kPP && c != kFF) pose.weights[c] = sum[c] * share;
    if (c == kPP) pose.weights[c] = pp;
    if (c == kFF) pose.weights[c] = ff;
    shown += pose.weights[c];
  }
  pose.weights[kSil] = std::max(0.0f, 1.0f - shown);
  return pose;
}

}  // namespace visavis::speech
