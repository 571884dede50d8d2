#include "addon_visemes.h"

#include <algorithm>
#include <vector>

#include "addon.h"
#include "arguments.h"
#include "visavis/media/resampler.h"
#include "visavis/speech/lip_sync.h"

namespace visavis::binding {
namespace {

constexpr int kHopMs = 10;

}  // namespace

Napi::Value visemes_of(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto pcm = to_pcm(info[0], "pcm");
  const int rate = to_int(info[1], "sampleRate", Resampler::kMinRate, Resampler::kMaxRate);
  const std::string net_path = info[2].IsUndefined() ? "" : to_text(info[2], "netPath");
  const auto lip_sync = LipSync::create(env.GetInstanceData<Addon>()->net(net_path));
  Resampler resampler(rate, LipSync::kSampleRate);
  std::vector<float> samples;
  resampler.push(pcm, samples);
  resampler.flush(samples);
  lip_sync->push(samples);
  lip_sync->finish();

  const std::size_t hop = LipSync::kSampleRate * kHopMs / 1000;
  const std::size_t rows = (samples.size() + hop - 1) / hop;
  auto weights = Napi::Float32Array::New(env, rows * kVisemeCount);
  for (std::size_t row = 0; row < rows; ++row) {
    const MouthPose pose = lip_sync->at(static_cast<double>(row * kHopMs) / 1000.0);
    std::copy(pose.weights.begin(), pose.weights.end(), weights.Data() + row * kVisemeCount);
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("hopMs", kHopMs);
  result.Set("weights", weights);
  return result;
}

}  // namespace visavis::binding
