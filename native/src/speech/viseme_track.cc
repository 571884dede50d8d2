#include "visavis/speech/viseme_track.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speech/log_mel.h"
#include "speech/net_runner.h"

namespace visavis {

std::vector<VisemeWeights> viseme_track(std::shared_ptr<const VisemeNet> net, std::span<const float> samples,
                                        NetDevice device, std::shared_ptr<GpuSession> gpu) {
  const auto lips = LipSync::create(std::move(net), device, std::move(gpu));
  const double duration = static_cast<double>(samples.size()) / LipSync::kSampleRate;
  const auto rows = static_cast<std::size_t>(std::ceil(duration / kTrackHopSeconds - 1e-9));
  std::vector<VisemeWeights> track;
  track.reserve(rows);
  const auto take_until = [&](double seconds) {
    while (track.size() < rows && static_cast<double>(track.size()) * kTrackHopSeconds < seconds) {
      track.push_back(lips->at(static_cast<double>(track.size()) * kTrackHopSeconds).weights);
    }
  };
  // A second at a time, so that a long clip does not pile up records.
  while (!samples.empty()) {
    const std::size_t count = std::min<std::size_t>(samples.size(), LipSync::kSampleRate);
    lips->push(samples.first(count));
    samples = samples.subspan(count);
    take_until(lips->ready_until());
  }
  lips->finish();
  take_until(duration + kTrackHopSeconds);
  return track;
}

std::vector<VisemeWeights> posterior_track(std::shared_ptr<const VisemeNet> net, std::span<const float> samples,
                                           NetDevice device, std::shared_ptr<GpuSession> gpu) {
  auto loaded = std::dynamic_pointer_cast<const speech::LoadedNet>(std::move(net));
  if (!loaded) throw std::invalid_argument("posterior_track needs a loaded VisemeNet");
  speech::LogMel features(loaded->weights());
  std::vector<std::array<float, speech::kMels>> mels;
  speech::LogMelFrame frame;
  while (features.next(samples, frame)) mels.push_back(frame.mels);
  speech::NetRunner runner(loaded, device, std::move(gpu));
  std::vector<VisemeWeights> rows;
  rows.reserve(mels.size());
  const auto take = [&](bool wait) {
    const speech::Posteriors* row = runner.front(wait);
    if (row == nullptr) return false;
    rows.push_back(*row);
    runner.pop();
    return true;
  };
  for (std::size_t i = 0; i < mels.size(); i += speech::NetStream::kMaxBlock) {
    while (runner.full()) take(true);
    runner.submit(std::span(mels).subspan(i, std::min<std::size_t>(speech::NetStream::kMaxBlock, mels.size() - i)));
    while (take(false)) {
    }
  }
  while (take(true)) {
  }
  const auto skipped = std::min<std::size_t>(rows.size(), loaded->weights().look_ahead);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
  return rows;
}

}  // namespace visavis
