#include "addon_preview.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "arguments.h"
#include "visavis/face/renderer.h"

namespace visavis::binding {
namespace {

// ITU-R BT.709, limited range; chroma is taken from its nearest sample.
void to_rgb(const I420View& picture, std::uint8_t* out) {
  const auto byte = [](float value) { return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L)); };
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const int chroma = row / 2 * picture.stride_uv + column / 2;
      const float y = 255.0f / 219.0f * static_cast<float>(picture.y[row * picture.stride_y + column] - 16);
      const float cb = 255.0f / 224.0f * static_cast<float>(picture.u[chroma] - 128);
      const float cr = 255.0f / 224.0f * static_cast<float>(picture.v[chroma] - 128);
      *out++ = byte(y + 1.5748f * cr);
      *out++ = byte(y - 0.1873f * cb - 0.4681f * cr);
      *out++ = byte(y + 1.8556f * cb);
    }
  }
}

VisemeWeights to_weights(const Napi::Value& value) {
  const Napi::Env env = value.Env();
  if (!value.IsArray() || value.As<Napi::Array>().Length() != kVisemeCount) {
    throw Napi::TypeError::New(env, "weights must be an array of 15 numbers");
  }
  VisemeWeights weights;
  float sum = 0;
  for (std::uint32_t i = 0; i < kVisemeCount; ++i) {
    weights[i] =
        static_cast<float>(to_number(value.As<Napi::Array>().Get(i), "weights[" + std::to_string(i) + "]", 0, 1));
    sum += weights[i];
  }
  if (sum > 1.001f) throw Napi::RangeError::New(env, "weights must add up to at most 1");
  return weights;
}

}  // namespace

Napi::Object to_object(Napi::Env env, const AvatarInfo& info) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("width", info.width);
  object.Set("height", info.height);
  object.Set("fps", info.fps);
  object.Set("frames", info.frames);
  return object;
}

Napi::Value read_avatar(const Napi::CallbackInfo& info) {
  const std::string dir = to_text(info[0], "dir");
  const auto avatar = Avatar::load(dir);
  return to_object(info.Env(), {avatar->width(), avatar->height(), avatar->fps(), avatar->frame_count()});
}

Napi::Value render_frame(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object options = binding::to_object(info[0], "options");
  const std::string dir = to_text(required(options, "avatarDir"), "avatarDir");
  const auto avatar = Avatar::load(dir);
  const int frame = to_int(required(options, "frame"), "frame", 0, avatar->frame_count() - 1);
  MouthPose pose;
  pose.weights = to_weights(required(options, "weights"));
  // The middle of its range, where the jaw opens as far as the rig says.
  pose.loudness = 0.5f;

  I420Frame picture(avatar->width(), avatar->height());
  FaceRenderer::create(avatar)->render(frame, pose, picture.view());
  const auto pixels = static_cast<std::size_t>(picture.width()) * static_cast<std::size_t>(picture.height());
  auto rgb = Napi::Buffer<std::uint8_t>::New(env, pixels * 3);
  to_rgb(std::as_const(picture).view(), rgb.Data());
  Napi::Object result = Napi::Object::New(env);
  result.Set("rgb", rgb);
  result.Set("width", picture.width());
  result.Set("height", picture.height());
  return result;
}

}  // namespace visavis::binding
