#include "speech/weights.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

namespace visavis::speech {
namespace {

constexpr std::size_t kMaxFileBytes = 16u << 20;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxChannels = 512;
constexpr std::uint32_t kMaxTaps = 8;
constexpr std::uint32_t kMaxDilation = 64;
constexpr std::uint32_t kMaxLayers = 64;
constexpr float kMaxMagnitude = 1e4f;

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t fraction = half & 0x3FFu;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  [[noreturn]] void fail(const std::string& why) const { throw FormatError(what_ + ": " + why); }

  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > bytes_.size()) fail("truncated");
    const auto head = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return head;
  }

  std::uint32_t u32() {
    const auto b = take(4);
    return b[0] | (b[1] << 8) | (b[2] << 16) | (static_cast<std::uint32_t>(b[3]) << 24);
  }

  std::uint32_t u32_in(std::uint32_t low, std::uint32_t high, const char* name) {
    const std::uint32_t value = u32();
    if (value < low || value > high) fail(std::string(name) + " is " + std::to_string(value));
    return value;
  }

  float f32(const char* name) { return checked(std::bit_cast<float>(u32()), name); }

  std::uint16_t f16(const char* name) {
    const auto b = take(2);
    const auto half = static_cast<std::uint16_t>(b[0] | (b[1] << 8));
    checked(half_to_float(half), name);
    return half;
  }

  bool empty() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
  float checked(float value, const char* name) const {
    if (!(std::fabs(value) <= kMaxMagnitude)) fail(std::string(name) + " is not a sensible number");
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& what_;
};

ConvLayer read_layer(Reader& reader) {
  ConvLayer layer;
  layer.inputs = static_cast<int>(reader.u32_in(1, kMaxChannels, "a layer's inputs"));
  layer.outputs = static_cast<int>(reader.u32_in(1, kMaxChannels, "a layer's outputs"));
  layer.taps = static_cast<int>(reader.u32_in(1, kMaxTaps, "a layer's taps"));
  layer.dilation = static_cast<int>(reader.u32_in(1, kMaxDilation, "a layer's dilation"));
  layer.stride = (layer.outputs + kLanes - 1) / kLanes * kLanes;
  const std::size_t rows = static_cast<std::size_t>(layer.taps) * layer.inputs;
  // Checked before anything is allocated, so that a small file cannot ask for a large buffer.
  if (reader.left() < 4u * layer.outputs + 2u * rows * layer.outputs) reader.fail("truncated");
  layer.bias.assign(layer.stride, 0.0f);
  for (int o = 0; o < layer.outputs; ++o) layer.bias[o] = reader.f32("a bias");
  layer.weights.assign(rows * layer.stride, 0.0f);
  layer.halves.assign(rows * layer.stride, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (int o = 0; o < layer.outputs; ++o) {
      const std::size_t at = (o / kLanes * rows + row) * kLanes + o % kLanes;
      layer.halves[at] = reader.f16("a weight");
      layer.weights[at] = half_to_float(layer.halves[at]);
    }
  }
  return layer;
}

// First convolution, pairs of a residual block (the second one pointwise), pointwise scores.
void check_chain(const Reader& reader, NetWeights& net) {
  const auto& layers = net.layers;
  net.channels = layers.front().outputs;
  if (layers.front().inputs != kMels) reader.fail("the first layer does not take the mels");
  if (layers.size() % 2 != 0) reader.fail("a residual block lacks a layer");
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const bool last = i + 1 == layers.size();
    const int outputs = last ? static_cast<int>(kVisemeCount) : net.channels;
    if (layers[i].inputs != net.channels || layers[i].outputs != outputs) reader.fail("layers do not fit together");
    if ((last || i % 2 == 0) && layers[i].taps != 1) reader.fail("a pointwise layer has several taps");
  }
}

}  // namespace

NetWeights parse_weights(std::span<const std::uint8_t> bytes, const std::string& what) {
  Reader reader(bytes, what);
  const auto magic = reader.take(4);
  if (std::memcmp(magic.data(), "VVNT", 4) != 0) reader.fail("not a viseme net");
  const std::uint32_t version = reader.u32();
  if (version != kVersion) reader.fail("version " + std::to_string(version) + ", expected 1");
  const std::uint32_t body_bytes = reader.u32();
  const std::uint32_t checksum = reader.u32();
  if (body_bytes > reader.left()) reader.fail("truncated");
  if (body_bytes < reader.left()) reader.fail("bytes after the end");
  if (crc32(bytes.last(body_bytes)) != checksum) reader.fail("checksum differs");

  NetWeights net;
  constexpr std::uint32_t kClasses = kVisemeCount;
  reader.u32_in(LipSync::kSampleRate, LipSync::kSampleRate, "the sample rate");
  reader.u32_in(kWindow, kWindow, "the window");
  reader.u32_in(kHop, kHop, "the hop");
  reader.u32_in(kFft, kFft, "the FFT size");
  reader.u32_in(kMels, kMels, "the number of mels");
  reader.u32_in(kClasses, kClasses, "the number of classes");
  net.look_ahead = static_cast<int>(reader.u32_in(0, kMaxLookAhead, "the look-ahead"));
  net.low_hz = reader.f32("the lowest frequency");
  net.high_hz = reader.f32("the highest frequency");
  net.floor = reader.f32("the floor");
  if (!(net.low_hz >= 0.0f && net.low_hz < net.high_hz && net.high_hz <= LipSync::kSampleRate / 2.0f)) {
    reader.fail("the mel range is impossible");
  }
  if (!(net.floor > 0.0f)) reader.fail("the floor is not positive");
  for (int i = 0; i < kMels; ++i) net.mean.push_back(reader.f32("a mean"));
  for (int i = 0; i < kMels; ++i) net.scale.push_back(reader.f32("a scale"));
  const std::uint32_t count = reader.u32_in(2, kMaxLayers, "the number of layers");
  for (std::uint32_t i = 0; i < count; ++i) net.layers.push_back(read_layer(reader));
  if (!reader.empty()) reader.fail("bytes after the last layer");
  check_chain(reader, net);
  return net;
}

}  // namespace visavis::speech

namespace visavis {

std::shared_ptr<const VisemeNet> VisemeNet::load(const std::filesystem::path& weights) {
  std::ifstream file(weights, std::ios::binary | std::ios::ate);
  if (!file) throw FormatError(weights.string() + ": cannot be opened");
  const auto size = file.tellg();
  if (size < 0 || static_cast<std::size_t>(size) > speech::kMaxFileBytes) {
    throw FormatError(weights.string() + ": too large for a viseme net");
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  if (file.gcount() != size) throw FormatError(weights.string() + ": cannot be read");
  return std::make_shared<speech::LoadedNet>(speech::parse_weights(bytes, weights.string()));
}

}  // namespace visavis
