#include "cuda/probe.h"

namespace visavis::cuda {
namespace {

constexpr int kCount = 1000;  // Not a multiple of a block.

void probe_on_host(const void* given) {
  const auto& arguments = *static_cast<const ProbeArguments*>(given);
  for (int i = 0; i < arguments.count; ++i) probe_one(arguments, i);
}

}  // namespace

#ifdef VISAVIS_CUDA
int launch_probe(const void* arguments, StreamHandle stream);
const Kernel kProbe{"probe", launch_probe, probe_on_host};
#else
const Kernel kProbe{"probe", nullptr, probe_on_host};
#endif

void probe(const std::shared_ptr<Runtime>& runtime) {
  PinnedBuffer host(runtime, kCount * sizeof(int));
  DeviceBuffer in(runtime, host.bytes()), out(runtime, host.bytes());
  const Stream stream(runtime);
  for (int i = 0; i < kCount; ++i) host.as<int>()[i] = i * i;
  runtime->copy_to_device(in.get(), host.get(), host.bytes(), stream.get());
  stream.launch(kProbe, ProbeArguments{in.as<int>(), out.as<int>(), kCount});
  runtime->copy_to_host(host.get(), out.get(), host.bytes(), stream.get());
  stream.synchronize();
  for (int i = 0; i < kCount; ++i) {
    if (host.as<int>()[i] != i * i * 3 + i) throw DeviceError(DeviceErrorKind::kOther, "the GPU computes wrongly");
  }
}

}  // namespace visavis::cuda
