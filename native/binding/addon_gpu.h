#pragma once

#include <napi.h>

namespace visavis::binding {

// `findGpu` of index.d.ts.
Napi::Value find_gpu_async(const Napi::CallbackInfo& info);

}  // namespace visavis::binding
