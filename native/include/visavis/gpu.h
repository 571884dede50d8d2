// A session's share of an NVIDIA GPU, as the public interfaces hand it around.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace visavis {

// The card and one stream on it, which the warp, the viseme net and the encoder of one session share; each of them goes
// on without it when it fails. src/cuda/gpu_session.h has what it can do. Thread-safe.
class GpuSession;

struct FoundGpu {
  std::shared_ptr<GpuSession> gpu;  // Null without one.
  std::string why_not;              // In a few words: "built without CUDA", "no NVIDIA driver".. ; empty with one.
};

// Asks the driver, which takes a moment the first time. Never throws for want of a GPU.
FoundGpu find_gpu();

// Whether this build has kernels at all.
bool built_with_cuda();

// The card's name, as its driver says it.
std::string name_of(const GpuSession& gpu);

// Bytes in use on the card, by all that use it; 0 where it does not answer.
std::size_t bytes_used(const GpuSession& gpu);

// What of the session has left the GPU, or never ran there, and why: "net: out of GPU memory; encoder: ..". Empty while
// everything runs there.
std::string left_gpu(const GpuSession& gpu);

}  // namespace visavis
