#include "gpu_renderer.h"

#include <algorithm>
#include <stdexcept>

#include "picture_copy.h"

namespace visavis::face {

namespace {

// The box's own planes, tightly around its tiles.
GpuLayout layout_of(const cuda::Tiles& tiles) { return {tiles.right - tiles.x, tiles.bottom - tiles.y}; }

cuda::MovingMesh mesh_for(const FramePlan& plan, GpuSheet& sheet) {
  cuda::MovingMesh mesh{};
  mesh.points = sheet.put(plan.points());
  mesh.offsets[0] = sheet.put(plan.offsets());
  const std::span<cuda::Corners> corners = sheet.room<cuda::Corners>(plan.triangles().size(), mesh.triangles);
  std::transform(plan.triangles().begin(), plan.triangles().end(), corners.begin(),
                 [](const Triangle& t) { return cuda::Corners{t.a, t.b, t.c, 0}; });
  mesh.count = static_cast<int>(corners.size());
  mesh.clip = plan.box();
  return mesh;
}

cuda::MouthJob mouth_for(const FramePlan& plan, const Rig& rig, const std::uint8_t* layers, GpuSheet& sheet) {
  cuda::MouthJob job{};
  const MouthOpening& opening = plan.opening();
  const int first = opening.first_column(), last = opening.last_column();
  if (first <= last) {
    job.columns = sheet.put(opening.columns().subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(last - first + 1)));
  }
  job.inside = layers == nullptr ? Box{} : plan.inside();
  job.dark_box = plan.dark_seam().box;
  job.color_box = plan.color_seam().box;
  job.dark = {first, last, plan.dark_seam().strength, plan.dark_seam().reach};
  job.color = {first, last, plan.color_seam().strength, plan.color_seam().reach};
  job.lip_shadow = rig.mouth.lip_shadow;
  job.shadow_per_px = MouthOpening::shadow_per_px(plan.shadow_px());
  job.fade = plan.fade();
  job.layers = layers;
  job.layer_width = rig.mouth.width;
  job.layer_height = rig.mouth.height;
  std::copy(plan.maps().begin(), plan.maps().end(), job.maps);
  return job;
}

}  // namespace

template <typename Work>
bool GpuRenderer::on_gpu(const Work& work) {
  try {
    work();
    return true;
  } catch (const cuda::DeviceError& error) {
    fall_back(cuda::reason(error.kind()));
    return false;
  }
}

GpuRenderer::GpuRenderer(std::shared_ptr<const Avatar> avatar, std::shared_ptr<GpuSession> gpu)
    : avatar_(std::move(avatar)), gpu_(std::move(gpu)), plan_(avatar_->rig()) {
  on_gpu([&] {
    const auto& runtime = gpu_->runtime();
    const Rig& rig = avatar_->rig();
    std::shared_ptr<GpuLoop> loop = GpuLoop::of(*avatar_, runtime);
    FrameUpload upload(runtime, loop->layout());
    if (!loop->stays()) upload.passing();
    const std::size_t bytes = rig.point_count() * 2 * sizeof(PointF) + plan_.most_triangles() * sizeof(cuda::Corners) +
                              static_cast<std::size_t>(rig.width) * sizeof(LipColumn);
    held_.emplace(Held{std::move(loop), std::move(upload), GpuSheet(runtime, bytes), make_download()});
  });
}

GpuRenderer::~GpuRenderer() {
  if (!held_) return;
  try {
    gpu_->stream().synchronize();  // Nothing may be in flight to memory that ends here.
  } catch (const cuda::DeviceError&) {
    // Then nothing is.
  }
}

void GpuRenderer::check(int index, int width, int height) const {
  if (index < 0 || index >= avatar_->frame_count()) throw std::out_of_range("no such loop frame");
  if (width != avatar_->width() || height != avatar_->height()) {
    throw std::invalid_argument("the picture to draw into has another size than the avatar");
  }
}

bool GpuRenderer::moves(int index, const MouthPose& clean) const {
  const Box& box = avatar_->rig().face_box(index);
  return !clean.at_rest() && box.width >= 2 && box.height >= 2;
}

// All of it but where it is drawn to; what it points to is on its way up.
cuda::FrameJob GpuRenderer::job_for(int index, const MouthPose& clean) {
  cuda::FrameJob job{};
  job.from = held_->loop->frame(*avatar_, index, gpu_->stream(), held_->upload);
  job.width = avatar_->width();
  job.height = avatar_->height();
  if (!moves(index, clean)) return job;
  plan_.make(index, clean);
  held_->sheet.begin();
  job.tiles = cuda::tiles_around(plan_.box(), job.width, job.height);
  job.mesh = mesh_for(plan_, held_->sheet);
  job.mouth = mouth_for(plan_, avatar_->rig(), held_->loop->layers(), held_->sheet);
  held_->sheet.send(gpu_->stream());
  return job;
}

bool GpuRenderer::render_on_gpu(int index, const MouthPose& pose, const GpuPicture& out) {
  check(index, out.planes.width, out.planes.height);
  return processor_ == nullptr && on_gpu([&] {
           cuda::FrameJob job = job_for(index, sanitized(pose));
           const I420MutView& to = out.planes;
           job.to = {to.y, to.u, to.v, to.stride_y, to.stride_uv};
           job.copies = true;
           gpu_->stream().launch(cuda::kDrawFrame, job);
         });
}

void GpuRenderer::render(int index, const MouthPose& pose, I420MutView out) {
  check(index, out.width, out.height);
  if (processor_ != nullptr) return processor_->render(index, pose, out);
  const I420View frame = avatar_->frame(index);
  const MouthPose clean = sanitized(pose);
  if (!moves(index, clean)) return copy_band(frame, out, 0, frame.height);
  cuda::Tiles tiles;
  const bool drawn = on_gpu([&] { start_box(index, clean, tiles); });
  if (drawn) copy_band(frame, out, 0, frame.height);  // While the GPU draws.
  if (!drawn || !on_gpu([&] { held_->download.done.wait(); })) return processor_->render(index, pose, out);
  const I420View box = layout_of(tiles).view(held_->download.host.as<std::uint8_t>());
  const std::ptrdiff_t chroma = static_cast<std::ptrdiff_t>(tiles.y / 2) * out.stride_uv + tiles.x / 2;
  const I420MutView part = {out.y + static_cast<std::ptrdiff_t>(tiles.y) * out.stride_y + tiles.x,
                            out.u + chroma, out.v + chroma, out.stride_y, out.stride_uv, box.width, box.height};
  copy_band(box, part, 0, box.height);
}

void GpuRenderer::start_box(int index, const MouthPose& clean, cuda::Tiles& tiles) {
  cuda::FrameJob job = job_for(index, clean);
  tiles = job.tiles;
  const GpuLayout layout = layout_of(tiles);
  job.to = layout.target(held_->download.device.as<std::uint8_t>());
  job.to_x = tiles.x;
  job.to_y = tiles.y;
  job.copies = false;
  const cuda::Stream& stream = gpu_->stream();
  stream.launch(cuda::kDrawFrame, job);
  gpu_->runtime()->copy_to_host(held_->download.host.get(), held_->download.device.get(), layout.bytes(), stream.get());
  stream.record(held_->download.done);
}

GpuRenderer::Download GpuRenderer::make_download() const {
  const Rig& rig = avatar_->rig();
  std::size_t most = 1;
  for (const Box& box : rig.boxes) {
    if (box.width < 2 || box.height < 2) continue;
    most = std::max(most, layout_of(cuda::tiles_around(box, rig.width, rig.height)).bytes());
  }
  const auto& runtime = gpu_->runtime();
  Download download{cuda::DeviceBuffer(runtime, most), cuda::PinnedBuffer(runtime, most), cuda::Event(runtime)};
  // Rows' padding comes down with them and is never drawn.
  runtime->fill(download.device.get(), 0, most, gpu_->stream().get());
  return download;
}

void GpuRenderer::fall_back(const char* why) {
  gpu_->leave(GpuSession::Part::kWarp, why);
  processor_ = FaceRenderer::create(avatar_);
  device_ = processor_->device();
  try {
    gpu_->stream().synchronize();
  } catch (const cuda::DeviceError&) {
    // Nothing is in flight then.
  }
  held_.reset();
}

}  // namespace visavis::face
