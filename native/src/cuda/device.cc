#include "cuda/device.h"

namespace visavis::cuda {

const char* reason(DeviceErrorKind kind) {
  switch (kind) {
    case DeviceErrorKind::kNoDriver:
      return "no NVIDIA driver";
    case DeviceErrorKind::kNoDevice:
      return "no NVIDIA GPU";
    case DeviceErrorKind::kOutOfMemory:
      return "out of GPU memory";
    case DeviceErrorKind::kLost:
      return "the GPU was lost";
    case DeviceErrorKind::kOther:
      break;
  }
  return "the GPU failed";
}

DeviceBuffer::DeviceBuffer(std::shared_ptr<Runtime> runtime, std::size_t bytes)
    : Owner(runtime, runtime->allocate(bytes)), bytes_(bytes) {}

PinnedBuffer::PinnedBuffer(std::shared_ptr<Runtime> runtime, std::size_t bytes)
    : Owner(runtime, runtime->allocate_pinned(bytes)), bytes_(bytes) {}

Event::Event(std::shared_ptr<Runtime> runtime, bool timed) : Owner(runtime, runtime->create_event(timed)) {}

Stream::Stream(std::shared_ptr<Runtime> runtime) : Owner(runtime, runtime->create_stream()) {}

Settled::~Settled() {
  try {
    stream_.synchronize();
  } catch (const DeviceError&) {
    // Then it runs no more.
  }
}

}  // namespace visavis::cuda
