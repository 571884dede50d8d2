// Stands in for cudart.cc in a build without CUDA.
#include "cuda/device.h"

namespace visavis::cuda {

Gpu open_gpu() { return {nullptr, "built without CUDA"}; }

}  // namespace visavis::cuda
