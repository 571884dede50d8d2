#include <algorithm>
#include <array>

#include "cuda/frame_kernel.h"
#include "cuda/gpu_session.h"
#include "gpu_loop.h"
#include "gpu_sheet.h"
#include "morph_plan.h"
#include "rig_limits.h"
#include "visavis/face/morph.h"

namespace visavis {

namespace {

class MeshGpuMorph final : public GpuMorph {
 public:
  MeshGpuMorph(int width, int height, std::shared_ptr<GpuSession> gpu)
      : gpu_(std::move(gpu)),
        layout_(width, height),
        plan_(width, height),
        sheet_(gpu_->runtime(), face::kMaxPoints * 3 * sizeof(PointF) +
                                    (face::kMaxTriangles + 2 * face::kMaxContour) * sizeof(cuda::Corners)) {
    for (auto& picture : pictures_) picture = cuda::DeviceBuffer(gpu_->runtime(), layout_.bytes());
  }

  ~MeshGpuMorph() override { settle(); }

  bool render(const End& from, const End& to, const MouthPose& pose, std::span<const Triangle> triangles, float share,
              const GpuPicture& out) override {
    if (left_) return false;
    const std::array<const End*, 2> ends = {&from, &to};
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const GpuPicture picture = layout_.picture(pictures_[k].as<std::uint8_t>());
      if (!ends[k]->renderer->render_on_gpu(ends[k]->index, pose, picture)) return false;
    }
    try {
      plan_.make(from.points, to.points, triangles, share);
      gpu_->stream().launch(cuda::kMorphFrames, job_for(out.planes));
      return true;
    } catch (const cuda::DeviceError& error) {
      gpu_->leave(GpuSession::Part::kWarp, cuda::reason(error.kind()));
      settle();
      left_ = true;
      return false;
    }
  }

 private:
  cuda::MorphJob job_for(const I420MutView& out) {
    cuda::MorphJob job{};
    for (std::size_t k = 0; k < 2; ++k) job.from[k] = layout_.source(pictures_[k].as<std::uint8_t>());
    job.to = {out.y, out.u, out.v, out.stride_y, out.stride_uv};
    job.width = layout_.width;
    job.height = layout_.height;
    job.weight = plan_.weight();
    if (plan_.box().width == 0) return job;
    job.tiles = cuda::tiles_around(plan_.box(), job.width, job.height);
    sheet_.begin();
    job.mesh.points = sheet_.put(plan_.points());
    for (std::size_t end = 0; end < 2; ++end) job.mesh.offsets[end] = sheet_.put(plan_.offsets(end));
    const std::span<cuda::Corners> corners =
        sheet_.room<cuda::Corners>(plan_.triangles().size(), job.mesh.triangles);
    std::transform(plan_.triangles().begin(), plan_.triangles().end(), corners.begin(),
                   [](const Triangle& t) { return cuda::Corners{t.a, t.b, t.c, 0}; });
    job.mesh.count = static_cast<int>(corners.size());
    job.mesh.clip = plan_.box();
    sheet_.send(gpu_->stream());
    return job;
  }

  void settle() noexcept {
    try {
      gpu_->stream().synchronize();
    } catch (const cuda::DeviceError&) {
      // Nothing is in flight then.
    }
  }

  std::shared_ptr<GpuSession> gpu_;
  face::GpuLayout layout_;
  face::MorphPlan plan_;
  face::GpuSheet sheet_;
  std::array<cuda::DeviceBuffer, 2> pictures_;
  bool left_ = false;
};

}  // namespace

std::unique_ptr<GpuMorph> GpuMorph::create(int width, int height, std::shared_ptr<GpuSession> gpu) {
  try {
    return std::make_unique<MeshGpuMorph>(width, height, gpu);
  } catch (const cuda::DeviceError& error) {
    gpu->leave(GpuSession::Part::kWarp, cuda::reason(error.kind()));
    return nullptr;
  }
}

}  // namespace visavis
