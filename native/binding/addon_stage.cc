#include "addon_stage.h"

#include <filesystem>
#include <utility>

#include "addon.h"
#include "arguments.h"
#include "visavis/media/video_encoder.h"

namespace visavis::binding {
namespace {

StageConfig read_config(Addon& addon, const Napi::Object& options) {
  StageConfig config;
  const std::string avatar_dir = to_text(required(options, "avatarDir"), "avatarDir");
  const auto net_path = member(options, "netPath");
  const std::string net = net_path ? to_text(*net_path, "netPath") : "";
  if (const auto fps = member(options, "fps")) {
    config.fps = to_int(*fps, "fps", 25, 30);
    if (config.fps != 25 && config.fps != 30) throw Napi::RangeError::New(options.Env(), "fps must be 25 or 30");
  }
  if (const auto output = member(options, "output")) {
    const std::string name = to_text(*output, "output");
    if (name != "encoded" && name != "raw") throw Napi::RangeError::New(options.Env(), "output must be encoded or raw");
    config.output = name == "raw" ? StageOutput::kRaw : StageOutput::kEncoded;
  }
  if (const auto bps = member(options, "videoBitrateBps")) {
    config.video_bitrate_bps = to_int(*bps, "videoBitrateBps", VideoEncoder::kMinBitrate, VideoEncoder::kMaxBitrate);
  }
  if (const auto bps = member(options, "audioBitrateBps")) {
    config.audio_bitrate_bps = to_int(*bps, "audioBitrateBps", 6'000, 510'000);
  }
  config.avatar = Avatar::load(avatar_dir);
  config.net = addon.net(net);
  return config;
}

Napi::Object describe(Napi::Env env, const Percentiles& percentiles) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("p50", percentiles.p50);
  object.Set("p95", percentiles.p95);
  object.Set("p99", percentiles.p99);
  return object;
}

}  // namespace

// Joins the Stage's thread on a worker of libuv, then settles every promise close() gave out.
class AddonStage::Closing final : public Napi::AsyncWorker {
 public:
  Closing(Napi::Env env, AddonStage& owner)
      : Napi::AsyncWorker(env), owner_(owner), alive_(Napi::Persistent(owner.Value())), link_(owner.link_) {}

  void Execute() override { link_->join(); }

  void OnOK() override {
    owner_.shut_down();
    for (const Napi::Promise::Deferred& deferred : std::exchange(owner_.waiting_, {})) {
      deferred.Resolve(Env().Undefined());
    }
  }

 private:
  AddonStage& owner_;
  Napi::ObjectReference alive_;
  std::shared_ptr<StageLink> link_;
};

// Loads the loop of a tone on a worker of libuv. The Stage may be closed meanwhile.
class AddonStage::AddingTone final : public Napi::AsyncWorker {
 public:
  AddingTone(Napi::Env env, std::shared_ptr<StageLink> link, std::string tone, std::string avatar_dir)
      : Napi::AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        link_(std::move(link)),
        tone_(std::move(tone)),
        avatar_dir_(std::move(avatar_dir)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override { link_->add_tone(tone_, avatar_dir_); }

  void OnOK() override {
    if (link_->closed()) {
      OnError(Napi::Error::New(Env(), "the stage is closed"));
    } else {
      deferred_.Resolve(Env().Undefined());
    }
  }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<StageLink> link_;
  std::string tone_, avatar_dir_;
};

Napi::Function AddonStage::define(Napi::Env env) {
  return DefineClass(env, "Stage",
                     {
                         InstanceMethod("beginUtterance", &AddonStage::begin_utterance),
                         InstanceMethod("pushAudio", &AddonStage::push_audio),
                         InstanceMethod("addMark", &AddonStage::add_mark),
                         InstanceMethod("endUtterance", &AddonStage::end_utterance),
                         InstanceMethod("interrupt", &AddonStage::interrupt),
                         InstanceMethod("addTone", &AddonStage::add_tone),
                         InstanceMethod("setTone", &AddonStage::set_tone),
                         InstanceMethod("requestKeyframe", &AddonStage::request_keyframe),
                         InstanceMethod("setVideoBitrate", &AddonStage::set_video_bitrate),
                         InstanceMethod("stats", &AddonStage::stats),
                         InstanceMethod("close", &AddonStage::close),
                     });
}

AddonStage::AddonStage(const Napi::CallbackInfo& info) : Napi::ObjectWrap<AddonStage>(info) {
  const Napi::Env env = info.Env();
  const Napi::Object options = binding::to_object(info[0], "options");
  const Napi::Function on_packets = to_function(required(options, "onPackets"), "onPackets");
  const Napi::Function on_event = to_function(required(options, "onEvent"), "onEvent");
  StageConfig config = read_config(*env.GetInstanceData<Addon>(), options);
  link_ = StageLink::open(env, std::move(config), on_packets, on_event);
  // Added after the thread-safe function's own hook, so it runs before that one.
  hooked_ = napi_add_env_cleanup_hook(env, at_environment_end, this) == napi_ok;
}

AddonStage::~AddonStage() { shut_down(); }

void AddonStage::at_environment_end(void* self) {
  auto* const stage = static_cast<AddonStage*>(self);
  stage->hooked_ = false;
  stage->shut_down();
}

void AddonStage::shut_down() {
  if (link_ == nullptr || std::exchange(joined_, true)) return;
  if (std::exchange(hooked_, false)) napi_remove_env_cleanup_hook(Env(), at_environment_end, this);
  link_->close();
  link_->join();
  link_->release();
}

Napi::Value AddonStage::begin_utterance(const Napi::CallbackInfo& info) {
  Stage* const stage = link_->stage();
  if (stage == nullptr) throw Napi::Error::New(info.Env(), "the stage is closed");
  return Napi::Number::New(info.Env(), static_cast<double>(stage->begin_utterance()));
}

Napi::Value AddonStage::push_audio(const Napi::CallbackInfo& info) {
  const std::uint64_t utterance = to_count(info[0], "utterance");
  const auto pcm = to_pcm(info[1], "pcm");
  const int rate = to_int(info[2], "sampleRate", 8'000, 48'000);
  Stage* const stage = link_->stage();
  return Napi::Boolean::New(info.Env(), stage != nullptr && stage->push_audio(utterance, pcm, rate));
}

Napi::Value AddonStage::add_mark(const Napi::CallbackInfo& info) {
  const std::uint64_t utterance = to_count(info[0], "utterance");
  const std::uint64_t mark = to_count(info[1], "mark");
  Stage* const stage = link_->stage();
  return Napi::Boolean::New(info.Env(), stage != nullptr && stage->add_mark(utterance, mark));
}

void AddonStage::end_utterance(const Napi::CallbackInfo& info) {
  const std::uint64_t utterance = to_count(info[0], "utterance");
  if (Stage* const stage = link_->stage()) stage->end_utterance(utterance);
}

Napi::Value AddonStage::interrupt(const Napi::CallbackInfo& info) {
  Stage* const stage = link_->stage();
  return Napi::Number::New(info.Env(), stage == nullptr ? 0 : static_cast<double>(stage->interrupt()));
}

Napi::Value AddonStage::add_tone(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  try {
    std::string tone = to_text(info[0], "tone");
    std::string avatar_dir = to_text(info[1], "avatarDir");
    if (link_->closed()) throw Napi::Error::New(env, "the stage is closed");
    auto worker = std::make_unique<AddingTone>(env, link_, std::move(tone), std::move(avatar_dir));
    const Napi::Promise promise = worker->promise();
    // node-addon-api deletes a worker after its last callback.
    worker.release()->Queue();
    return promise;
  } catch (const Napi::Error& error) {
    const auto refused = Napi::Promise::Deferred::New(env);
    refused.Reject(error.Value());
    return refused.Promise();
  }
}

Napi::Value AddonStage::set_tone(const Napi::CallbackInfo& info) {
  const std::string tone = to_text(info[0], "tone");
  Stage* const stage = link_->stage();
  return Napi::Boolean::New(info.Env(), stage != nullptr && stage->set_tone(tone));
}

void AddonStage::request_keyframe(const Napi::CallbackInfo&) {
  if (Stage* const stage = link_->stage()) stage->request_keyframe();
}

void AddonStage::set_video_bitrate(const Napi::CallbackInfo& info) {
  const int bps = static_cast<int>(to_number(info[0], "bps", 1, 1e9));
  if (Stage* const stage = link_->stage()) stage->set_video_bitrate(bps);
}

Napi::Value AddonStage::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Stage* const stage = link_->stage();
  const StageStats stats = stage == nullptr ? link_->close() : stage->stats();
  Napi::Object object = Napi::Object::New(env);
  object.Set("frames", static_cast<double>(stats.frames));
  object.Set("droppedFrames", static_cast<double>(stats.dropped_frames));
  object.Set("audioPackets", static_cast<double>(stats.audio_packets));
  object.Set("underruns", static_cast<double>(stats.underruns));
  object.Set("fps", stats.fps);
  object.Set("frameMs", describe(env, stats.frame_ms));
  object.Set("encodeMs", describe(env, stats.encode_ms));
  object.Set("bitrateBps", stats.bitrate_bps);
  object.Set("encoder", stats.encoder);
  object.Set("warpDevice", stats.warp_device);
  object.Set("netDevice", stats.net_device);
  object.Set("gpu", stats.gpu);
  object.Set("gpuBytes", static_cast<double>(stats.gpu_bytes));
  object.Set("gpuOff", stats.gpu_off);
  return object;
}

Napi::Value AddonStage::close(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto deferred = Napi::Promise::Deferred::New(env);
  if (joined_) {
    deferred.Resolve(env.Undefined());
    return deferred.Promise();
  }
  waiting_.push_back(deferred);
  if (!link_->closed()) {
    link_->close();
    // node-addon-api deletes a worker after OnOK().
    std::make_unique<Closing>(env, *this).release()->Queue();
  }
  return deferred.Promise();
}

}  // namespace visavis::binding
