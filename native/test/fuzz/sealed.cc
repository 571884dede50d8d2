#include "sealed.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace visavis::fuzz {

namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return table;
}

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : bytes) crc = kTable[(crc ^ byte) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

std::size_t damage(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  // Most damage keeps the layout, which arrays behind their counts would not survive otherwise.
  constexpr std::size_t kWindow = 16;
  if (size <= kWindow || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (auto times = random() % 4 + 1; times > 0; --times) {
    // Headers and counts lie at the start more often than anywhere else.
    const std::size_t range = random() % 3 == 0 ? std::min<std::size_t>(size, 256) : size;
    const std::size_t at = random() % (range - std::min(range - 1, kWindow));
    LLVMFuzzerMutate(data + at, std::min(kWindow, size - at), std::min(kWindow, size - at));
  }
  return size;
}

void write_seed(int argc, char** argv, std::string_view name, std::span<const std::uint8_t> bytes) {
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path dir = argv[i];
    if (!std::filesystem::is_directory(dir)) continue;
    if (!std::filesystem::is_empty(dir)) return;
    std::ofstream(dir / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return;
  }
}

}  // namespace visavis::fuzz
