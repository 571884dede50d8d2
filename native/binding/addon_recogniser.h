#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "recogniser_link.h"

namespace visavis::binding {

// `Recogniser` of index.d.ts. However it ends (close(), garbage collection, the environment's end) the native thread is
// joined, but for one that is still loading.
class AddonRecogniser final : public Napi::ObjectWrap<AddonRecogniser> {
 public:
  static Napi::Function define(Napi::Env env);

  explicit AddonRecogniser(const Napi::CallbackInfo& info);
  ~AddonRecogniser() override;

 private:
  class Closing;

  Napi::Value ready(const Napi::CallbackInfo& info);
  Napi::Value push(const Napi::CallbackInfo& info);
  Napi::Value settle(const Napi::CallbackInfo& info);
  void drop(const Napi::CallbackInfo& info);
  void begin_speaker(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  static void at_environment_end(void* self);
  void shut_down();

  std::shared_ptr<RecogniserLink> link_;
  Napi::ObjectReference ready_;
  std::vector<Napi::Promise::Deferred> waiting_;  // For the native thread to be joined.
  bool joined_ = false;
  bool hooked_ = false;
};

}  // namespace visavis::binding
