#include "speech/net_runner.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace visavis::speech {
namespace {

constexpr std::int64_t kFlying = static_cast<std::int64_t>(GpuNet::kMaxFlying) * NetStream::kMaxBlock;

std::shared_ptr<GpuSession> gpu_for(NetDevice device, std::shared_ptr<GpuSession> given) {
  if (device != NetDevice::kAuto && device != NetDevice::kCuda) return nullptr;
  if (given || device == NetDevice::kAuto) return given;
  FoundGpu found = find_gpu();
  if (!found.gpu) throw std::invalid_argument("the net has no GPU: " + found.why_not);
  return found.gpu;
}

}  // namespace

NetRunner::NetRunner(std::shared_ptr<const LoadedNet> net, NetDevice device, std::shared_ptr<GpuSession> gpu)
    : cpu_(net, device == NetDevice::kCuda ? NetDevice::kAuto : device), gpu_(gpu_for(device, std::move(gpu))) {
  ready_.reserve(NetStream::kMaxBlock);
  if (!gpu_ || (device == NetDevice::kAuto && gpu_->left(GpuSession::Part::kNet))) return;
  for (const ConvLayer& layer : net->weights().layers) window_ += layer.past();
  try {
    gpu_net_ = std::make_unique<GpuNet>(std::move(net), gpu_);
  } catch (const cuda::DeviceError& error) {
    if (device == NetDevice::kCuda) throw std::invalid_argument(std::string("the net has no GPU: ") + error.what());
    gpu_->leave(GpuSession::Part::kNet, cuda::reason(error.kind()));
    return;
  }
  on_gpu_ = true;
  kept_.resize(std::bit_ceil(static_cast<std::size_t>(window_ + kFlying)));
  ready_.reserve(static_cast<std::size_t>(window_ + kFlying));
}

void NetRunner::submit(std::span<const std::array<float, kMels>> mels) {
  if (on_gpu_) keep(mels);
  submitted_ += static_cast<std::int64_t>(mels.size());
  if (!on_gpu_) return compute(mels);
  try {
    gpu_net_->submit(mels);
  } catch (const cuda::DeviceError& error) {
    go_on_without(error);
  }
}

const Posteriors* NetRunner::front(bool wait) {
  if (on_gpu_) {
    try {
      return gpu_net_->front(wait);
    } catch (const cuda::DeviceError& error) {
      go_on_without(error);
    }
  }
  return next_ready_ < ready_.size() ? &ready_[next_ready_] : nullptr;
}

void NetRunner::pop() {
  ++taken_;
  if (on_gpu_) return gpu_net_->pop();
  if (++next_ready_ < ready_.size()) return;
  ready_.clear();
  next_ready_ = 0;
}

void NetRunner::reset() {
  submitted_ = taken_ = 0;
  ready_.clear();
  next_ready_ = 0;
  cpu_.reset();
  if (!on_gpu_) return;
  gpu_net_->reset();
  if (gpu_->left(GpuSession::Part::kNet)) on_gpu_ = false;  // Another utterance has seen it fail.
}

void NetRunner::keep(std::span<const std::array<float, kMels>> mels) {
  for (std::size_t i = 0; i < mels.size(); ++i) kept(submitted_ + static_cast<std::int64_t>(i)) = mels[i];
}

void NetRunner::go_on_without(const cuda::DeviceError& error) {
  on_gpu_ = false;
  gpu_->leave(GpuSession::Part::kNet, cuda::reason(error.kind()));
  // From silence the CPU's state is whole again once all a row looks back on has gone through it.
  std::int64_t skipped = std::min(window_, taken_);
  std::array<std::array<float, kMels>, NetStream::kMaxBlock> block;
  for (std::int64_t at = taken_ - skipped; at < submitted_;) {
    const std::int64_t count = std::min<std::int64_t>(NetStream::kMaxBlock, submitted_ - at);
    for (std::int64_t i = 0; i < count; ++i) block[static_cast<std::size_t>(i)] = kept(at + i);
    compute({block.data(), static_cast<std::size_t>(count)});
    at += count;
  }
  // Those rows were taken already.
  next_ready_ = static_cast<std::size_t>(skipped);
  if (next_ready_ == ready_.size()) {
    ready_.clear();
    next_ready_ = 0;
  }
}

void NetRunner::compute(std::span<const std::array<float, kMels>> mels) {
  const std::size_t before = ready_.size();
  ready_.resize(before + mels.size());
  cpu_.run(mels, std::span(ready_).subspan(before));
}

}  // namespace visavis::speech
