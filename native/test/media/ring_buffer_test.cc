#include "visavis/media/ring_buffer.h"

#include <array>
#include <numeric>

#include "check.h"

using visavis::RingBuffer;

CHECK_CASE("what goes in comes out in order, across the wrap") {
  RingBuffer<int> ring(7);
  int written = 0;
  int read = 0;
  for (int round = 0; round < 50; ++round) {
    std::array<int, 5> in;
    std::iota(in.begin(), in.end(), written);
    written += static_cast<int>(ring.write(in));
    std::array<int, 4> out{};
    const std::size_t count = ring.read(out);
    for (std::size_t i = 0; i < count; ++i) CHECK(out[i] == read++);
  }
  CHECK(written > 150);
  CHECK(ring.size() == static_cast<std::size_t>(written - read));
}

CHECK_CASE("a full ring takes no more, an empty one gives none") {
  RingBuffer<int> ring(3);
  const std::array<int, 5> in{1, 2, 3, 4, 5};
  CHECK(ring.write(in) == 3);
  CHECK(ring.room() == 0);
  CHECK(ring.write(in) == 0);
  std::array<int, 5> out{};
  CHECK(ring.read(out) == 3);
  CHECK(out[2] == 3);
  CHECK(ring.read(out) == 0);
  ring.write(in);
  ring.clear();
  CHECK(ring.size() == 0 && ring.room() == 3);
}

CHECK_MAIN
