#pragma once

#include <napi.h>

namespace visavis::binding {

// `visemesOf` of index.d.ts.
Napi::Value visemes_of(const Napi::CallbackInfo& info);

}  // namespace visavis::binding
