#include "addon_recogniser.h"

#include <optional>
#include <utility>

#include "arguments.h"

namespace visavis::binding {

// Joins the Recogniser's thread on a worker of libuv, then settles every promise close() gave out.
class AddonRecogniser::Closing final : public Napi::AsyncWorker {
 public:
  Closing(Napi::Env env, AddonRecogniser& owner)
      : Napi::AsyncWorker(env), owner_(owner), alive_(Napi::Persistent(owner.Value())), link_(owner.link_) {}

  void Execute() override { link_->join(); }

  void OnOK() override {
    owner_.shut_down();
    for (const Napi::Promise::Deferred& deferred : std::exchange(owner_.waiting_, {})) {
      deferred.Resolve(Env().Undefined());
    }
  }

 private:
  AddonRecogniser& owner_;
  Napi::ObjectReference alive_;
  std::shared_ptr<RecogniserLink> link_;
};

Napi::Function AddonRecogniser::define(Napi::Env env) {
  return DefineClass(env, "Recogniser",
                     {
                         InstanceAccessor<&AddonRecogniser::ready>("ready"),
                         InstanceMethod("push", &AddonRecogniser::push),
                         InstanceMethod("settle", &AddonRecogniser::settle),
                         InstanceMethod("drop", &AddonRecogniser::drop),
                         InstanceMethod("beginSpeaker", &AddonRecogniser::begin_speaker),
                         InstanceMethod("close", &AddonRecogniser::close),
                     });
}

AddonRecogniser::AddonRecogniser(const Napi::CallbackInfo& info) : Napi::ObjectWrap<AddonRecogniser>(info) {
  const Napi::Env env = info.Env();
  const Napi::Object options = to_object(info[0], "options");
  const Napi::Function on_hypothesis = to_function(required(options, "onHypothesis"), "onHypothesis");
  std::optional<Napi::Function> on_failed;
  if (const auto callback = member(options, "onFailed")) on_failed = to_function(*callback, "onFailed");
  RecogniserConfig config;
  if (const auto dir = member(options, "modelDir")) config.model_dir = to_text(*dir, "modelDir");
  link_ = RecogniserLink::open(env, std::move(config), on_hypothesis, on_failed);
  ready_ = Napi::Persistent(Napi::Object(link_->ready()));
  // Added after the thread-safe function's own hook, so it runs before that one.
  hooked_ = napi_add_env_cleanup_hook(env, at_environment_end, this) == napi_ok;
}

AddonRecogniser::~AddonRecogniser() { shut_down(); }

void AddonRecogniser::at_environment_end(void* self) {
  auto* const recogniser = static_cast<AddonRecogniser*>(self);
  recogniser->hooked_ = false;
  recogniser->shut_down();
}

void AddonRecogniser::shut_down() {
  if (link_ == nullptr || std::exchange(joined_, true)) return;
  if (std::exchange(hooked_, false)) napi_remove_env_cleanup_hook(Env(), at_environment_end, this);
  link_->close();
  link_->join();
  link_->release();
}

Napi::Value AddonRecogniser::ready(const Napi::CallbackInfo&) { return ready_.Value(); }

Napi::Value AddonRecogniser::push(const Napi::CallbackInfo& info) {
  const auto pcm = to_pcm(info[0], "pcm");
  Recogniser* const recogniser = link_->recogniser();
  return Napi::Boolean::New(info.Env(), recogniser != nullptr && recogniser->push(pcm));
}

Napi::Value AddonRecogniser::settle(const Napi::CallbackInfo& info) { return link_->settle(info.Env()); }

void AddonRecogniser::drop(const Napi::CallbackInfo&) {
  if (Recogniser* const recogniser = link_->recogniser()) recogniser->drop();
}

void AddonRecogniser::begin_speaker(const Napi::CallbackInfo&) {
  if (Recogniser* const recogniser = link_->recogniser()) recogniser->begin_speaker();
}

Napi::Value AddonRecogniser::close(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto deferred = Napi::Promise::Deferred::New(env);
  if (joined_) {
    deferred.Resolve(env.Undefined());
    return deferred.Promise();
  }
  waiting_.push_back(deferred);
  if (!link_->closed()) {
    link_->close();
    link_->refuse_waiting(env);
    // node-addon-api deletes a worker after OnOK().
    std::make_unique<Closing>(env, *this).release()->Queue();
  }
  return deferred.Promise();
}

}  // namespace visavis::binding
