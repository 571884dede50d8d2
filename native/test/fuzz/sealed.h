// Fuzzing of files behind a checksum: damage is sealed again, or no input would ever get past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace visavis::fuzz {

// CRC-32 (ISO-HDLC).
std::uint32_t crc32(std::span<const std::uint8_t> bytes);

// Damages the `size` bytes at `data`: a few of them in place, or anything anywhere. Returns the new size, at most
// `max_size`.
std::size_t damage(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);

// Writes `bytes` as `name` into the first folder among the command line's arguments, where the fuzzer keeps its corpus,
// unless something is there already.
void write_seed(int argc, char** argv, std::string_view name, std::span<const std::uint8_t> bytes);

}  // namespace visavis::fuzz
