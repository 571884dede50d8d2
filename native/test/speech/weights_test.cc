#include "speech/weights.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "recorded.h"

using visavis::FormatError;
using visavis::VisemeNet;
using visavis::speech::parse_weights;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHeader = 16;
constexpr std::size_t kLayersAt = kHeader + 7 * 4 + 3 * 4 + 2 * 40 * 4;  // Where the number of layers stands.

Bytes good() { return visavis::check::read_file(VISAVIS_NET); }

void put_u32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Makes length and checksum true again, so that what lies behind them is reached.
Bytes resealed(Bytes bytes) {
  std::uint32_t crc = ~0u;
  for (std::size_t i = kHeader; i < bytes.size(); ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1u ? 0xEDB88320u : 0u);
  }
  put_u32(bytes, 8, static_cast<std::uint32_t>(bytes.size() - kHeader));
  put_u32(bytes, 12, ~crc);
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  try {
    parse_weights(bytes, "net");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

bool refused_with(const Bytes& bytes, const char* why) {
  const std::string message = refusal(bytes);
  const bool ok = message.find(why) != std::string::npos;
  if (!ok) std::fprintf(stderr, "expected '%s', got '%s'\n", why, message.c_str());
  return ok;
}

}  // namespace

CHECK_CASE("the shipped weights load and fit the published size") {
  const Bytes bytes = good();
  const auto net = parse_weights(bytes, "net");
  CHECK(net.layers.size() >= 4);
  CHECK(net.layers.back().outputs == 15);
  CHECK(bytes.size() <= 2u * 1024 * 1024);
  CHECK(12.5 + 10.0 * net.look_ahead <= 60.0);
}

CHECK_CASE("resealing an untouched file changes nothing") { CHECK(resealed(good()) == good()); }

CHECK_CASE("every truncation is refused") {
  const Bytes bytes = good();
  for (std::size_t size = 0; size < bytes.size(); size += size < 600 ? 1 : 9973) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(refusal(cut) != "accepted");
    if (size > kHeader) CHECK(refusal(resealed(cut)) != "accepted");
  }
}

CHECK_CASE("a flipped bit anywhere is refused") {
  const Bytes bytes = good();
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 20011) {
    Bytes broken = bytes;
    broken[at] ^= 0x10;
    CHECK(refusal(broken) != "accepted");
  }
}

CHECK_CASE("another version, another magic, trailing bytes") {
  Bytes bytes = good();
  put_u32(bytes, 4, 2);
  CHECK(refused_with(bytes, "version 2"));
  bytes = good();
  bytes[0] = 'X';
  CHECK(refused_with(bytes, "not a viseme net"));
  bytes = good();
  bytes.push_back(0);
  CHECK(refused_with(bytes, "bytes after the end"));
  CHECK(refused_with(resealed(bytes), "bytes after the last layer"));
}

CHECK_CASE("inconsistent headers and layers are refused") {
  struct Change {
    std::size_t at;
    std::uint32_t value;
    const char* why;
  };
  const std::size_t first_layer = kLayersAt + 4;
  for (const Change& change : {
           Change{kHeader, 8000, "sample rate"},
           Change{kHeader + 4, 0, "window"},
           Change{kHeader + 16, 41, "mels"},
           Change{kHeader + 20, 14, "classes"},
           Change{kHeader + 24, 4000, "look-ahead"},
           Change{kHeader + 28, 0x7FC00000u, "not a sensible number"},  // NaN.
           Change{kHeader + 32, 0x7F800000u, "not a sensible number"},  // Infinity.
           Change{kHeader + 36, 0u, "floor"},
           Change{kHeader + 40, 0xFFC00000u, "not a sensible number"},
           Change{kLayersAt, 1, "number of layers"},
           Change{kLayersAt, 0xFFFFFFFFu, "number of layers"},
           Change{first_layer, 0, "inputs"},
           Change{first_layer, 513, "inputs"},
           Change{first_layer + 4, 0xFFFFFFFFu, "outputs"},
           Change{first_layer + 8, 0, "taps"},
           Change{first_layer + 12, 100000, "dilation"},
           Change{first_layer + 16, 0x7FC00000u, "not a sensible number"},
       }) {
    Bytes bytes = good();
    put_u32(bytes, change.at, change.value);
    CHECK(refused_with(resealed(bytes), change.why));
  }
}

CHECK_CASE("a weight that is no number is refused") {
  Bytes bytes = good();
  bytes[bytes.size() - 2] = 0x00;
  bytes[bytes.size() - 1] = 0x7E;  // Half-precision NaN.
  CHECK(refused_with(resealed(bytes), "a weight"));
}

CHECK_CASE("random damage behind a true checksum never does more than throw") {
  std::mt19937 random(5);
  const Bytes bytes = good();
  for (int round = 0; round < 60; ++round) {
    Bytes broken = bytes;
    for (int i = 0; i < 3; ++i) broken[kHeader + random() % 512] = static_cast<std::uint8_t>(random());
    try {
      const auto net = parse_weights(resealed(broken), "net");
      CHECK(!net.layers.empty());
    } catch (const FormatError&) {
    }
  }
}

CHECK_CASE("load names the file it could not read") {
  const auto missing = std::filesystem::temp_directory_path() / "visavis-no-such-net.vvn";
  CHECK_THROWS(FormatError, VisemeNet::load(missing));
  CHECK_THROWS(FormatError, VisemeNet::load(std::filesystem::temp_directory_path()));
  CHECK(VisemeNet::load(VISAVIS_NET) != nullptr);
}

CHECK_MAIN
