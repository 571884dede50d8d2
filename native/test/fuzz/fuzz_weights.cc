// parse_weights lets no net in that could not be run.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "sealed.h"
#include "speech/weights.h"

namespace visavis::speech {
namespace {

constexpr std::size_t kHeader = 16;  // Magic, version, bytes of body, checksum.

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void put(Bytes& bytes, float value) { put(bytes, std::bit_cast<std::uint32_t>(value)); }

void put_layer(Bytes& bytes, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t taps, std::uint32_t dilation) {
  for (const std::uint32_t value : {inputs, outputs, taps, dilation}) put(bytes, value);
  for (std::uint32_t i = 0; i < outputs; ++i) put(bytes, 0.1f);
  constexpr std::uint16_t kEighth = 0x3000;  // Half precision.
  for (std::uint32_t i = 0; i < inputs * outputs * taps; ++i) {
    bytes.push_back(kEighth & 0xFF);
    bytes.push_back(kEighth >> 8);
  }
}

void seal(std::uint8_t* data, std::size_t size) {
  if (size < kHeader) return;
  const auto body = static_cast<std::uint32_t>(size - kHeader);
  const std::uint32_t crc = fuzz::crc32({data + kHeader, body});
  std::memcpy(data + 8, &body, sizeof(body));
  std::memcpy(data + 12, &crc, sizeof(crc));
}

// The smallest net of the right shape: three channels and one residual block.
Bytes seed_net() {
  Bytes bytes = {'V', 'V', 'N', 'T'};
  for (const std::uint32_t value : {1u, 0u, 0u}) put(bytes, value);
  for (const int value : {LipSync::kSampleRate, kWindow, kHop, kFft, kMels, static_cast<int>(kVisemeCount), 4})
    put(bytes, static_cast<std::uint32_t>(value));
  for (const float value : {60.0f, 7600.0f, 1e-6f}) put(bytes, value);
  for (int i = 0; i < 2 * kMels; ++i) put(bytes, 1.0f);
  put(bytes, 4u);
  put_layer(bytes, kMels, 3, 2, 1);
  put_layer(bytes, 3, 3, 3, 2);
  put_layer(bytes, 3, 3, 1, 1);
  put_layer(bytes, 3, kVisemeCount, 1, 1);
  seal(bytes.data(), bytes.size());
  return bytes;
}

void run(NetWeights weights) {
  const auto net = std::make_shared<const LoadedNet>(std::move(weights));
  std::array<float, LipSync::kSampleRate / 4> tone;
  for (std::size_t i = 0; i < tone.size(); ++i) tone[i] = 0.3f * std::sin(0.05f * static_cast<float>(i));
  for (const NetDevice device : {NetDevice::kPortable, NetDevice::kAuto}) {
    const auto lips = LipSync::create(net, device);
    lips->push(tone);
    lips->finish();
    for (double at = 0; at < 0.3; at += 0.04) lips->at(at);
  }
}

}  // namespace
}  // namespace visavis::speech

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  visavis::fuzz::write_seed(*argc, *argv, "seed.vvn", visavis::speech::seed_net());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  size = visavis::fuzz::damage(data, size, max_size, seed);
  visavis::speech::seal(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    visavis::speech::run(visavis::speech::parse_weights({data, size}, "net"));
  } catch (const visavis::FormatError&) {
    // What a damaged file deserves.
  }
  return 0;
}
