#include "cuda/device.h"

#include <cstdlib>
#include <memory>

#include "check.h"
#include "cuda/gpu_session.h"
#include "cuda/probe.h"
#include "fake_runtime.h"

using namespace visavis;
using check::FakeRuntime;
using cuda::DeviceError;
using cuda::DeviceErrorKind;

CHECK_CASE("a probe passes where kernels compute, and leaves nothing behind") {
  const auto fake = std::make_shared<FakeRuntime>();
  cuda::probe(fake);
  CHECK(fake->launches() == 1);
  CHECK(fake->alive() == 0);
}

CHECK_CASE("each call that fails is told by its kind, and everything taken before is given back") {
  const auto fake = std::make_shared<FakeRuntime>();
  cuda::probe(fake);
  const int calls = fake->calls();
  CHECK(calls >= 7);
  for (const DeviceErrorKind kind : {DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kLost, DeviceErrorKind::kOther}) {
    for (int call = 0; call < calls; ++call) {
      fake->fail_at(call, kind);
      try {
        cuda::probe(fake);
        CHECK(!"a failing call went unnoticed");
      } catch (const DeviceError& error) {
        CHECK(error.kind() == kind);
      }
      CHECK(fake->failed());
      CHECK(fake->alive() == 0);
    }
  }
  fake->fail_at(calls, DeviceErrorKind::kOther);
  cuda::probe(fake);
  CHECK(!fake->failed());
}

CHECK_CASE("a stream runs late, in order, and after the events it waits for") {
  const auto fake = std::make_shared<FakeRuntime>();
  fake->set_patience(1);
  cuda::PinnedBuffer host(fake, sizeof(int));
  cuda::DeviceBuffer a(fake, sizeof(int)), b(fake, sizeof(int));
  const cuda::Stream first(fake), second(fake);
  const cuda::Event filled(fake), done(fake);
  *host.as<int>() = 0;
  second.record(done);  // Recorded again below: only the last time counts.
  fake->fill(a.get(), 0x01, sizeof(int), first.get());
  first.record(filled);
  second.wait_for(filled);
  fake->copy_on_device(b.get(), a.get(), sizeof(int), second.get());
  fake->copy_to_host(host.get(), b.get(), sizeof(int), second.get());
  second.record(done);
  CHECK(!done.passed());
  CHECK(*host.as<int>() == 0);
  CHECK(done.passed());
  CHECK(*host.as<int>() == 0x01010101);
}

CHECK_CASE("an owner moves, and ends once") {
  const auto fake = std::make_shared<FakeRuntime>();
  {
    cuda::DeviceBuffer buffer(fake, 16);
    cuda::DeviceBuffer other(std::move(buffer));
    CHECK(other && other.bytes() == 16);
    cuda::DeviceBuffer third(fake, 8);
    third = std::move(other);
    CHECK(third.bytes() == 16);
  }
  CHECK(fake->alive() == 0);
}

CHECK_CASE("what leaves the GPU is told with the first reason it gave") {
  const auto fake = std::make_shared<FakeRuntime>();
  GpuSession session(fake);
  CHECK(name_of(session) == fake->card().name);
  CHECK(bytes_used(session) == 0);
  CHECK(left_gpu(session).empty());
  session.leave(GpuSession::Part::kEncoder, "no NVENC on this card");
  session.leave(GpuSession::Part::kNet, "out of GPU memory");
  session.leave(GpuSession::Part::kNet, "the GPU was lost");
  CHECK(left_gpu(session) == "net: out of GPU memory; encoder: no NVENC on this card");
  CHECK(!session.left(GpuSession::Part::kWarp) && session.left(GpuSession::Part::kNet));
}

CHECK_CASE("a machine says in words why it has no GPU, or its GPU computes") {
  const cuda::Gpu gpu = cuda::open_gpu();
  // Set where a run on the host would prove too little.
  CHECK(gpu.runtime || std::getenv("VISAVIS_NEED_GPU") == nullptr);
  if (gpu.runtime) {
    std::printf("on %s\n", gpu.runtime->card().name.c_str());
    CHECK(gpu.why_not.empty());
    cuda::probe(gpu.runtime);
  } else {
    std::printf("no GPU: %s\n", gpu.why_not.c_str());
    CHECK(!gpu.why_not.empty());
  }
}

CHECK_MAIN
