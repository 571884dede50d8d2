// A session whose GPU fails in the middle of a sentence.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "cuda/fake_runtime.h"
#include "cuda/gpu_session.h"
#include "../speech/recorded.h"
#include "fakes.h"

using visavis::GpuSession;
using visavis::LipSync;
using visavis::NetDevice;
using visavis::StageEvent;
using visavis::StageParts;
using visavis::check::FakeRuntime;
using visavis::test::Rehearsal;

namespace {

constexpr auto kLost = visavis::cuda::DeviceErrorKind::kLost;

// A Stage whose net is the real one, on a card of host memory or, without one, on the processor.
Rehearsal rehearse(const std::shared_ptr<FakeRuntime>& card) {
  return Rehearsal(25, nullptr, 50, nullptr, [&](StageParts& parts) {
    if (card) parts.gpu = std::make_shared<GpuSession>(card);
    if (!card) parts.gpu_off = "no NVIDIA driver";
    const auto net = visavis::VisemeNet::load(VISAVIS_NET);
    parts.make_lip_sync = [net, gpu = parts.gpu] { return LipSync::create(net, NetDevice::kAuto, gpu); };
    parts.net_device = card ? "cuda" : "avx2";
    parts.net_device_off_gpu = "avx2";
  });
}

void say(Rehearsal& on) {
  on.clock.run_ms(100);  // Its thread waits now, so the words fall into the same block each time.
  const std::uint64_t utterance = on.stage->begin_utterance();
  std::vector<std::int16_t> pcm;
  for (const float sample : visavis::check::load_recorded(VISAVIS_VECTORS).samples) {
    if (pcm.size() < 24'000) pcm.push_back(static_cast<std::int16_t>(sample * 32'767));
  }
  CHECK(on.stage->push_audio(utterance, pcm, LipSync::kSampleRate));
  on.stage->end_utterance(utterance);
}

}  // namespace

CHECK_CASE("a session whose GPU is lost goes on, says so once, and shows the same mouth") {
  Rehearsal whole = rehearse(nullptr);
  say(whole);
  whole.clock.run_ms(2'000);
  CHECK(whole.told(StageEvent::Kind::kLeftGpu).empty());
  CHECK(whole.stage->stats().gpu.empty());
  CHECK(whole.stage->stats().gpu_off == "no NVIDIA driver");

  const auto card = std::make_shared<FakeRuntime>();
  {
    Rehearsal on = rehearse(card);
    say(on);
    on.clock.run_ms(300);
    CHECK(on.stage->stats().net_device == "cuda");
    CHECK(on.stage->stats().gpu == "a card in host memory");
    CHECK(on.stage->stats().gpu_off.empty());
    card->fail_at(0, kLost);
    on.clock.run_ms(1'700);
    say(on);
    on.clock.run_ms(2'000);
    CHECK(on.told(StageEvent::Kind::kFailed).empty());
    CHECK(on.told(StageEvent::Kind::kUtteranceEnded).size() == 2);
    CHECK(on.stage->stats().net_device == "avx2");
    CHECK(on.stage->stats().gpu_off == "net: the GPU was lost");
    const auto told = on.told(StageEvent::Kind::kLeftGpu);
    CHECK(told.size() == 1);
    CHECK(!told.empty() && told.front().message == "net: the GPU was lost");

    CHECK(on.drawn->size() > whole.drawn->size());
    float widest = 0.0f;
    for (std::size_t i = 0; i < whole.drawn->size(); ++i) {
      CHECK_NEAR(on.drawn->at(i).open, whole.drawn->at(i).open, 1e-3);
      widest = std::max(widest, whole.drawn->at(i).open);
    }
    CHECK(widest > 0.3f);
  }
  CHECK(card->alive() == 0);
}

CHECK_MAIN
