#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "visavis/errors.h"

namespace visavis::face {

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

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, std::size_t size, const char* speaker) : size_(size) {
  const FileDescriptor file(path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw FormatError(path.string() + ": cannot be read");
  if (info.st_size < 0 || static_cast<std::uintmax_t>(info.st_size) != size) {
    throw FormatError(path.string() + ": " + std::to_string(info.st_size) + " bytes, but " + speaker + " of " +
                      std::to_string(size));
  }
  void* base = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (base == MAP_FAILED) throw FormatError(path.string() + ": " + std::generic_category().message(errno));
  base_ = static_cast<const std::uint8_t*>(base);
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::uint8_t*>(base_), size_); }

}  // namespace visavis::face
