#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "stage_link.h"

namespace visavis::binding {

// `Stage` of index.d.ts. However it ends (close(), garbage collection, the environment's end) the native thread is
// joined.
class AddonStage final : public Napi::ObjectWrap<AddonStage> {
 public:
  static Napi::Function define(Napi::Env env);

  explicit AddonStage(const Napi::CallbackInfo& info);
  ~AddonStage() override;

 private:
  class Closing;
  class AddingTone;

  Napi::Value begin_utterance(const Napi::CallbackInfo& info);
  Napi::Value push_audio(const Napi::CallbackInfo& info);
  Napi::Value add_mark(const Napi::CallbackInfo& info);
  void end_utterance(const Napi::CallbackInfo& info);
  Napi::Value interrupt(const Napi::CallbackInfo& info);
  Napi::Value add_tone(const Napi::CallbackInfo& info);
  Napi::Value set_tone(const Napi::CallbackInfo& info);
  void request_keyframe(const Napi::CallbackInfo& info);
  void set_video_bitrate(const Napi::CallbackInfo& info);
  Napi::Value stats(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  static void at_environment_end(void* self);
  void shut_down();

  std::shared_ptr<StageLink> link_;
  std::vector<Napi::Promise::Deferred> waiting_;  // For the native thread to be joined.
  bool joined_ = false;
  bool hooked_ = false;
};

}  // namespace visavis::binding
