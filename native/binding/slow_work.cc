#include "slow_work.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace visavis::binding {
namespace {

constexpr int kNicer = 10;

// A session renders its frames in time while faces are built. On Linux each thread has a priority of its own, which the
// threads that it starts inherit.
void give_way() {
  pthread_setname_np(pthread_self(), "visavis-build");
  const auto self = static_cast<id_t>(gettid());
  setpriority(PRIO_PROCESS, self, std::min(getpriority(PRIO_PROCESS, self) + kNicer, 19));
}

}  // namespace

SlowWork::SlowWork(Napi::Env env) : deferred_(Napi::Promise::Deferred::New(env)) {}

SlowWork::~SlowWork() = default;

Napi::Promise SlowWork::start(Napi::Env env, std::unique_ptr<SlowWork> work) {
  SlowWork* const raw = work.get();
  const Napi::Promise promise = raw->deferred_.Promise();
  raw->waker_ = Waker::New(env, "visavis.SlowWork", 1, 1, raw,
                           [](Napi::Env, void*, SlowWork* done) { const std::unique_ptr<SlowWork> gone(done); });
  // From here on the thread-safe function owns it.
  work.release();
  // Added after the thread-safe function's own hook, so it runs before that one.
  napi_add_env_cleanup_hook(env, at_environment_end, raw);
  try {
    raw->thread_ = std::thread(&SlowWork::run, raw);
  } catch (const std::system_error&) {
    raw->fault_ = "no thread could be started";
    raw->settle(env);
  }
  return promise;
}

void SlowWork::run() {
  give_way();
  try {
    execute();
  } catch (const std::exception& error) {
    fault_ = error.what();
  } catch (...) {
    fault_ = "unknown failure";
  }
  waker_.NonBlockingCall();
}

void SlowWork::finished(Napi::Env env, Napi::Function, SlowWork* work, void*) {
  // Without an environment it was finished at that one's end.
  if (env == nullptr) return;
  work->thread_.join();
  work->settle(env);
}

void SlowWork::settle(Napi::Env env) {
  napi_remove_env_cleanup_hook(env, at_environment_end, this);
  if (fault_) {
    deferred_.Reject(Napi::Error::New(env, *fault_).Value());
  } else {
    deferred_.Resolve(result(env));
  }
  waker_.Release();
}

void SlowWork::at_environment_end(void* work) {
  auto* const self = static_cast<SlowWork*>(work);
  self->thread_.join();
  self->waker_.Release();
}

}  // namespace visavis::binding
