#include "recogniser_link.h"

#include <optional>
#include <utility>

namespace visavis::binding {
namespace {

constexpr const char* kClosed = "the recogniser was closed";

}  // namespace

// What the thread-safe function holds on to until its last call has run.
struct RecogniserLink::Keep {
  std::shared_ptr<RecogniserLink> link;
};

RecogniserLink::RecogniserLink(Napi::Env env, Napi::Function on_hypothesis, std::optional<Napi::Function> on_failed)
    : on_hypothesis_(Napi::Persistent(on_hypothesis)), ready_(Napi::Promise::Deferred::New(env)) {
  if (on_failed) on_failed_ = Napi::Persistent(*on_failed);
  // Nobody has to wait for it.
  const Napi::Object promise = ready_.Promise();
  const auto ignore = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  promise.Get("catch").As<Napi::Function>().Call(promise, {ignore});
}

std::shared_ptr<RecogniserLink> RecogniserLink::open(Napi::Env env, RecogniserConfig config,
                                                     Napi::Function on_hypothesis,
                                                     std::optional<Napi::Function> on_failed) {
  auto link = std::make_shared<RecogniserLink>(env, on_hypothesis, on_failed);
  auto keep = std::make_unique<Keep>(Keep{link});
  // At most one wake-up waits at any time (put() says when one is due); the second place is never taken.
  link->waker_ = Waker::New(env, "visavis.Recogniser", 2, 1, keep.get(),
                            [](Napi::Env, void*, Keep* kept) { const std::unique_ptr<Keep> gone(kept); });
  keep.release();
  link->waker_.Unref(env);

  // The link outlives the Recogniser, which calls no sink once it has ended: join() comes before release().
  RecogniserLink* const raw = link.get();
  try {
    link->recogniser_ = Recogniser::open(std::move(config), [raw](RecogniserEvent&& event) {
      if (raw->put(std::move(event))) raw->waker_.NonBlockingCall();
    });
  } catch (...) {
    link->close();
    link->release();
    throw;
  }
  return link;
}

// True when a wake-up is due. Of hypotheses in a row only the last is of use.
bool RecogniserLink::put(RecogniserEvent&& event) {
  const std::lock_guard lock(mutex_);
  if (deaf_) return false;
  const bool first = events_.empty();
  const bool replaces = !first && event.kind == RecogniserEvent::Kind::kHypothesis &&
                        events_.back().kind == RecogniserEvent::Kind::kHypothesis;
  if (replaces) events_.pop_back();
  events_.push_back(std::move(event));
  return first;
}

void RecogniserLink::wake(Napi::Env env, Napi::Function, Keep* keep, void*) {
  if (env != nullptr) keep->link->deliver(env);
}

void RecogniserLink::deliver(Napi::Env env) {
  const Napi::HandleScope scope(env);
  std::vector<RecogniserEvent> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }
  std::optional<Napi::Error> first_error;
  for (const RecogniserEvent& event : events) {
    // The callback may close the recogniser; nothing follows then.
    if (closed_) break;
    switch (event.kind) {
      case RecogniserEvent::Kind::kReady:
        ready_settled_ = true;
        ready_.Resolve(env.Undefined());
        break;
      case RecogniserEvent::Kind::kFailed:
        fail(env, event.text);
        if (on_failed_.IsEmpty()) break;
        try {
          on_failed_.Call({Napi::String::New(env, event.text)});
        } catch (const Napi::Error& error) {
          if (!first_error) first_error = error;
        }
        break;
      case RecogniserEvent::Kind::kSettled:
        if (const auto waiting = settling_.extract(event.number)) {
          waiting.mapped().Resolve(Napi::String::New(env, event.text));
        }
        break;
      case RecogniserEvent::Kind::kHypothesis:
        if (event.dropped != recogniser_->dropped()) break;
        try {
          on_hypothesis_.Call({Napi::String::New(env, event.text)});
        } catch (const Napi::Error& error) {
          if (!first_error) first_error = error;
        }
        break;
    }
  }
  // Becomes an uncaught exception, as from any callback.
  if (first_error) first_error->ThrowAsJavaScriptException();
}

void RecogniserLink::fail(Napi::Env env, const std::string& message) {
  failure_ = message;
  const Napi::Value error = Napi::Error::New(env, message).Value();
  if (!std::exchange(ready_settled_, true)) ready_.Reject(error);
  for (const auto& [_, deferred] : std::exchange(settling_, {})) deferred.Reject(error);
}

Napi::Promise RecogniserLink::settle(Napi::Env env) {
  auto deferred = Napi::Promise::Deferred::New(env);
  Recogniser* const running = recogniser();
  if (running == nullptr || !failure_.empty()) {
    deferred.Reject(Napi::Error::New(env, running == nullptr ? kClosed : failure_).Value());
    return deferred.Promise();
  }
  settling_.emplace(running->settle(), deferred);
  return deferred.Promise();
}

void RecogniserLink::close() {
  closed_ = true;
  const std::lock_guard lock(mutex_);
  deaf_ = true;
  events_.clear();
}

void RecogniserLink::refuse_waiting(Napi::Env env) {
  if (failure_.empty()) fail(env, kClosed);
}

void RecogniserLink::join() {
  const std::lock_guard lock(joining_);
  recogniser_.reset();
}

void RecogniserLink::release() {
  if (std::exchange(released_, true)) return;
  on_hypothesis_.Reset();
  on_failed_.Reset();
  waker_.Release();
}

}  // namespace visavis::binding
