#include <cuda_runtime_api.h>

#include "cuda/net_hop.h"

namespace visavis::cuda {
namespace {

// Every condition around a barrier is the same for all threads.
__global__ void __launch_bounds__(kHopThreads, 1) net_hop_kernel(const __grid_constant__ NetHopArguments hop) {
  __shared__ HopShared shared;
  const int thread = threadIdx.x;
  hop_enter(hop, hop.layers[0], thread);
  __syncthreads();
  for (int index = 0; index < hop.layer_count; ++index) {
    const HopLayer layer = hop.layers[index];
    for (int from = 0; from < hop.frames; from += kHopTogether) {
      const int left = hop.frames - from;
      if (left == 1) {
        hop_partials<1>(hop, layer, from, thread, shared);
      } else {
        hop_partials<kHopTogether>(hop, layer, from, thread, shared);
      }
      __syncthreads();
      hop_sums(hop, index, from, left < kHopTogether ? left : kHopTogether, thread, shared);
      __syncthreads();
    }
  }
  hop_softmax(hop, thread, shared);
  __syncthreads();
  hop_leave(hop, thread, shared);
}

}  // namespace

int launch_net_hop(const void* given, StreamHandle stream) {
  const auto& hop = *static_cast<const NetHopArguments*>(given);
  net_hop_kernel<<<1, kHopThreads, 0, reinterpret_cast<cudaStream_t>(stream)>>>(hop);
  return cudaGetLastError();
}

}  // namespace visavis::cuda
