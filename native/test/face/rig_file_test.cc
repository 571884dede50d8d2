#include <cstring>
#include <fstream>
#include <random>

#include "check.h"
#include "drawn_face.h"
#include "visavis/face/avatar.h"

namespace visavis {
namespace {

const std::vector<std::uint8_t>& good_bytes() {
  static const std::vector<std::uint8_t> kBytes = [] {
    const test::TempDir dir;
    const test::DrawnFace face = test::draw_face(192, 192);
    build_avatar(test::options_for(face, dir.path()));
    return Rig::load(dir.path() / "rig.vvr").serialize();
  }();
  return kBytes;
}

// The checksum guards against accidents only; with it made right again, the checks behind it must hold alone.
void fix_checksum(std::vector<std::uint8_t>& bytes) {
  std::uint32_t c = ~0u;
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    c ^= bytes[i];
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
  }
  c = ~c;
  std::memcpy(bytes.data() + bytes.size() - 4, &c, 4);
}

bool loads_or_refuses(const std::vector<std::uint8_t>& bytes) {
  try {
    const Rig rig = Rig::parse(bytes);
    // What was let in must be usable.
    std::vector<PointF> points(rig.point_count());
    MouthPose pose;
    pose.weights[static_cast<std::size_t>(Viseme::aa)] = 1;
    pose_points(rig, rig.frame_count - 1, pose, points);
    return true;
  } catch (const FormatError&) {
    return true;
  }
}

template <typename T>
void poke(std::vector<std::uint8_t>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

CHECK_CASE("a rig survives the round trip unchanged") {
  const std::vector<std::uint8_t>& bytes = good_bytes();
  const Rig rig = Rig::parse(bytes);
  CHECK(rig.serialize() == bytes);
  CHECK(rig.width == 192 && rig.height == 192 && rig.frame_count == 50);
  CHECK(rig.boxes.size() == 50u && rig.head.size() == 50u);
  const test::TempDir dir;
  rig.save(dir.path() / "copy.vvr");
  CHECK(Rig::load(dir.path() / "copy.vvr").serialize() == bytes);
  CHECK(!std::filesystem::exists(dir.path() / "copy.vvr.part"));
}

CHECK_CASE("a truncated rig is refused wherever it is cut") {
  const std::vector<std::uint8_t>& bytes = good_bytes();
  for (std::size_t size = 0; size < bytes.size(); size += size < 6000 ? 1 : 997) {
    std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS(FormatError, Rig::parse(cut));
    if (cut.size() < 12) continue;
    fix_checksum(cut);
    CHECK_THROWS(FormatError, Rig::parse(cut));
  }
}

CHECK_CASE("a flipped byte is refused") {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::uint8_t> bytes = good_bytes();
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    CHECK_THROWS(FormatError, Rig::parse(bytes));
  }
}

CHECK_CASE("damage behind a matching checksum is refused or harmless") {
  std::mt19937 random(5);
  for (int i = 0; i < 120; ++i) {
    std::vector<std::uint8_t> bytes = good_bytes();
    for (int k = 0; k < 3; ++k) {
      // Half of the hits go to the header and the counts near it.
      const std::size_t range = random() % 2 == 0 ? 64 : bytes.size();
      bytes[random() % range] = static_cast<std::uint8_t>(random());
    }
    fix_checksum(bytes);
    CHECK(loads_or_refuses(bytes));
  }
}

CHECK_CASE("absurd counts, sizes and numbers are refused by name") {
  // Offsets follow the layout at the head of rig_file.cc: magic, version, width, height, fps, frames, scale, down,
  // rest.
  struct Damage {
    std::size_t at;
    std::uint32_t value;
  };
  const std::uint32_t nan = 0x7FC00000u;
  for (const Damage damage :
       {Damage{4, 2}, Damage{8, 0}, Damage{8, 193}, Damage{8, 0x7FFFFFFFu}, Damage{12, 0xFFFFFFFFu}, Damage{16, 24},
        Damage{20, 0}, Damage{20, 0x7FFFFFFFu}, Damage{24, nan}, Damage{28, nan}, Damage{36, 0xFFFFFFFFu},
        Damage{36, 0}, Damage{40, nan}, Damage{40, 0x7F7FFFFFu}}) {
    std::vector<std::uint8_t> bytes = good_bytes();
    poke(bytes, damage.at, damage.value);
    fix_checksum(bytes);
    CHECK_THROWS(FormatError, Rig::parse(bytes));
  }
}

CHECK_CASE("every array count is bounded") {
  // Each count that is followed by its array, found by walking the file as written.
  const std::vector<std::uint8_t>& good = good_bytes();
  const Rig rig = Rig::parse(good);
  std::vector<std::size_t> counts;
  std::size_t at = 36;
  const auto skip = [&](std::size_t element) {
    std::uint32_t count = 0;
    std::memcpy(&count, good.data() + at, 4);
    counts.push_back(at);
    at += 4 + count * element;
  };
  skip(8);                               // rest
  skip(8);                               // tracks
  skip(6);                               // triangles
  for (int i = 0; i < 8; ++i) skip(2);   // contours
  for (int i = 0; i < 16; ++i) skip(8);  // shapes, jaw
  at += 2 * 15 * 4 + 8 + 8;
  for (int i = 0; i < 16; ++i) skip(1);  // layers
  CHECK(at + 8 + 4 == good.size());
  for (const std::size_t position : counts) {
    for (const std::uint32_t value : {0u, 0xFFFFFFFFu, 0x80000000u, 100000000u}) {
      std::vector<std::uint8_t> bytes = good;
      poke(bytes, position, value);
      fix_checksum(bytes);
      CHECK_THROWS(FormatError, Rig::parse(bytes));
    }
  }
}

CHECK_CASE("an avatar whose loop does not fit its rig is refused") {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(128, 128), dir.path()));
  CHECK(Avatar::load(dir.path())->frame_count() == 50);
  std::filesystem::resize_file(dir.path() / "loop.i420", 1000);
  CHECK_THROWS(FormatError, Avatar::load(dir.path()));
  std::filesystem::remove(dir.path() / "loop.i420");
  CHECK_THROWS(FormatError, Avatar::load(dir.path()));
  std::filesystem::remove(dir.path() / "rig.vvr");
  CHECK_THROWS(FormatError, Avatar::load(dir.path()));
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
