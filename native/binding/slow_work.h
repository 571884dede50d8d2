// Work that lasts for seconds, on a thread of its own that gives way to whatever else wants the cores. libuv's few
// threads stay free for files and names.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace visavis::binding {

class SlowWork {
 public:
  virtual ~SlowWork();
  SlowWork(const SlowWork&) = delete;
  SlowWork& operator=(const SlowWork&) = delete;

  // Starts it. The promise rejects with what execute() throws. A worker that ends waits for it; process.exit() ends it
  // where it is.
  static Napi::Promise start(Napi::Env env, std::unique_ptr<SlowWork> work);

 protected:
  explicit SlowWork(Napi::Env env);

  // On the thread.
  virtual void execute() = 0;
  // On the JavaScript thread, after execute().
  virtual Napi::Value result(Napi::Env env) = 0;

 private:
  static void finished(Napi::Env env, Napi::Function, SlowWork* work, void*);
  static void at_environment_end(void* work);
  using Waker = Napi::TypedThreadSafeFunction<SlowWork, void, &SlowWork::finished>;

  void run();
  void settle(Napi::Env env);

  Napi::Promise::Deferred deferred_;
  Waker waker_;
  std::thread thread_;
  // Of execute().
  std::optional<std::string> fault_;
};

}  // namespace visavis::binding
