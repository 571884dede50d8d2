#include "speech/net_stream.h"

#ifdef VISAVIS_SPEECH_AVX2
#include <cpuid.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace visavis::speech {
namespace {

bool has_avx2() {
#ifdef VISAVIS_SPEECH_AVX2
  // Older compilers' __builtin_cpu_supports() does not know F16C: leaf 1 of CPUID has it.
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

NetDevice resolve_device(NetDevice wanted) {
  if (wanted == NetDevice::kAuto) return has_avx2() ? NetDevice::kAvx2 : NetDevice::kPortable;
  if (wanted == NetDevice::kAvx2 && !has_avx2()) {
    throw std::invalid_argument("this machine or build has no AVX2 with FMA and F16C");
  }
  return wanted;
}

NetStream::NetStream(std::shared_ptr<const LoadedNet> net, NetDevice device)
    : net_(std::move(net)), device_(resolve_device(device)), conv_(conv_block_portable) {
#ifdef VISAVIS_SPEECH_AVX2
  if (device_ == NetDevice::kAvx2) conv_ = conv_block_avx2;
#endif
  const auto& layers = net_->weights().layers;
  int widest = 0;
  for (const ConvLayer& layer : layers) {
    Input input;
    input.channels = layer.inputs;
    input.past = layer.past();
    input.frames.assign(static_cast<std::size_t>(input.past + kMaxBlock) * layer.inputs, 0.0f);
    inputs_.push_back(std::move(input));
    widest = std::max(widest, layer.stride);
  }
  scratch_.assign(static_cast<std::size_t>(widest) * kMaxBlock, 0.0f);
}

void NetStream::Input::keep_last(int count) {
  std::copy(frames.begin() + count * channels, frames.begin() + (count + past) * channels, frames.begin());
}

void NetStream::conv(std::size_t layer, int frames, float* out) {
  conv_(net_->weights().layers[layer].view(), inputs_[layer].block(), frames, out);
}

void NetStream::run(std::span<const std::array<float, kMels>> mels, std::span<Posteriors> out) {
  const NetWeights& net = net_->weights();
  const int frames = static_cast<int>(mels.size());
  const int channels = net.channels;
  const std::size_t last = net.layers.size() - 1;

  float* first = inputs_[0].block();
  for (int f = 0; f < frames; ++f) {
    for (int m = 0; m < kMels; ++m) first[f * kMels + m] = (mels[f][m] - net.mean[m]) * net.scale[m];
  }
  conv(0, frames, scratch_.data());
  inputs_[0].keep_last(frames);
  int stride = net.layers[0].stride;
  for (int f = 0; f < frames; ++f) {
    for (int c = 0; c < channels; ++c) inputs_[1].block()[f * channels + c] = relu(scratch_[f * stride + c]);
  }

  for (std::size_t i = 1; i < last; i += 2) {
    conv(i, frames, scratch_.data());
    stride = net.layers[i].stride;
    float* middle = inputs_[i + 1].block();
    for (int f = 0; f < frames; ++f) {
      for (int c = 0; c < channels; ++c) middle[f * channels + c] = relu(scratch_[f * stride + c]);
    }
    conv(i + 1, frames, scratch_.data());
    const float* entry = inputs_[i].block();
    float* exit = inputs_[i + 2].block();
    for (int f = 0; f < frames; ++f) {
      for (int c = 0; c < channels; ++c) {
        exit[f * channels + c] = relu(entry[f * channels + c] + scratch_[f * stride + c]);
      }
    }
    inputs_[i].keep_last(frames);
  }

  conv(last, frames, scratch_.data());
  stride = net.layers[last].stride;
  for (int f = 0; f < frames; ++f) {
    std::copy_n(scratch_.data() + f * stride, kVisemeCount, out[f].data());
    softmax(out[f].data(), kVisemeCount);
  }
}

void NetStream::reset() {
  for (Input& input : inputs_) std::fill(input.frames.begin(), input.frames.end(), 0.0f);
}

}  // namespace visavis::speech
