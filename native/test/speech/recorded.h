// What native/model/vectors.py recorded: a short synthetic utterance, the trained net's probabilities, its closures.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "visavis/viseme.h"

namespace visavis::check {

struct Recorded {
  std::vector<float> samples;                     // 16 kHz, -1..1.
  std::vector<VisemeWeights> rows;                // Row i speaks of 12.5 + 10 i ms.
  std::vector<std::pair<float, float>> closures;  // Start and end of each p, b or m, in seconds.
};

inline std::vector<std::uint8_t> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot open ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Recorded load_recorded(const char* path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t count) {
    if (at + count > bytes.size()) throw std::runtime_error("recorded vectors are truncated");
    std::memcpy(to, bytes.data() + at, count);
    at += count;
  };
  char magic[4];
  std::uint32_t counts[3];
  take(magic, sizeof magic);
  if (std::memcmp(magic, "VVTV", 4) != 0) throw std::runtime_error("not recorded vectors");
  take(counts, sizeof counts);
  Recorded recorded;
  for (std::uint32_t i = 0; i < counts[0]; ++i) {
    std::int16_t sample;
    take(&sample, sizeof sample);
    recorded.samples.push_back(static_cast<float>(sample) / 32768.0f);
  }
  recorded.rows.resize(counts[1]);
  for (VisemeWeights& row : recorded.rows) take(row.data(), sizeof row);
  recorded.closures.resize(counts[2]);
  for (auto& [start, end] : recorded.closures) {
    take(&start, sizeof start);
    take(&end, sizeof end);
  }
  return recorded;
}

}  // namespace visavis::check
