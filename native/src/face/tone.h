// The delivery tones and what each of them asks of a face.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "idle_timeline.h"

namespace visavis::face {

// One expression, as amounts of the action units of the Facial Action Coding System (Ekman, Friesen & Hager, 2002), in
// millimetres of an average adult face. All zero is the photograph's own face. What is made of them: happy AU6+12, sad
// AU1+4+15 (and the chin, AU17), surprised AU1+2+5+26, after their emotion predictions; concerned AU1+4, serious
// AU4+7+24, curious AU1+2, one brow a little ahead of the other; warm is a weaker happy, excited happy with AU1+2+5+25.
struct ToneTarget {
  std::string_view name;
  float brow_inner = 0;   // AU1: the inner ends of the brows rise; negative is AU4's fall.
  float brow_outer = 0;   // AU2: the outer ends rise.
  float brow_lead = 0;    // -1..1: share by which the brow on the picture's right goes ahead of the other.
  float knit = 0;         // AU4: the brows come together, each by this much.
  float upper_lid = 0;    // AU5: the upper lids rise; negative lets them sink.
  float lower_lid = 0;    // AU7: the lower lids rise.
  float cheek = 0;        // AU6: the cheeks rise and push the lower lids up.
  float smile = 0;        // AU12: the way of the corners of the mouth, out and up; negative draws them in (AU18).
  float frown = 0;        // AU15: the corners sink.
  float chin = 0;         // AU17: the chin pushes the lower lip up.
  float press = 0;        // AU24, 0..1: the red of the lips is rolled in.
  float show = 0;         // AU25: the upper lip rises off the lower one.
  float jaw = 0;          // AU26: the jaw drops.
  float calm = 1;         // 0..1: how much of a smile that the photograph wears is undone first.
  bool shut = true;       // Lips that the photograph has apart are brought together first.
  float pitch = 0;        // Radians; positive lowers the chin.
  float roll = 0;         // Radians; positive turns clockwise as seen.
  float gaze_y = 0;       // The eyes look down by this much.
  float pulse_hertz = 0;  // How quickly the expression swells and fades,
  float pulse = 0;        // and by which share.
};

// Nothing where no tone has that name.
const ToneTarget* find_tone(std::string_view name);

// Lets an idle loop wear a tone: the head's attitude, where the eyes rest, and how the expression lives. Everything the
// loop did before it still does at the same frame, and it stays periodic.
void wear_tone(const ToneTarget& tone, int fps, std::uint64_t seed, std::vector<IdlePose>& poses);

}  // namespace visavis::face
