#pragma once

#include <napi.h>

namespace visavis::binding {

// `buildAvatar` of index.d.ts.
Napi::Value build_avatar_async(const Napi::CallbackInfo& info);

// `buildFootage` of index.d.ts.
Napi::Value build_footage_async(const Napi::CallbackInfo& info);

}  // namespace visavis::binding
