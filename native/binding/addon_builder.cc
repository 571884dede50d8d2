#include "addon_builder.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "addon_preview.h"
#include "arguments.h"
#include "slow_work.h"
#include "visavis/face/builder.h"
#include "visavis/face/footage.h"

namespace visavis::binding {
namespace {

constexpr int kMaxSide = 16'384;

// Owns copies of the picture and the landmarks: JavaScript may do what it likes with its own meanwhile.
class Building final : public SlowWork {
 public:
  Building(Napi::Env env, const BuildOptions& options)
      : SlowWork(env),
        rgb_(options.rgb.begin(), options.rgb.end()),
        landmarks_(options.landmarks.begin(), options.landmarks.end()),
        options_(options) {
    options_.rgb = rgb_;
    options_.landmarks = landmarks_;
  }

  void execute() override { info_ = build_avatar(options_); }
  Napi::Value result(Napi::Env env) override { return to_object(env, info_); }

 private:
  std::vector<std::uint8_t> rgb_;
  std::vector<float> landmarks_;
  BuildOptions options_;
  AvatarInfo info_;
};

BuildOptions read_options(const Napi::Object& options) {
  BuildOptions build;
  build.rgb = to_bytes(required(options, "rgb"), "rgb");
  build.width = to_int(required(options, "width"), "width", 1, kMaxSide);
  build.height = to_int(required(options, "height"), "height", 1, kMaxSide);
  build.landmarks = to_floats(required(options, "landmarks"), "landmarks");
  build.output_width = to_int(required(options, "outputWidth"), "outputWidth", 2, kMaxSide);
  build.output_height = to_int(required(options, "outputHeight"), "outputHeight", 2, kMaxSide);
  build.out_dir = to_text(required(options, "outDir"), "outDir");
  if (const auto fps = member(options, "fps")) build.fps = to_int(*fps, "fps", 25, 30);
  if (const auto seconds = member(options, "loopSeconds")) {
    build.loop_seconds = to_number(*seconds, "loopSeconds", 2, 60);
  }
  if (const auto motion = member(options, "motion")) build.motion = to_number(*motion, "motion", 0, 1);
  if (const auto seed = member(options, "seed")) build.seed = to_count(*seed, "seed");
  if (const auto tone = member(options, "tone")) build.tone = to_text(*tone, "tone");
  const std::size_t expected = static_cast<std::size_t>(build.width) * static_cast<std::size_t>(build.height) * 3;
  if (build.rgb.size() != expected) {
    throw Napi::RangeError::New(options.Env(), "rgb must hold width * height * 3 = " + std::to_string(expected) +
                                                   " bytes, not " + std::to_string(build.rgb.size()));
  }
  if (build.landmarks.size() != kLandmarkCount * 3) {
    throw Napi::RangeError::New(options.Env(),
                                "landmarks must hold 478 * 3 numbers, not " + std::to_string(build.landmarks.size()));
  }
  return build;
}

// Owns a copy of the landmarks; the frames lie in a file.
class FootageBuilding final : public SlowWork {
 public:
  FootageBuilding(Napi::Env env, const FootageOptions& options)
      : SlowWork(env),
        landmarks_(options.landmarks.begin(), options.landmarks.end()),
        options_(options) {
    options_.landmarks = landmarks_;
  }

  void execute() override { info_ = build_footage(options_); }
  Napi::Value result(Napi::Env env) override { return to_object(env, info_); }

 private:
  std::vector<float> landmarks_;
  FootageOptions options_;
  AvatarInfo info_;
};

FootageOptions read_footage_options(const Napi::Object& options) {
  FootageOptions build;
  build.frames_path = to_text(required(options, "framesPath"), "framesPath");
  build.frames = to_int(required(options, "frames"), "frames", 1, 1 << 20);
  build.width = to_int(required(options, "width"), "width", 2, kMaxSide);
  build.height = to_int(required(options, "height"), "height", 2, kMaxSide);
  build.fps = to_int(required(options, "fps"), "fps", 25, 30);
  build.landmarks = to_floats(required(options, "landmarks"), "landmarks");
  build.still = to_int(required(options, "still"), "still", 0, build.frames - 1);
  build.out_dir = to_text(required(options, "outDir"), "outDir");
  const std::size_t expected = static_cast<std::size_t>(build.frames) * kLandmarkCount * 3;
  if (build.landmarks.size() != expected) {
    throw Napi::RangeError::New(options.Env(), "landmarks must hold frames * 478 * 3 = " + std::to_string(expected) +
                                                   " numbers, not " + std::to_string(build.landmarks.size()));
  }
  return build;
}

template <typename Work, typename Read>
Napi::Value build_async(const Napi::CallbackInfo& info, Read read) {
  try {
    const auto options = read(binding::to_object(info[0], "options"));
    return SlowWork::start(info.Env(), std::make_unique<Work>(info.Env(), options));
  } catch (const Napi::Error& error) {
    const auto refused = Napi::Promise::Deferred::New(info.Env());
    refused.Reject(error.Value());
    return refused.Promise();
  }
}

}  // namespace

Napi::Value build_avatar_async(const Napi::CallbackInfo& info) { return build_async<Building>(info, read_options); }

Napi::Value build_footage_async(const Napi::CallbackInfo& info) {
  return build_async<FootageBuilding>(info, read_footage_options);
}

}  // namespace visavis::binding
