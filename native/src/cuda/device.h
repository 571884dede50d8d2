// A GPU behind a plain C++ seam: no CUDA header, so that all of it compiles and is tested where there is no nvcc.
//
//   device.h, device.cc   this seam: Runtime (what is asked of a card), RAII (Stream, Event, DeviceBuffer,
//                         PinnedBuffer), DeviceError (the one exception), open_gpu() (a card, or why there is none)
//   gpu_session.h, .cc    GpuSession: the card, the one stream that a session's warp, net and encoder share, and what
//                         of them left the GPU and why. Stages are handed one (visavis/gpu.h); tests make one of a fake
//   cudart.cc             the Runtime over cudart; built where VISAVIS_CUDA found nvcc. no_cudart.cc takes its place
//   X.h, X.cc, X.cu       a kernel: X.h has its arguments and its arithmetic, __host__ __device__ inline functions,
//                         X.cc its Kernel and its run on the host, X.cu the indexing and the launch alone. A .cu joins
//                         VISAVIS_CUDA_KERNELS in CMakeLists.txt, which decides whether it may fuse multiply-adds
//   test/cuda/fake_runtime.h  a Runtime in host memory: streams run late, as on a card, and the N-th call fails with
//                         the error that a test chose. Looping N over all calls proves every fallback without a GPU
//
// One card a process, cudart's first one (CUDA_VISIBLE_DEVICES picks another), its primary context shared by all
// threads and by libavcodec. Work goes to a session's own stream, never to the default one.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "host_device.h"

namespace visavis::cuda {

enum class DeviceErrorKind { kNoDriver, kNoDevice, kOutOfMemory, kLost, kOther };

// Whatever the GPU refuses. After kLost its context is gone: every later call in this process fails the same way.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(DeviceErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  DeviceErrorKind kind() const { return kind_; }

 private:
  DeviceErrorKind kind_;
};

// In a few words, for logs and /api/stats: "no NVIDIA driver", "out of GPU memory".
const char* reason(DeviceErrorKind kind);

struct Card {
  std::string name;
  std::size_t memory_bytes = 0;
  int major = 0;  // Compute capability.
  int minor = 0;
  int multiprocessors = 0;
};

struct StreamImpl;
struct EventImpl;
using StreamHandle = StreamImpl*;  // A cudaStream_t (and CUstream) under cudart.
using EventHandle = EventImpl*;

// A kernel twice: its launch, and the same arithmetic run to the end in host memory. `arguments` is the kernel's own
// struct of plain values and device pointers.
struct Kernel {
  const char* name;
  int (*on_device)(const void* arguments, StreamHandle stream);  // A cudaError_t; null in a build without nvcc.
  void (*on_host)(const void* arguments);
};

// What is asked of a card. Everything throws DeviceError but what is noexcept; all but wait() and synchronize() return
// without waiting for the card, allocate and free excepted: those are for the start and the end of a session. From any
// thread; the order of calls on one stream is the caller's to keep.
class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual Card card() = 0;
  virtual std::size_t free_bytes() = 0;

  virtual void* allocate(std::size_t bytes) = 0;  // Device memory, aligned to 256 bytes, not cleared.
  virtual void free(void* device) noexcept = 0;
  virtual void* allocate_pinned(std::size_t bytes) = 0;  // Host memory that copies reach without staging.
  virtual void free_pinned(void* host) noexcept = 0;

  virtual StreamHandle create_stream() = 0;  // Does not wait for the default stream.
  virtual void destroy(StreamHandle stream) noexcept = 0;
  virtual EventHandle create_event(bool timed) = 0;
  virtual void destroy(EventHandle event) noexcept = 0;

  // The host's side of a copy is pinned and stays as it is until the stream has passed it.
  virtual void copy_to_device(void* device, const void* pinned, std::size_t bytes, StreamHandle stream) = 0;
  virtual void copy_to_host(void* pinned, const void* device, std::size_t bytes, StreamHandle stream) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, StreamHandle stream) = 0;
  // `rows` rows of `bytes` bytes, their starts a pitch apart; device memory on both sides.
  virtual void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t bytes, std::size_t rows, StreamHandle stream) = 0;
  virtual void fill(void* device, int byte, std::size_t bytes, StreamHandle stream) = 0;

  // `arguments` is copied before this returns.
  virtual void launch(const Kernel& kernel, const void* arguments, std::size_t bytes, StreamHandle stream) = 0;

  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual bool passed(EventHandle event) = 0;
  virtual void wait(EventHandle event) = 0;  // Blocks this thread.
  virtual void wait_on_stream(StreamHandle stream, EventHandle event) = 0;
  virtual void synchronize(StreamHandle stream) = 0;                             // Blocks this thread.
  virtual float milliseconds_between(EventHandle begin, EventHandle end) = 0;  // Both timed and passed.
};

// The card that this process may use, or why there is none.
struct Gpu {
  std::shared_ptr<Runtime> runtime;  // Null without one.
  std::string why_not;               // "built without CUDA", "no NVIDIA driver".. ; empty with one.
};

// Asks the driver each time, so a device lost since is told as such. Never throws DeviceError.
Gpu open_gpu();

// ---- Owners. All keep the runtime alive, may be moved, and end without throwing.

namespace detail {

template <typename Handle, auto kRelease>
class Owner {
 public:
  Owner() = default;
  Owner(std::shared_ptr<Runtime> runtime, Handle handle) : runtime_(std::move(runtime)), handle_(handle) {}
  Owner(Owner&& other) noexcept : runtime_(std::move(other.runtime_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_) kRelease(*runtime_, handle_);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  Runtime& runtime() const { return *runtime_; }

 private:
  std::shared_ptr<Runtime> runtime_;
  Handle handle_ = nullptr;
};

inline void release_device(Runtime& runtime, void* memory) noexcept { runtime.free(memory); }
inline void release_pinned(Runtime& runtime, void* memory) noexcept { runtime.free_pinned(memory); }
inline void release_stream(Runtime& runtime, StreamHandle stream) noexcept { runtime.destroy(stream); }
inline void release_event(Runtime& runtime, EventHandle event) noexcept { runtime.destroy(event); }

}  // namespace detail

// What a stream was given to do with a buffer must have run before the buffer ends: see Settled.
class DeviceBuffer : public detail::Owner<void*, detail::release_device> {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<Runtime> runtime, std::size_t bytes);  // bytes > 0
  std::size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(get());
  }

 private:
  std::size_t bytes_ = 0;
};

class PinnedBuffer : public detail::Owner<void*, detail::release_pinned> {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::shared_ptr<Runtime> runtime, std::size_t bytes);  // bytes > 0
  std::size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(get());
  }

 private:
  std::size_t bytes_ = 0;
};

class Event : public detail::Owner<EventHandle, detail::release_event> {
 public:
  Event() = default;
  explicit Event(std::shared_ptr<Runtime> runtime, bool timed = false);
  bool passed() const { return runtime().passed(get()); }
  void wait() const { runtime().wait(get()); }
};

// Ending it waits until everything on it has run, or the device is lost.
class Stream : public detail::Owner<StreamHandle, detail::release_stream> {
 public:
  Stream() = default;
  explicit Stream(std::shared_ptr<Runtime> runtime);

  template <typename Arguments>
  void launch(const Kernel& kernel, const Arguments& arguments) const {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) <= 4096, "what a launch can carry");
    runtime().launch(kernel, &arguments, sizeof(Arguments), get());
  }
  void record(const Event& event) const { runtime().record(event.get(), get()); }
  void wait_for(const Event& event) const { runtime().wait_on_stream(get(), event.get()); }
  void synchronize() const { runtime().synchronize(get()); }
};

// Declared after buffers that a stream works with, it ends before them, also where a constructor throws, and waits
// until the stream has run what it was given.
class Settled {
 public:
  explicit Settled(const Stream& stream) : stream_(stream) {}
  ~Settled();
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  const Stream& stream_;
};

}  // namespace visavis::cuda
