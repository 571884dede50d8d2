// Nets of any shape with random weights, by way of the file's own format.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "speech/weights.h"

namespace visavis::check {

struct NetShape {
  int channels = 24;
  int first_taps = 3;
  std::vector<int> dilations = {1, 2, 4};  // Of each residual block.
  int taps = 3;
  int look_ahead = 4;
};

inline std::uint16_t half_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const int exponent = static_cast<int>((bits >> 23) & 0xFF) - 112;
  if (exponent <= 0) return 0;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | static_cast<unsigned>(exponent) << 10 |
                                    (bits >> 13 & 0x3FFu));
}

inline std::shared_ptr<const speech::LoadedNet> random_net(const NetShape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint8_t> bytes;
  const auto put = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  const auto real = [&](float value) { put(std::bit_cast<std::uint32_t>(value)); };
  const auto layer = [&](int inputs, int outputs, int taps, int dilation) {
    for (const int value : {inputs, outputs, taps, dilation}) put(static_cast<std::uint32_t>(value));
    for (int i = 0; i < outputs; ++i) real(0.1f * normal(random));
    // As large as keeps the signal's size from layer to layer.
    const float scale = 1.0f / std::sqrt(static_cast<float>(inputs * taps));
    for (int i = 0; i < inputs * outputs * taps; ++i) {
      const std::uint16_t half = half_of(scale * normal(random));
      bytes.push_back(static_cast<std::uint8_t>(half));
      bytes.push_back(static_cast<std::uint8_t>(half >> 8));
    }
  };
  for (const int value : {LipSync::kSampleRate, speech::kWindow, speech::kHop, speech::kFft, speech::kMels,
                          static_cast<int>(kVisemeCount), shape.look_ahead}) {
    put(static_cast<std::uint32_t>(value));
  }
  for (const float value : {60.0f, 7600.0f, 1e-6f}) real(value);
  for (int i = 0; i < speech::kMels; ++i) real(-6.0f);
  for (int i = 0; i < speech::kMels; ++i) real(0.3f);
  put(static_cast<std::uint32_t>(2 + 2 * shape.dilations.size()));
  layer(speech::kMels, shape.channels, shape.first_taps, 1);
  for (const int dilation : shape.dilations) {
    layer(shape.channels, shape.channels, shape.taps, dilation);
    layer(shape.channels, shape.channels, 1, 1);
  }
  layer(shape.channels, static_cast<int>(kVisemeCount), 1, 1);

  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  std::vector<std::uint8_t> file = {'V', 'V', 'N', 'T'};
  bytes.swap(file);
  put(1);
  put(static_cast<std::uint32_t>(file.size()));
  put(~crc);
  bytes.insert(bytes.end(), file.begin(), file.end());
  return std::make_shared<speech::LoadedNet>(speech::parse_weights(bytes, "a random net"));
}

}  // namespace visavis::check
