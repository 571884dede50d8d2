#include "addon.h"

#include <cstdint>

#include "addon_builder.h"
#include "addon_gpu.h"
#include "addon_preview.h"
#include "addon_recogniser.h"
#include "addon_stage.h"
#include "addon_visemes.h"
#include "arguments.h"
#include "visavis/gpu.h"
#include "visavis/media/video_encoder.h"

namespace visavis::binding {
namespace {

Napi::Object describe_build(Napi::Env env) {
  Napi::Object build = Napi::Object::New(env);
  build.Set("version", VISAVIS_VERSION);
  Napi::Array encoders = Napi::Array::New(env);
  for (const std::string& name : VideoEncoder::available()) encoders.Set(encoders.Length(), name);
  build.Set("encoders", encoders);
  build.Set("cuda", built_with_cuda());
  build.Set("recogniser", Recogniser::available());
  return build;
}

}  // namespace

Addon::Addon(Napi::Env env, Napi::Object exports) {
  DefineAddon(exports, {
                           InstanceMethod("configure", &Addon::configure),
                           InstanceValue("Stage", AddonStage::define(env), napi_enumerable),
                           InstanceValue("Recogniser", AddonRecogniser::define(env), napi_enumerable),
                           InstanceValue("build", describe_build(env), napi_enumerable),
                       });
  exports.Set("buildAvatar", Napi::Function::New(env, build_avatar_async, "buildAvatar"));
  exports.Set("buildFootage", Napi::Function::New(env, build_footage_async, "buildFootage"));
  exports.Set("findGpu", Napi::Function::New(env, find_gpu_async, "findGpu"));
  exports.Set("readAvatar", Napi::Function::New(env, read_avatar, "readAvatar"));
  exports.Set("renderFrame", Napi::Function::New(env, render_frame, "renderFrame"));
  exports.Set("visemesOf", Napi::Function::New(env, visemes_of, "visemesOf"));
}

void Addon::configure(const Napi::CallbackInfo& info) {
  const Napi::Object options = to_object(info[0], "options");
  default_net_path_ = to_text(required(options, "netPath"), "netPath");
}

std::shared_ptr<const VisemeNet> Addon::net(const std::string& path) {
  const std::string& wanted = path.empty() ? default_net_path_ : path;
  if (loaded_ == nullptr || loaded_path_ != wanted) {
    loaded_ = VisemeNet::load(wanted);
    loaded_path_ = wanted;
  }
  return loaded_;
}

}  // namespace visavis::binding

using VisavisAddon = visavis::binding::Addon;
NODE_API_ADDON(VisavisAddon)
