// A file that appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

namespace visavis::face {

class WholeFile {
 public:
  // Opens `path`.part for writing. Throws std::runtime_error.
  explicit WholeFile(std::filesystem::path path) : path_(std::move(path)), part_(path_) {
    part_ += ".part";
    out_.open(part_, std::ios::binary | std::ios::trunc);
    if (!out_) throw std::runtime_error(part_.string() + ": cannot be written");
  }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile() {
    if (done_) return;
    out_.close();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }

  void write(std::span<const std::uint8_t> bytes) {
    out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out_) throw std::runtime_error(part_.string() + ": writing failed (is the disk full?)");
  }

  void commit() {
    out_.close();
    if (!out_) throw std::runtime_error(part_.string() + ": writing failed (is the disk full?)");
    std::filesystem::rename(part_, path_);
    done_ = true;
  }

 private:
  std::filesystem::path path_, part_;
  std::ofstream out_;
  bool done_ = false;
};

}  // namespace visavis::face
