#include "addon_gpu.h"

#include <memory>
#include <string>

#include "visavis/gpu.h"

namespace visavis::binding {
namespace {

// On a worker of libuv: a driver that wakes up takes its time.
class Finding final : public Napi::AsyncWorker {
 public:
  explicit Finding(Napi::Env env) : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    const FoundGpu found = find_gpu();
    if (found.gpu) gpu_ = name_of(*found.gpu);
    why_not_ = found.why_not;
  }

  void OnOK() override {
    Napi::Object object = Napi::Object::New(Env());
    object.Set("gpu", gpu_);
    object.Set("gpuOff", why_not_);
    deferred_.Resolve(object);
  }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::string gpu_, why_not_;
};

}  // namespace

Napi::Value find_gpu_async(const Napi::CallbackInfo& info) {
  auto worker = std::make_unique<Finding>(info.Env());
  const Napi::Promise promise = worker->promise();
  // node-addon-api deletes a worker after its last callback.
  worker.release()->Queue();
  return promise;
}

}  // namespace visavis::binding
