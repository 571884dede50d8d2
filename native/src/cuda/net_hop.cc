#include "cuda/net_hop.h"

#include <algorithm>
#include <memory>

namespace visavis::cuda {
namespace {

// A step of all threads up to the barrier; in no order that a card would promise.
template <typename Step>
void each_thread(Step step) {
  constexpr int kStride = 389;  // Shares no factor with kHopThreads, so all are met once.
  for (int i = 0, thread = 0; i < kHopThreads; ++i, thread = (thread + kStride) % kHopThreads) step(thread);
}

void net_hop_on_host(const void* given) {
  const auto& hop = *static_cast<const NetHopArguments*>(given);
  const auto memory = std::make_unique<HopShared>();
  HopShared& shared = *memory;
  each_thread([&](int thread) { hop_enter(hop, hop.layers[0], thread); });
  for (int index = 0; index < hop.layer_count; ++index) {
    const HopLayer& layer = hop.layers[index];
    for (int from = 0; from < hop.frames; from += kHopTogether) {
      const int left = hop.frames - from;
      each_thread([&](int thread) {
        if (left == 1) {
          hop_partials<1>(hop, layer, from, thread, shared);
        } else {
          hop_partials<kHopTogether>(hop, layer, from, thread, shared);
        }
      });
      each_thread([&](int thread) { hop_sums(hop, index, from, std::min(left, kHopTogether), thread, shared); });
    }
  }
  each_thread([&](int thread) { hop_softmax(hop, thread, shared); });
  each_thread([&](int thread) { hop_leave(hop, thread, shared); });
}

}  // namespace

#ifdef VISAVIS_CUDA
int launch_net_hop(const void* arguments, StreamHandle stream);
const Kernel kNetHop{"net hop", launch_net_hop, net_hop_on_host};
#else
const Kernel kNetHop{"net hop", nullptr, net_hop_on_host};
#endif

}  // namespace visavis::cuda
