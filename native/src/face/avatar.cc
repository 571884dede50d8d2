#include "visavis/face/avatar.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace visavis {

namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw FormatError(path.string() + ": " + std::generic_category().message(errno));
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { ::close(fd_); }
  int get() const { return fd_; }

 private:
  int fd_;
};

class MappedAvatar final : public Avatar {
 public:
  explicit MappedAvatar(const std::filesystem::path& dir) : rig_(Rig::load(dir / "rig.vvr")) {
    const std::filesystem::path path = dir / "loop.i420";
    const FileDescriptor file(path);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) throw FormatError(path.string() + ": cannot be read");
    frame_bytes_ = i420_bytes(rig_.width, rig_.height);
    size_ = frame_bytes_ * static_cast<std::size_t>(rig_.frame_count);
    if (info.st_size < 0 || static_cast<std::uintmax_t>(info.st_size) != size_) {
      throw FormatError(path.string() + ": " + std::to_string(info.st_size) + " bytes, but the rig speaks of " +
                        std::to_string(size_));
    }
    void* base = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
    if (base == MAP_FAILED) throw FormatError(path.string() + ": " + std::generic_category().message(errno));
    base_ = static_cast<const std::uint8_t*>(base);
  }
  MappedAvatar(const MappedAvatar&) = delete;
  MappedAvatar& operator=(const MappedAvatar&) = delete;
  ~MappedAvatar() override { ::munmap(const_cast<std::uint8_t*>(base_), size_); }

  const Rig& rig() const override { return rig_; }
  int width() const override { return rig_.width; }
  int height() const override { return rig_.height; }
  int fps() const override { return rig_.fps; }
  int frame_count() const override { return rig_.frame_count; }

  I420View frame(int index) const override {
    const std::uint8_t* y = base_ + frame_bytes_ * static_cast<std::size_t>(index);
    const std::size_t luma = static_cast<std::size_t>(rig_.width) * rig_.height;
    return {y, y + luma, y + luma + luma / 4, rig_.width, rig_.width / 2, rig_.width, rig_.height};
  }

 private:
  Rig rig_;
  const std::uint8_t* base_ = nullptr;
  std::size_t frame_bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

std::shared_ptr<const Avatar> Avatar::load(const std::filesystem::path& dir) {
  return std::make_shared<MappedAvatar>(dir);
}

}  // namespace visavis
