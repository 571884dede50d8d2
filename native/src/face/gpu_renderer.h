// Frames drawn on a GPU, and on the processor from the first one that it refuses.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "cuda/gpu_session.h"
#include "frame_plan.h"
#include "gpu_loop.h"
#include "gpu_sheet.h"
#include "visavis/face/renderer.h"

namespace visavis::face {

class GpuRenderer final : public FaceRenderer {
 public:
  GpuRenderer(std::shared_ptr<const Avatar> avatar, std::shared_ptr<GpuSession> gpu);
  ~GpuRenderer() override;

  void render(int index, const MouthPose& pose, I420MutView out) override;
  bool render_on_gpu(int index, const MouthPose& pose, const GpuPicture& out) override;
  WarpDevice device() const override { return device_; }
  std::shared_ptr<GpuSession> gpu() const override { return gpu_; }

 private:
  // The box around the face on its way down.
  struct Download {
    cuda::DeviceBuffer device;
    cuda::PinnedBuffer host;
    cuda::Event done;
  };
  // What it holds of the GPU: all that it will ever need, so that no frame asks for memory.
  struct Held {
    std::shared_ptr<GpuLoop> loop;
    FrameUpload upload;
    GpuSheet sheet;
    Download download;
  };

  void check(int index, int width, int height) const;
  bool moves(int index, const MouthPose& clean) const;
  cuda::FrameJob job_for(int index, const MouthPose& clean);
  void start_box(int index, const MouthPose& clean, cuda::Tiles& tiles);
  Download make_download() const;
  // Runs `work`; false where the GPU refuses it, and the processor is ready to draw.
  template <typename Work>
  bool on_gpu(const Work& work);
  void fall_back(const char* why);

  std::shared_ptr<const Avatar> avatar_;
  std::shared_ptr<GpuSession> gpu_;
  FramePlan plan_;
  std::unique_ptr<FaceRenderer> processor_;  // Null while the GPU draws.
  std::atomic<WarpDevice> device_ = WarpDevice::kCuda;
  std::optional<Held> held_;
};

}  // namespace visavis::face
