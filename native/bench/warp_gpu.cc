#include "warp_gpu.h"

#include <time.h>

#include <algorithm>
#include <vector>

#include "canvas.h"
#include "cuda/gpu_session.h"
#include "talking_pose.h"
#include "timed_runtime.h"
#include "visavis/face/renderer.h"

namespace visavis::bench {

namespace {

constexpr int kFrames = 100;

double thread_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double rank(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Bytes read and written a second by a plain copy within the card, of far more than its caches hold.
double copy_bytes_per_second(const std::shared_ptr<cuda::Runtime>& card) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr int kRounds = 10;
  const cuda::DeviceBuffer from(card, kBytes), to(card, kBytes);
  const cuda::Event begin(card, true), end(card, true);
  const cuda::Stream stream(card);
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    stream.record(begin);
    card->copy_on_device(to.get(), from.get(), kBytes, stream.get());
    stream.record(end);
    end.wait();
    seconds.push_back(card->milliseconds_between(begin.get(), end.get()) / 1e3);
  }
  return 2.0 * kBytes / rank(seconds, 0.5);
}

// The processor's microseconds for a frame: what it finds out and hands over.
double processor_us(const std::shared_ptr<const Avatar>& avatar, const std::shared_ptr<cuda::Runtime>& card) {
  const Canvas canvas(card, avatar->width(), avatar->height());
  const auto session = std::make_shared<GpuSession>(card);
  const auto renderer = FaceRenderer::create(avatar, session);
  std::vector<double> spent;
  for (int i = 0; i < 2 * kFrames; ++i) {
    const double began = thread_us();
    renderer->render_on_gpu(i % avatar->frame_count(), talking_pose(i), canvas.picture);
    if (i >= kFrames) spent.push_back(thread_us() - began);
    session->stream().synchronize();
  }
  return rank(spent, 0.5);
}

}  // namespace

GpuWarpFigures measure_warp_on_gpu(const std::shared_ptr<const Avatar>& avatar) {
  GpuWarpFigures figures;
  const cuda::Gpu gpu = cuda::open_gpu();
  if (!gpu.runtime) {
    figures.why_not = gpu.why_not;
    return figures;
  }
  const int width = avatar->width(), height = avatar->height();
  figures.card = gpu.runtime->card().name;
  figures.copy_bytes = copy_bytes_per_second(gpu.runtime);
  std::vector<double> us;
  {
    const auto timed = std::make_shared<TimedRuntime>(gpu.runtime);
    const Canvas canvas(timed, width, height);
    const auto session = std::make_shared<GpuSession>(timed);
    const auto renderer = FaceRenderer::create(avatar, session);
    // The first ones wake the card.
    for (int i = 0; i < 2 * kFrames; ++i) {
      renderer->render_on_gpu(i % avatar->frame_count(), talking_pose(i), canvas.picture);
      if (i == kFrames - 1) timed->take_microseconds();
    }
    us = timed->take_microseconds();
    figures.why_not = session->why_left();
  }
  if (us.empty()) return figures;
  figures.measured = true;
  figures.us = rank(us, 0.5);
  figures.p99_us = rank(us, 0.99);
  const double bytes = 2.0 * static_cast<double>(i420_bytes(width, height));
  figures.share_of_copy = bytes / (figures.us * 1e-6) / figures.copy_bytes;
  figures.processor_us = processor_us(avatar, gpu.runtime);
  return figures;
}

}  // namespace visavis::bench
