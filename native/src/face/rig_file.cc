// rig.vvr, little-endian: magic "VVRG", u32 version, then the fields of Rig in the order write() names them, each array
// behind its own u32 count, and a u32 CRC-32 (ISO-HDLC) of everything before it.
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <type_traits>

#include "rig_limits.h"
#include "visavis/face/rig.h"
#include "whole_file.h"

namespace visavis {

namespace {

static_assert(std::endian::native == std::endian::little, "rig.vvr is read as it lies in memory");

constexpr std::array<char, 4> kMagic = {'V', 'V', 'R', 'G'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uintmax_t kMaxFileBytes = 512u << 20;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t c = ~0u;
  for (std::uint8_t b : bytes) c = kTable[(c ^ b) & 0xFF] ^ (c >> 8);
  return ~c;
}

class Writer {
 public:
  template <typename T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&v);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
  }
  template <typename T>
  void array(const std::vector<T>& v, std::size_t) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<std::uint32_t>(v.size()));
    const auto* raw = reinterpret_cast<const std::uint8_t*>(v.data());
    bytes_.insert(bytes_.end(), raw, raw + v.size() * sizeof(T));
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }
  std::span<const std::uint8_t> so_far() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  template <typename T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left_.size() < sizeof(T)) throw FormatError("rig: the file ends too early");
    std::memcpy(&v, left_.data(), sizeof(T));
    left_ = left_.subspan(sizeof(T));
  }
  template <typename T>
  void array(std::vector<T>& v, std::size_t most) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint32_t count = 0;
    value(count);
    if (count > most) throw FormatError("rig: an array of " + std::to_string(count) + " elements is too long");
    // The bytes must be there before memory is asked for.
    if (left_.size() / sizeof(T) < count) throw FormatError("rig: the file ends too early");
    v.resize(count);
    if (count != 0) std::memcpy(v.data(), left_.data(), count * sizeof(T));
    left_ = left_.subspan(count * sizeof(T));
  }
  bool empty() const { return left_.empty(); }

 private:
  std::span<const std::uint8_t> left_;
};

// One description of the layout for both directions.
template <typename Archive, typename RigType>
void fields(Archive& archive, RigType& rig) {
  archive.value(rig.width);
  archive.value(rig.height);
  archive.value(rig.fps);
  archive.value(rig.frame_count);
  archive.value(rig.px_per_mm);
  archive.value(rig.down);
  archive.array(rig.rest, face::kMaxPoints);
  archive.array(rig.tracks, face::kMaxPoints * static_cast<std::size_t>(face::kMaxFrames));
  archive.array(rig.triangles, face::kMaxTriangles);
  auto& c = rig.contours;
  for (auto* ids : {&c.inner_upper_lip, &c.inner_lower_lip, &c.outer_upper_lip, &c.outer_lower_lip, &c.left_upper_lid,
                    &c.left_lower_lid, &c.right_upper_lid, &c.right_lower_lid}) {
    archive.array(*ids, face::kMaxContour);
  }
  for (auto& shape : rig.shapes) archive.array(shape, face::kMaxPoints);
  archive.array(rig.jaw, face::kMaxPoints);
  archive.value(rig.jaw_mm);
  archive.value(rig.tongue_mm);
  auto& m = rig.mouth;
  archive.value(m.origin);
  archive.value(m.width);
  archive.value(m.height);
  constexpr std::size_t kMaxLuma = static_cast<std::size_t>(face::kMaxMouthSide) * face::kMaxMouthSide;
  for (auto* layer : {&m.cavity, &m.tongue, &m.lower_teeth, &m.upper_teeth}) {
    archive.array(layer->y, kMaxLuma);
    archive.array(layer->u, kMaxLuma / 4);
    archive.array(layer->v, kMaxLuma / 4);
    archive.array(layer->alpha, kMaxLuma);
  }
  archive.value(m.lip_shadow);
  archive.value(m.seam_shade);
}

}  // namespace

std::vector<std::uint8_t> Rig::serialize() const {
  Writer writer;
  writer.value(kMagic);
  writer.value(kVersion);
  fields(writer, *this);
  writer.value(crc32(writer.so_far()));
  return writer.take();
}

Rig Rig::parse(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kTail = sizeof(std::uint32_t);
  if (bytes.size() < kMagic.size() + sizeof(kVersion) + kTail) throw FormatError("rig: the file ends too early");
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) throw FormatError("rig: not a rig file");
  Reader reader(bytes.subspan(kMagic.size(), bytes.size() - kMagic.size() - kTail));
  std::uint32_t version = 0;
  reader.value(version);
  if (version != kVersion) {
    throw FormatError("rig: version " + std::to_string(version) + " is not version " + std::to_string(kVersion));
  }
  Rig rig;
  fields(reader, rig);
  if (!reader.empty()) throw FormatError("rig: bytes are left over at the end");
  std::uint32_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - kTail, kTail);
  if (sum != crc32(bytes.first(bytes.size() - kTail))) throw FormatError("rig: the checksum does not match");
  rig.finish();
  return rig;
}

Rig Rig::load(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw FormatError(path.string() + ": " + error.message());
  if (size > kMaxFileBytes) throw FormatError(path.string() + ": too large for a rig");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || in.gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw FormatError(path.string() + ": cannot be read");
  }
  try {
    return parse(bytes);
  } catch (const FormatError& problem) {
    throw FormatError(path.string() + ": " + problem.what());
  }
}

void Rig::save(const std::filesystem::path& path) const {
  face::WholeFile file(path);
  file.write(serialize());
  file.commit();
}

}  // namespace visavis
