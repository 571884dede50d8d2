// A fuzzer's bytes, read as a list of decisions: inputs stay small, and each of their bytes means something.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace visavis::fuzz {

// Past its end a recipe is all zero.
class Recipe {
 public:
  explicit Recipe(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }

  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(byte()) << (8 * i);
    return value;
  }

  // 0 <= result < count.
  std::size_t below(std::size_t count) {
    if (count <= 1) return 0;
    if (count <= 256) return byte() % count;
    const std::size_t low = byte();
    return (low | static_cast<std::size_t>(byte()) << 8) % count;
  }

  template <typename T, std::size_t kCount>
  T pick(const std::array<T, kCount>& choices) {
    return choices[below(kCount)];
  }

  // Numbers that break sums, harmless ones, and any at all.
  float number() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    static constexpr std::array<float, 23> kOdd = {
        0.0f,   -0.0f,   1.0f,      -1.0f,      0.5f,       1e-30f,     -1e-30f,  1e-6f,
        64.5f,  127.99f, 128.0f,    -128.0f,    300.0f,     16383.9f,   -16383.9f, 16384.0f,
        1e9f,   -1e9f,   3.4e38f,   -3.4e38f,   kInfinity,  -kInfinity, std::numeric_limits<float>::quiet_NaN()};
    const std::uint8_t kind = byte();
    if (kind < kOdd.size()) return kOdd[kind];
    if (kind < 128) return (static_cast<float>(byte()) - 128.0f) / 16.0f;
    if (kind < 224) return (static_cast<float>(below(1u << 16)) - 32768.0f) / 128.0f;
    const std::uint32_t bits = word();
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace visavis::fuzz
