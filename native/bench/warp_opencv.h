// The peer of the warp: OpenCV's bilinear remap over the whole frame, on one thread.
#pragma once

#include <functional>

#include "visavis/image.h"

namespace visavis::bench {

// Each function remaps one frame; empty where the benchmark was built without OpenCV.
struct OpenCvRemap {
  std::function<void(int)> bgr;
  std::function<void(int)> i420;
};

OpenCvRemap make_opencv_remap(const I420View& frame);

}  // namespace visavis::bench
