#include "warp_opencv.h"

#if defined(VISAVIS_BENCH_OPENCV)

#include <cmath>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace visavis::bench {

namespace {

// Fixed-point maps, the faster of OpenCV's two forms, that bend the picture a few pixels.
struct Maps {
  cv::Mat first, second;

  Maps(int width, int height) {
    cv::Mat x(height, width, CV_32F), y(height, width, CV_32F);
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        x.at<float>(j, i) = static_cast<float>(i) + 4 * std::sin(0.02f * static_cast<float>(j));
        y.at<float>(j, i) = static_cast<float>(j) + 4 * std::cos(0.02f * static_cast<float>(i));
      }
    }
    cv::convertMaps(x, y, first, second, CV_16SC2);
  }
};

cv::Mat plane(const std::uint8_t* data, int stride, int width, int height) {
  return cv::Mat(height, width, CV_8U, const_cast<std::uint8_t*>(data), static_cast<std::size_t>(stride)).clone();
}

}  // namespace

OpenCvRemap make_opencv_remap(const I420View& frame) {
  cv::setNumThreads(1);
  struct Scene {
    Maps full, half;
    cv::Mat planes[3], out_planes[3], bgr, out_bgr;
  };
  auto scene = std::make_shared<Scene>(
      Scene{Maps(frame.width, frame.height), Maps(frame.width / 2, frame.height / 2), {}, {}, {}, {}});
  scene->planes[0] = plane(frame.y, frame.stride_y, frame.width, frame.height);
  scene->planes[1] = plane(frame.u, frame.stride_uv, frame.width / 2, frame.height / 2);
  scene->planes[2] = plane(frame.v, frame.stride_uv, frame.width / 2, frame.height / 2);
  cv::cvtColor(scene->planes[0], scene->bgr, cv::COLOR_GRAY2BGR);
  return {
      [scene](int) { cv::remap(scene->bgr, scene->out_bgr, scene->full.first, scene->full.second, cv::INTER_LINEAR); },
      [scene](int) {
        for (int k = 0; k < 3; ++k) {
          const Maps& maps = k == 0 ? scene->full : scene->half;
          cv::remap(scene->planes[k], scene->out_planes[k], maps.first, maps.second, cv::INTER_LINEAR);
        }
      }};
}

}  // namespace visavis::bench

#else

namespace visavis::bench {

OpenCvRemap make_opencv_remap(const I420View&) { return {}; }

}  // namespace visavis::bench

#endif
