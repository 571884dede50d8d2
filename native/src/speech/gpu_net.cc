#include "speech/gpu_net.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "cuda/net_hop.h"

namespace visavis::speech {
namespace {

using cuda::HopHalves;
using cuda::HopLayer;

static_assert(cuda::kHopMels == kMels && cuda::kHopClasses == kVisemeCount && cuda::kHopFrames == NetStream::kMaxBlock);
static_assert(sizeof(Posteriors) == sizeof(float) * cuda::kHopClasses);
static_assert(sizeof(cuda::NetHopArguments) <= 4096, "what a launch can carry");

constexpr std::size_t kAlignment = 256;

int quads_of(const ConvLayer& layer) { return (layer.inputs + cuda::kHopQuad - 1) / cuda::kHopQuad; }

std::size_t halves_of(const ConvLayer& layer) {
  return static_cast<std::size_t>(layer.stride) * layer.taps * quads_of(layer);
}

int ring_frames(const ConvLayer& layer) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(layer.past() + cuda::kHopFrames)));
}

// From ConvView's [group][tap][input][output] to [group][tap][quad][output][input of the quad], missing inputs zero.
void pack(const ConvLayer& layer, HopHalves* out) {
  const int quads = quads_of(layer);
  std::memset(out, 0, halves_of(layer) * sizeof(HopHalves));
  const std::uint16_t* from = layer.halves.data();
  for (int row = 0; row < layer.stride / kLanes * layer.taps; ++row) {
    for (int i = 0; i < layer.inputs; ++i, from += kLanes) {
      HopHalves* quad = out + (row * quads + i / cuda::kHopQuad) * kLanes;
      for (int lane = 0; lane < kLanes; ++lane) quad[lane].of[i % cuda::kHopQuad] = from[lane];
    }
  }
}

// Stretches of one buffer, each aligned.
class Layout {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace

GpuWeights::GpuWeights(const NetWeights& net, const GpuSession& gpu)
    : layer_count_(static_cast<int>(net.layers.size())) {
  Layout layout;
  layout.take(net.layers.size() * sizeof(HopLayer));
  std::vector<std::pair<std::size_t, std::size_t>> places;  // Of each layer's weights and bias.
  for (const ConvLayer& layer : net.layers) {
    const std::size_t weights = layout.take(halves_of(layer) * sizeof(HopHalves));
    places.emplace_back(weights, layout.take(layer.bias.size() * sizeof(float)));
  }
  memory_ = cuda::DeviceBuffer(gpu.runtime(), layout.bytes());
  const cuda::PinnedBuffer staging(gpu.runtime(), layout.bytes());
  const cuda::Settled settled(gpu.stream());
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    const ConvLayer& layer = net.layers[i];
    const auto [weights, bias] = places[i];
    pack(layer, reinterpret_cast<HopHalves*>(staging.as<std::byte>() + weights));
    std::memcpy(staging.as<std::byte>() + bias, layer.bias.data(), layer.bias.size() * sizeof(float));
    HopLayer& hop = staging.as<HopLayer>()[i];
    hop.weights = reinterpret_cast<const HopHalves*>(memory_.as<std::byte>() + weights);
    hop.bias = reinterpret_cast<const float*>(memory_.as<std::byte>() + bias);
    hop.ring = static_cast<int>(state_floats_);
    hop.mask = ring_frames(layer) - 1;
    hop.quads = quads_of(layer);
    hop.outputs = layer.outputs;
    hop.stride = layer.stride;
    hop.taps = layer.taps;
    hop.dilation = layer.dilation;
    hop.splits = std::min(hop.quads, cuda::kHopGroups / (layer.stride / kLanes));
    state_floats_ += static_cast<std::size_t>(ring_frames(layer)) * hop.quads * cuda::kHopQuad;
  }
  const cuda::Stream& stream = gpu.stream();
  gpu.runtime()->copy_to_device(memory_.get(), staging.get(), layout.bytes(), stream.get());
  stream.synchronize();
}

std::shared_ptr<const GpuWeights> LoadedNet::on_gpu(const GpuSession& gpu) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const GpuWeights> weights = on_gpu_.lock();
  if (!weights || runtime_ != gpu.runtime().get()) {
    weights = std::make_shared<const GpuWeights>(weights_, gpu);
    on_gpu_ = weights;
    runtime_ = gpu.runtime().get();
  }
  return weights;
}

GpuNet::GpuNet(std::shared_ptr<const LoadedNet> net, std::shared_ptr<GpuSession> gpu)
    : net_(std::move(net)),
      gpu_(std::move(gpu)),
      weights_(net_->on_gpu(*gpu_)),
      state_(gpu_->runtime(), weights_->state_floats() * sizeof(float)),
      rows_(gpu_->runtime(), sizeof(Posteriors) * NetStream::kMaxBlock * kMaxFlying),
      settled_(gpu_->stream()) {
  for (Block& block : blocks_) block.done = cuda::Event(gpu_->runtime());
  // Rings are padded with zeros, and what they hold before it is written counts as a number.
  gpu_->runtime()->fill(state_.get(), 0, state_.bytes(), gpu_->stream().get());
  const std::array<std::array<float, kMels>, 1> quiet{};
  submit(quiet);
  const Posteriors* row = front(true);
  float sum = 0.0f;
  for (const float p : *row) sum += p;
  if (!(sum > 0.99f && sum < 1.01f)) {
    throw cuda::DeviceError(cuda::DeviceErrorKind::kOther, "the GPU computes wrongly");
  }
  reset();
}

void GpuNet::submit(std::span<const std::array<float, kMels>> mels) {
  const NetWeights& net = net_->weights();
  cuda::NetHopArguments hop;
  hop.layers = static_cast<const HopLayer*>(weights_->layers());
  hop.state = state_.as<float>();
  hop.rows = rows(newest_)->data();
  hop.first = first_;
  hop.layer_count = weights_->layer_count();
  hop.frames = static_cast<int>(mels.size());
  for (std::size_t f = 0; f < mels.size(); ++f) {
    for (int m = 0; m < kMels; ++m) hop.mels[f][m] = (mels[f][m] - net.mean[m]) * net.scale[m];
  }
  Block& next = block(newest_);
  gpu_->stream().launch(cuda::kNetHop, hop);
  gpu_->stream().record(next.done);
  next.rows = hop.frames;
  first_ += hop.frames;
  ++newest_;
}

const Posteriors* GpuNet::front(bool wait) {
  if (oldest_ == newest_) return nullptr;
  if (!landed_) {
    const cuda::Event& done = block(oldest_).done;
    landed_ = done.passed();
    if (!landed_) {
      if (!wait) return nullptr;
      done.wait();
      landed_ = true;
    }
  }
  return rows(oldest_) + taken_;
}

void GpuNet::pop() {
  if (++taken_ < block(oldest_).rows) return;
  taken_ = 0;
  landed_ = false;
  ++oldest_;
}

void GpuNet::reset() {
  first_ = 0;
  oldest_ = newest_;
  taken_ = 0;
  landed_ = false;
}

}  // namespace visavis::speech
