#include "cuda/gpu_session.h"

#include <algorithm>
#include <utility>

namespace visavis {
namespace {

constexpr std::array<const char*, 3> kNames = {"warp", "net", "encoder"};

std::size_t index(GpuSession::Part part) { return static_cast<std::size_t>(part); }

}  // namespace

GpuSession::GpuSession(std::shared_ptr<cuda::Runtime> runtime)
    : runtime_(std::move(runtime)), stream_(runtime_), card_(runtime_->card()) {}

void GpuSession::leave(Part part, const std::string& why) {
  const std::lock_guard lock(mutex_);
  std::string& kept = why_[index(part)];
  if (!kept.empty()) return;
  kept = why.empty() ? "no reason was given" : why;
  ++departures_;
}

std::string GpuSession::why_left(Part part) const {
  const std::lock_guard lock(mutex_);
  return why_[index(part)];
}

std::string GpuSession::why_left() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (std::size_t i = 0; i < why_.size(); ++i) {
    if (why_[i].empty()) continue;
    if (!all.empty()) all += "; ";
    all += std::string(kNames[i]) + ": " + why_[i];
  }
  return all;
}

FoundGpu find_gpu() {
  cuda::Gpu gpu = cuda::open_gpu();
  if (!gpu.runtime) return {nullptr, gpu.why_not};
  try {
    return {std::make_shared<GpuSession>(std::move(gpu.runtime)), ""};
  } catch (const cuda::DeviceError& error) {
    return {nullptr, cuda::reason(error.kind())};
  }
}

bool built_with_cuda() {
#ifdef VISAVIS_CUDA
  return true;
#else
  return false;
#endif
}

std::string name_of(const GpuSession& gpu) { return gpu.card().name; }

std::size_t bytes_used(const GpuSession& gpu) {
  try {
    return gpu.card().memory_bytes - std::min(gpu.card().memory_bytes, gpu.runtime()->free_bytes());
  } catch (const cuda::DeviceError&) {
    return 0;
  }
}

std::string left_gpu(const GpuSession& gpu) { return gpu.why_left(); }

}  // namespace visavis
