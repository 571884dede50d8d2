// The Runtime over cudart, linked statically: a machine without a driver answers cudaErrorInsufficientDriver.
#include <cuda_runtime_api.h>

#include "cuda/device.h"
#include "cuda/probe.h"

namespace visavis::cuda {
namespace {

constexpr int kOldestMajor = 7, kOldestMinor = 5;  // The oldest of VISAVIS_CUDA_ARCHITECTURES.

DeviceErrorKind kind_of(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return DeviceErrorKind::kNoDriver;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemNotReady:
      return DeviceErrorKind::kNoDevice;
    case cudaErrorMemoryAllocation:
      return DeviceErrorKind::kOutOfMemory;
    // What leaves the context unusable, by the runtime API's own word on each.
    case cudaErrorCudartUnloading:
    case cudaErrorContextIsDestroyed:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsClientTerminated:
    case cudaErrorDeviceUninitialized:
      return DeviceErrorKind::kLost;
    default:
      return DeviceErrorKind::kOther;
  }
}

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // Forgets an error that is no longer true; a lost context keeps its own.
  const DeviceErrorKind kind = kind_of(code);
  throw DeviceError(kind, std::string(reason(kind)) + " (" + what + ": " + cudaGetErrorName(code) + ")");
}

cudaStream_t native(StreamHandle stream) { return reinterpret_cast<cudaStream_t>(stream); }
cudaEvent_t native(EventHandle event) { return reinterpret_cast<cudaEvent_t>(event); }

class Cudart final : public Runtime {
 public:
  Card card() override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "device properties");
    return {properties.name, properties.totalGlobalMem, properties.major, properties.minor,
            properties.multiProcessorCount};
  }

  std::size_t free_bytes() override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "free memory");
    return free;
  }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "device memory");
    return memory;
  }

  void free(void* device) noexcept override { cudaFree(device); }

  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "pinned memory");
    return memory;
  }

  void free_pinned(void* host) noexcept override { cudaFreeHost(host); }

  StreamHandle create_stream() override {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    return reinterpret_cast<StreamHandle>(stream);
  }

  void destroy(StreamHandle stream) noexcept override {
    cudaStreamSynchronize(native(stream));
    cudaStreamDestroy(native(stream));
  }

  EventHandle create_event(bool timed) override {
    cudaEvent_t event = nullptr;
    // A thread that waits sleeps: it shares its cores with other sessions' threads.
    const unsigned flags = cudaEventBlockingSync | (timed ? cudaEventDefault : cudaEventDisableTiming);
    check(cudaEventCreateWithFlags(&event, flags), "an event");
    return reinterpret_cast<EventHandle>(event);
  }

  void destroy(EventHandle event) noexcept override { cudaEventDestroy(native(event)); }

  void copy_to_device(void* device, const void* pinned, std::size_t bytes, StreamHandle stream) override {
    check(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, native(stream)), "copy to the GPU");
  }

  void copy_to_host(void* pinned, const void* device, std::size_t bytes, StreamHandle stream) override {
    check(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, native(stream)), "copy from the GPU");
  }

  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, native(stream)), "copy on the GPU");
  }

  void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                           std::size_t rows, StreamHandle stream) override {
    check(
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, cudaMemcpyDeviceToDevice, native(stream)),
        "copy of rows on the GPU");
  }

  void fill(void* device, int byte, std::size_t bytes, StreamHandle stream) override {
    check(cudaMemsetAsync(device, byte, bytes, native(stream)), "fill on the GPU");
  }

  void launch(const Kernel& kernel, const void* arguments, std::size_t, StreamHandle stream) override {
    if (!kernel.on_device) throw DeviceError(DeviceErrorKind::kOther, std::string(kernel.name) + " was not built");
    check(static_cast<cudaError_t>(kernel.on_device(arguments, stream)), kernel.name);
  }

  void record(EventHandle event, StreamHandle stream) override {
    check(cudaEventRecord(native(event), native(stream)), "recording an event");
  }

  bool passed(EventHandle event) override {
    const cudaError_t code = cudaEventQuery(native(event));
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // Not an error: it must not be taken for one of the next launch.
      return false;
    }
    check(code, "an event");
    return true;
  }

  void wait(EventHandle event) override { check(cudaEventSynchronize(native(event)), "waiting for an event"); }

  void wait_on_stream(StreamHandle stream, EventHandle event) override {
    check(cudaStreamWaitEvent(native(stream), native(event), 0), "a stream's wait");
  }

  void synchronize(StreamHandle stream) override {
    check(cudaStreamSynchronize(native(stream)), "waiting for a stream");
  }

  float milliseconds_between(EventHandle begin, EventHandle end) override {
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, native(begin), native(end)), "the time between events");
    return milliseconds;
  }
};

}  // namespace

Gpu open_gpu() {
  try {
    int count = 0;
    check(cudaGetDeviceCount(&count), "counting devices");
    if (count == 0) return {nullptr, reason(DeviceErrorKind::kNoDevice)};
    // It holds nothing; one for all lets sessions see that they share a card.
    static const auto runtime = std::make_shared<Cudart>();
    const Card card = runtime->card();
    if (card.major < kOldestMajor || (card.major == kOldestMajor && card.minor < kOldestMinor)) {
      return {nullptr, card.name + " has compute capability " + std::to_string(card.major) + "." +
                           std::to_string(card.minor) + ", 7.5 is the oldest that is supported"};
    }
    probe(runtime);
    return {runtime, ""};
  } catch (const DeviceError& error) {
    return {nullptr, error.kind() == DeviceErrorKind::kOther ? error.what() : reason(error.kind())};
  }
}

}  // namespace visavis::cuda
