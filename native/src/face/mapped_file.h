// A file's bytes, read in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace visavis::face {

class MappedFile {
 public:
  // Throws FormatError where the file cannot be read or does not hold exactly `size` bytes; `speaker` is who said so.
  MappedFile(const std::filesystem::path& path, std::size_t size, const char* speaker);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return {base_, size_}; }

 private:
  const std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace visavis::face
