// The wire between a Recogniser's thread and the JavaScript thread that owns it.
#pragma once

#include <napi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "visavis/hearing/recogniser.h"

namespace visavis::binding {

// Alive until the last queued wake-up has run. Everything but the sink and join() belongs to the JavaScript thread.
class RecogniserLink {
 public:
  static std::shared_ptr<RecogniserLink> open(Napi::Env env, RecogniserConfig config, Napi::Function on_hypothesis,
                                              std::optional<Napi::Function> on_failed);

  RecogniserLink(Napi::Env env, Napi::Function on_hypothesis, std::optional<Napi::Function> on_failed);
  ~RecogniserLink() = default;
  RecogniserLink(const RecogniserLink&) = delete;
  RecogniserLink& operator=(const RecogniserLink&) = delete;

  // Null once closed.
  Recogniser* recogniser() { return closed_ ? nullptr : recogniser_.get(); }
  Napi::Promise ready() const { return ready_.Promise(); }
  Napi::Promise settle(Napi::Env env);

  // Silences the callback. Only the first call does anything.
  void close();
  bool closed() const { return closed_; }

  // Rejects what still waits for an answer. After close(), and not while the environment ends.
  void refuse_waiting(Napi::Env env);

  // Ends the Recogniser, on whatever thread. After close().
  void join();

  // Lets go of JavaScript. After join().
  void release();

 private:
  struct Keep;
  static void wake(Napi::Env env, Napi::Function, Keep* keep, void*);
  using Waker = Napi::TypedThreadSafeFunction<Keep, void, &RecogniserLink::wake>;

  bool put(RecogniserEvent&& event);
  void deliver(Napi::Env env);
  void fail(Napi::Env env, const std::string& message);

  std::mutex mutex_;
  std::vector<RecogniserEvent> events_;  // For JavaScript to take.
  bool deaf_ = false;

  Waker waker_;
  Napi::FunctionReference on_hypothesis_;
  Napi::FunctionReference on_failed_;
  Napi::Promise::Deferred ready_;
  bool ready_settled_ = false;
  std::map<std::uint64_t, Napi::Promise::Deferred> settling_;
  std::string failure_;
  bool closed_ = false;
  bool released_ = false;
  std::mutex joining_;
  std::unique_ptr<Recogniser> recogniser_;
};

}  // namespace visavis::binding
