#include "gpu_loop.h"

#include <cstring>

#include "picture_copy.h"

namespace visavis::face {

namespace {

constexpr int kRowAlignment = 32;  // Of luma; so colour's rows begin at multiples of 16.
constexpr std::size_t kFrameAlignment = 256;

}  // namespace

GpuLayout::GpuLayout(int width, int height)
    : width(width),
      height(height),
      stride_y((width + kRowAlignment - 1) / kRowAlignment * kRowAlignment),
      stride_uv(stride_y / 2) {}

std::size_t GpuLayout::bytes() const {
  const std::size_t bytes = static_cast<std::size_t>(stride_y) * height * 3 / 2;
  return (bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

I420MutView GpuLayout::view(std::uint8_t* base) const {
  const std::size_t luma = static_cast<std::size_t>(stride_y) * height;
  return {base, base + luma, base + luma + luma / 4, stride_y, stride_uv, width, height};
}

cuda::SourcePicture GpuLayout::source(const std::uint8_t* base) const {
  const std::size_t luma = static_cast<std::size_t>(stride_y) * height;
  return {base, base + luma, base + luma + luma / 4, stride_y, stride_uv};
}

cuda::TargetPicture GpuLayout::target(std::uint8_t* base) const {
  const I420MutView planes = view(base);
  return {planes.y, planes.u, planes.v, stride_y, stride_uv};
}

GpuPicture GpuLayout::picture(std::uint8_t* base) const { return {view(base)}; }

FrameUpload::FrameUpload(const std::shared_ptr<cuda::Runtime>& runtime, const GpuLayout& layout)
    : runtime_(runtime), layout_(layout), staging_(runtime, layout.bytes()), sent_(runtime) {
  // Rows' padding and the end's go up too.
  std::memset(staging_.get(), 0, staging_.bytes());
}

void FrameUpload::send(const I420View& frame, std::uint8_t* device, const cuda::Stream& stream) {
  if (busy_) sent_.wait();
  busy_ = false;
  copy_band(frame, layout_.view(staging_.as<std::uint8_t>()), 0, frame.height);
  busy_ = true;
  runtime_->copy_to_device(device, staging_.get(), staging_.bytes(), stream.get());
  stream.record(sent_);
}

std::uint8_t* FrameUpload::passing() {
  if (!passing_) passing_ = cuda::DeviceBuffer(runtime_, layout_.bytes());
  return passing_.as<std::uint8_t>();
}

std::shared_ptr<GpuLoop> GpuLoop::of(const Avatar& avatar, const std::shared_ptr<cuda::Runtime>& runtime) {
  Avatar::OnGpu& on_gpu = avatar.on_gpu();
  const std::lock_guard lock(on_gpu.mutex);
  auto loop = std::static_pointer_cast<GpuLoop>(on_gpu.copy.lock());
  if (loop == nullptr || loop->runtime_ != runtime) {
    loop = std::make_shared<GpuLoop>(avatar, runtime);
    on_gpu.copy = loop;
  }
  return loop;
}

GpuLoop::GpuLoop(const Avatar& avatar, std::shared_ptr<cuda::Runtime> runtime)
    : runtime_(std::move(runtime)),
      layout_(avatar.width(), avatar.height()),
      places_(static_cast<std::size_t>(avatar.frame_count())) {
  send_layers(avatar.rig().mouth);
  const std::size_t bytes = layout_.bytes() * places_.size();
  if (bytes > runtime_->free_bytes() / 2) return;
  try {
    frames_ = cuda::DeviceBuffer(runtime_, bytes);
  } catch (const cuda::DeviceError& error) {
    if (error.kind() != cuda::DeviceErrorKind::kOutOfMemory) throw;
  }
}

void GpuLoop::send_layers(const MouthInterior& mouth) {
  std::vector<std::uint8_t> packed;
  for (const MouthLayer* layer : {&mouth.cavity, &mouth.tongue, &mouth.lower_teeth, &mouth.upper_teeth}) {
    for (const auto* plane : {&layer->y, &layer->u, &layer->v, &layer->alpha}) {
      packed.insert(packed.end(), plane->begin(), plane->end());
    }
  }
  if (packed.empty()) return;
  layers_ = cuda::DeviceBuffer(runtime_, packed.size());
  const cuda::PinnedBuffer staging(runtime_, packed.size());
  std::memcpy(staging.get(), packed.data(), packed.size());
  const cuda::Stream stream(runtime_);
  runtime_->copy_to_device(layers_.get(), staging.get(), packed.size(), stream.get());
  stream.synchronize();
}

cuda::SourcePicture GpuLoop::frame(const Avatar& avatar, int index, const cuda::Stream& stream, FrameUpload& upload) {
  if (!stays()) {
    upload.send(avatar.frame(index), upload.passing(), stream);
    return layout_.source(upload.passing());
  }
  std::uint8_t* const device = frames_.as<std::uint8_t>() + layout_.bytes() * static_cast<std::size_t>(index);
  const std::lock_guard lock(mutex_);
  Place& place = places_[static_cast<std::size_t>(index)];
  if (place.state == State::kAbsent) {
    cuda::Event sent(runtime_);
    upload.send(avatar.frame(index), device, stream);
    stream.record(sent);
    place = {State::kComing, std::move(sent)};
  } else if (place.state == State::kComing) {
    // Another session's stream may have sent it.
    if (place.sent.passed()) {
      place = {State::kThere, {}};
    } else {
      stream.wait_for(place.sent);
    }
  }
  return layout_.source(device);
}

}  // namespace visavis::face
