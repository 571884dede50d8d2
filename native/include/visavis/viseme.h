// The mouth shapes that speech and face agree on.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace visavis {

// The 15 visemes of Oculus LipSync, in its order.
enum class Viseme { sil, PP, FF, TH, DD, kk, CH, SS, nn, RR, aa, E, I, O, U };

inline constexpr std::size_t kVisemeCount = 15;

inline constexpr std::array<std::string_view, kVisemeCount> kVisemeNames = {
    "sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"};

// Blend weights of the 15 visemes at one instant: each in 0..1, their sum at most 1; what is missing to 1 is rest.
using VisemeWeights = std::array<float, kVisemeCount>;

// What the face is asked to show at one instant.
struct MouthPose {
  VisemeWeights weights{};  // All zero is the avatar's own resting mouth: the loop frame untouched.
  float loudness = 0.0f;    // 0..1, short-time level relative to the speaker's own; scales jaw opening.

  bool at_rest() const {
    for (std::size_t i = 1; i < kVisemeCount; ++i) {
      if (weights[i] > 1e-3f) return false;
    }
    return true;
  }
};

}  // namespace visavis
