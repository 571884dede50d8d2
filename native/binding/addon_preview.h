#pragma once

#include <napi.h>

#include "visavis/face/builder.h"

namespace visavis::binding {

// `readAvatar` and `renderFrame` of index.d.ts.
Napi::Value read_avatar(const Napi::CallbackInfo& info);
Napi::Value render_frame(const Napi::CallbackInfo& info);

Napi::Object to_object(Napi::Env env, const AvatarInfo& info);

}  // namespace visavis::binding
