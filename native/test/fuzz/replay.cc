// Stands in for libFuzzer where a compiler has none: every file of the folders (or every file) named is given to the
// target once, and then `--damaged=N` times (default none) with bytes changed by chance. The chances are the same in
// every run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) __attribute__((weak));
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) __attribute__((weak));
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::minstd_rand& chance() {
  static std::minstd_rand random(1);
  return random;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t) {
  for (auto times = chance()() % 4 + 1; times > 0 && size > 0; --times) {
    data[chance()() % size] = static_cast<std::uint8_t>(chance()());
  }
  return size;
}

int main(int argc, char** argv) {
  int damaged = 0;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    constexpr const char* kDamaged = "--damaged=";
    if (std::strncmp(argv[i], kDamaged, std::strlen(kDamaged)) == 0) {
      damaged = std::atoi(argv[i] + std::strlen(kDamaged));
      continue;
    }
    const auto found = files_in(argv[i]);
    files.insert(files.end(), found.begin(), found.end());
  }
  // The folders are only read: nothing is told of them, or seeds would be written there.
  int none = 1;
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&none, &argv);
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> read{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      return 1;
    }
    const std::vector<std::uint8_t> bytes(read.begin(), read.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    for (int i = 0; i < damaged; ++i) {
      std::vector<std::uint8_t> copy = bytes;
      const unsigned seed = static_cast<unsigned>(chance()());
      std::size_t size = copy.size();
      if (LLVMFuzzerCustomMutator != nullptr) {
        size = LLVMFuzzerCustomMutator(copy.data(), size, size, seed);
      } else {
        size = LLVMFuzzerMutate(copy.data(), size, size);
      }
      LLVMFuzzerTestOneInput(copy.data(), size);
    }
  }
  std::printf("%zu inputs, each also damaged %d times\n", files.size(), damaged);
  // A folder that went missing would pass unseen.
  return files.empty() ? 1 : 0;
}
