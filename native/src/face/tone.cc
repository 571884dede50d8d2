#include "tone.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace visavis::face {

namespace {

constexpr std::array<ToneTarget, 9> kTones = {{
    {.name = "neutral"},
    {.name = "warm",
     .brow_inner = 0.8f,
     .brow_outer = 0.5f,
     .upper_lid = -0.3f,
     .lower_lid = 0.5f,
     .cheek = 1.6f,
     .smile = 4.5f,
     .calm = 0,
     .shut = false,
     .pulse_hertz = 0.2f,
     .pulse = 0.10f},
    {.name = "happy",
     .brow_inner = 0.8f,
     .brow_outer = 1.0f,
     .upper_lid = -0.3f,
     .lower_lid = 1.1f,
     .cheek = 3.6f,
     .smile = 9.0f,
     .calm = 0,
     .shut = false,
     .pulse_hertz = 0.3f,
     .pulse = 0.08f},
    {.name = "excited",
     .brow_inner = 4.6f,
     .brow_outer = 5.0f,
     .upper_lid = 0.9f,
     .lower_lid = 0.5f,
     .cheek = 2.4f,
     .smile = 7.0f,
     .show = 1.8f,
     .jaw = 3.0f,
     .calm = 0,
     .shut = false,
     .pitch = -0.012f,
     .pulse_hertz = 0.6f,
     .pulse = 0.06f},
    {.name = "curious",
     .brow_inner = 3.2f,
     .brow_outer = 4.5f,
     .brow_lead = 0.3f,
     .upper_lid = 0.5f,
     .lower_lid = 0.2f,
     .smile = 1.5f,
     .calm = 0.5f,
     .pitch = 0.008f,
     .roll = 0.035f,
     .pulse_hertz = 0.25f,
     .pulse = 0.14f},
    {.name = "serious",
     .brow_inner = -3.8f,
     .brow_outer = -1.6f,
     .knit = 3.0f,
     .upper_lid = -0.6f,
     .lower_lid = 0.9f,
     .frown = 1.6f,
     .press = 1.0f,
     .pitch = 0.012f,
     .pulse_hertz = 0.15f,
     .pulse = 0.08f},
    {.name = "sad",
     .brow_inner = 6.0f,
     .brow_outer = -2.4f,
     .knit = 1.8f,
     .upper_lid = -1.2f,
     .lower_lid = 0.2f,
     .frown = 4.2f,
     .chin = 1.6f,
     .pitch = 0.026f,
     .gaze_y = 0.35f,
     .pulse_hertz = 0.15f,
     .pulse = 0.08f},
    {.name = "concerned",
     .brow_inner = 4.0f,
     .brow_outer = -0.6f,
     .knit = 3.4f,
     .upper_lid = 0.2f,
     .lower_lid = 0.8f,
     .frown = 1.4f,
     .press = 0.3f,
     .pitch = 0.008f,
     .roll = -0.014f,
     .pulse_hertz = 0.2f,
     .pulse = 0.10f},
    {.name = "surprised",
     .brow_inner = 7.5f,
     .brow_outer = 7.0f,
     .upper_lid = 1.8f,
     .lower_lid = -0.2f,
     .smile = -2.5f,
     .show = 0.6f,
     .jaw = 7.0f,
     .pitch = -0.014f,
     .pulse_hertz = 0.3f,
     .pulse = 0.10f},
}};

}  // namespace

const ToneTarget* find_tone(std::string_view name) {
  const auto found = std::find_if(kTones.begin(), kTones.end(), [&](const ToneTarget& t) { return t.name == name; });
  return found == kTones.end() ? nullptr : &*found;
}

void wear_tone(const ToneTarget& tone, int fps, std::uint64_t seed, std::vector<IdlePose>& poses) {
  constexpr float kTau = 2 * std::numbers::pi_v<float>;
  const float count = static_cast<float>(poses.size()), seconds = count / static_cast<float>(fps);
  // Whole numbers of swells in a loop; brows and mouth each have their own, so that they never march in step.
  const float swells = std::max(1.0f, std::round(tone.pulse_hertz * seconds));
  const float offset = kTau * static_cast<float>(seed % 97) / 97;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    IdlePose& pose = poses[i];
    const float turn = kTau * static_cast<float>(i) / count;
    pose.brow_swell = tone.pulse * 0.5f * (std::sin(swells * turn + offset) + std::sin((swells + 1) * turn - offset));
    pose.mouth_swell = tone.pulse * 0.5f * (std::cos(swells * turn - offset) + std::sin((swells + 2) * turn + offset));
    pose.pitch += tone.pitch;
    pose.roll += tone.roll;
    pose.gaze_y += tone.gaze_y;
  }
}

}  // namespace visavis::face
