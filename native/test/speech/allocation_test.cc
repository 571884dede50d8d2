// A session's steady state must not touch the heap: this program counts every allocation.
#include <vector>

#include "check.h"
#include "counted_heap.h"
#include "recorded.h"
#include "visavis/speech/lip_sync.h"

using namespace visavis;
using check::allocations;

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
