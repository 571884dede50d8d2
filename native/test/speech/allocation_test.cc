// A session's steady state must not touch the heap: this program counts every allocation.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "check.h"
#include "recorded.h"
#include "visavis/speech/lip_sync.h"

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace visavis;

CHECK_CASE("speech played as it comes allocates only at its start") {
  const std::vector<float> samples = check::load_recorded(VISAVIS_VECTORS).samples;
  const auto lips = LipSync::create(VisemeNet::load(VISAVIS_NET));
  const auto play = [&](double from) {
    lips->push(samples);
    for (double t = from; t < lips->ready_until(); t += 0.04) lips->at(t);
    return lips->ready_until();
  };
  double at = play(0.0);
  for (int i = 0; i < 3; ++i) at = play(at);
  const long before = allocations;
  for (int i = 0; i < 30; ++i) at = play(at);
  CHECK(allocations == before);
  CHECK(at > 30.0);
}

CHECK_CASE("the next utterance reuses the last one's memory") {
  const std::vector<float> samples = check::load_recorded(VISAVIS_VECTORS).samples;
  const auto lips = LipSync::create(VisemeNet::load(VISAVIS_NET));
  for (int i = 0; i < 4; ++i) lips->push(samples);
  lips->finish();
  const long before = allocations;
  lips->reset();
  for (int i = 0; i < 4; ++i) lips->push(samples);
  lips->finish();
  CHECK(lips->at(0.5).loudness > 0.0f);
  CHECK(allocations == before);
}

CHECK_MAIN
