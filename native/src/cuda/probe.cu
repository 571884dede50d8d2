#include <cuda_runtime_api.h>

#include "cuda/probe.h"

namespace visavis::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) probe_kernel(const ProbeArguments arguments) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < arguments.count) probe_one(arguments, i);
}

}  // namespace

int launch_probe(const void* given, StreamHandle stream) {
  const auto& arguments = *static_cast<const ProbeArguments*>(given);
  const int blocks = (arguments.count + kThreads - 1) / kThreads;
  probe_kernel<<<blocks, kThreads, 0, reinterpret_cast<cudaStream_t>(stream)>>>(arguments);
  return cudaGetLastError();
}

}  // namespace visavis::cuda
