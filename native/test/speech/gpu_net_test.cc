// The net on a GPU: its arithmetic and its fallbacks on a card of host memory, and on this machine's own if it has one.
#include "speech/gpu_net.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "cuda/fake_runtime.h"
#include "cuda/net_hop.h"
#include "random_net.h"
#include "recorded.h"
#include "speech/net_runner.h"
#include "visavis/speech/viseme_track.h"

using namespace visavis;
using check::FakeRuntime;
using check::NetShape;
using cuda::DeviceErrorKind;
using speech::kMels;
using speech::NetRunner;
using speech::NetStream;

namespace {

constexpr double kTolerance = 1e-3;

using Mels = std::vector<std::array<float, kMels>>;
using Rows = std::vector<speech::Posteriors>;
using Net = std::shared_ptr<const speech::LoadedNet>;

Net shipped() {
  static const auto net = std::dynamic_pointer_cast<const speech::LoadedNet>(VisemeNet::load(VISAVIS_NET));
  return net;
}

const std::vector<float>& samples() {
  static const std::vector<float> all = check::load_recorded(VISAVIS_VECTORS).samples;
  return all;
}

Mels random_mels(std::size_t frames, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> mel(-5.0f, 3.0f);
  Mels mels(frames);
  for (auto& frame : mels) {
    for (float& value : frame) value = mel(random);
  }
  return mels;
}

Rows on_cpu(const Net& net, const Mels& mels) {
  NetStream stream(net, NetDevice::kPortable);
  Rows rows(mels.size());
  for (std::size_t i = 0; i < mels.size(); ++i) stream.run({&mels[i], 1}, {&rows[i], 1});
  return rows;
}

// Blocks of 1..kMaxBlock frames; rows are taken as they come.
Rows run(NetRunner& runner, const Mels& mels, unsigned seed) {
  std::mt19937 random(seed);
  Rows rows;
  const auto take = [&](bool wait) {
    const speech::Posteriors* row = runner.front(wait);
    if (row == nullptr) return false;
    rows.push_back(*row);
    runner.pop();
    return true;
  };
  for (std::size_t i = 0; i < mels.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % NetStream::kMaxBlock, mels.size() - i);
    while (runner.full()) CHECK(take(true));
    runner.submit({&mels[i], count});
    i += count;
    while (random() % 2 == 0 && take(false)) {
    }
  }
  while (take(true)) {
  }
  return rows;
}

template <typename List>
double largest_difference(const List& a, const List& b) {
  if (a.size() != b.size() || a.empty()) return 1e9;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < kVisemeCount; ++c) {
      const double difference = std::fabs(a[i][c] - b[i][c]);
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

std::shared_ptr<GpuSession> session_on(std::shared_ptr<FakeRuntime> fake) {
  return std::make_shared<GpuSession>(std::move(fake));
}

// The fake card, and this machine's own.
void each_card(const std::function<void(const std::shared_ptr<GpuSession>&)>& body) {
  body(session_on(std::make_shared<FakeRuntime>()));
  const FoundGpu found = find_gpu();
  std::printf("%s\n", found.gpu ? name_of(*found.gpu).c_str() : ("skipped on a GPU: " + found.why_not).c_str());
  if (found.gpu) body(found.gpu);
}

const NetShape kSmall{.channels = 20, .first_taps = 2, .dilations = {1, 3}, .taps = 3, .look_ahead = 2};

struct Spoken {
  std::vector<MouthPose> poses;
  NetDevice device = NetDevice::kAuto;
};

// An utterance as a Stage plays it: 20 ms pushed at a time, a pose drawn every 40 ms as soon as it is final.
Spoken speak(LipSync& lips, std::size_t count) {
  Spoken spoken;
  double next = 0.0;
  const auto draw = [&] {
    for (; next < lips.ready_until(); next += 0.04) spoken.poses.push_back(lips.at(next));
  };
  for (std::size_t at = 0; at < count; at += 320) {
    lips.push({samples().data() + at, std::min<std::size_t>(320, count - at)});
    draw();
  }
  lips.finish();
  draw();
  spoken.device = lips.device();
  return spoken;
}

double largest_difference(const Spoken& a, const Spoken& b) {
  if (a.poses.size() != b.poses.size() || a.poses.empty()) return 1e9;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    for (std::size_t c = 0; c < kVisemeCount; ++c) {
      const double difference = std::fabs(a.poses[i].weights[c] - b.poses[i].weights[c]);
      if (!(difference <= largest)) largest = difference;
    }
    const double difference = std::fabs(a.poses[i].loudness - b.poses[i].loudness);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace

CHECK_CASE("half precision comes out exactly, denormals too") {
  const speech::ConvLayer& layer = shipped()->weights().layers[1];
  for (std::size_t i = 0; i < layer.weights.size(); ++i) CHECK(cuda::hop_float(layer.halves[i]) == layer.weights[i]);
  for (int half = 0; half < 0x400; ++half) {
    CHECK(cuda::hop_float(static_cast<std::uint16_t>(half)) == std::ldexp(static_cast<float>(half), -24));
    CHECK(cuda::hop_float(static_cast<std::uint16_t>(half | 0x8000)) == -std::ldexp(static_cast<float>(half), -24));
  }
}

CHECK_CASE("the shipped net's rows are the CPU's") {
  const Mels mels = random_mels(check::kSanitized ? 40 : 150, 5);
  const Rows expected = on_cpu(shipped(), mels);
  each_card([&](const std::shared_ptr<GpuSession>& gpu) {
    NetRunner runner(shipped(), NetDevice::kCuda, gpu);
    CHECK_NEAR(largest_difference(run(runner, mels, 7), expected), 0.0, 1e-4);
    CHECK(runner.device() == NetDevice::kCuda);
    CHECK(left_gpu(*gpu).empty());
  });
}

CHECK_CASE("nets of any shape give the CPU's rows") {
  const std::vector<NetShape> shapes = {
      kSmall,
      {.channels = 1, .first_taps = 1, .dilations = {}, .taps = 1, .look_ahead = 0},
      {.channels = 3, .first_taps = 8, .dilations = {64, 1}, .taps = 2, .look_ahead = 16},
      {.channels = 17, .first_taps = 5, .dilations = {2, 7}, .taps = 8, .look_ahead = 3},
      {.channels = 130, .first_taps = 3, .dilations = {5}, .taps = 4, .look_ahead = 5},
      {.channels = 512, .first_taps = 1, .dilations = {2}, .taps = 2, .look_ahead = 1},
  };
  each_card([&](const std::shared_ptr<GpuSession>& gpu) {
    unsigned seed = 0;
    for (const NetShape& shape : check::some_of(shapes, 2)) {
      const Net net = check::random_net(shape, ++seed);
      const Mels mels = random_mels(60, seed);
      NetRunner runner(net, NetDevice::kCuda, gpu);
      CHECK_NEAR(largest_difference(run(runner, mels, seed), on_cpu(net, mels)), 0.0, 1e-4);
    }
  });
}

CHECK_CASE("frames grouped in any way give the same rows, bit for bit, and reset starts afresh") {
  const Net net = check::random_net(kSmall, 3);
  const Mels mels = random_mels(100, 3);
  each_card([&](const std::shared_ptr<GpuSession>& gpu) {
    NetRunner runner(net, NetDevice::kCuda, gpu);
    const Rows first = run(runner, mels, 1);
    for (unsigned seed = 2; seed < 6; ++seed) {
      runner.submit({mels.data(), 5});  // Rows that nobody takes.
      runner.reset();
      CHECK(run(runner, mels, seed) == first);
    }
  });
}

CHECK_CASE("poses are the CPU's, and the media thread waits for none but its own rows") {
  const std::size_t count = check::kSanitized ? 16'000 : samples().size();
  const auto cpu = LipSync::create(shipped(), NetDevice::kPortable);
  const Spoken expected = speak(*cpu, count);
  const auto fake = std::make_shared<FakeRuntime>();
  const auto gpu = session_on(fake);
  const auto lips = LipSync::create(shipped(), NetDevice::kAuto, gpu);
  CHECK(lips->device() == NetDevice::kCuda);
  const int launches = fake->launches();
  CHECK_NEAR(largest_difference(speak(*lips, count), expected), 0.0, kTolerance);
  // One launch a push of 20 ms, and one a hop of the silence at the end.
  CHECK(fake->launches() - launches <= static_cast<int>(count / 320) + 12);
  // A card that has run what it was given makes nobody wait.
  lips->reset();
  fake->set_patience(0);
  int waits = fake->waits();
  CHECK_NEAR(largest_difference(speak(*lips, count), expected), 0.0, kTolerance);
  CHECK(fake->waits() == waits);
  // And what flies on a slow one need not have landed for a pose long before it.
  lips->reset();
  fake->set_patience(1'000'000);
  for (std::size_t at = 0; at < 9'600; at += 320) lips->push({samples().data() + at, 320});
  CHECK_NEAR(lips->ready_until(), 0.49, 0.012);
  CHECK(fake->waits() == waits);
  const int before = fake->waits();
  lips->at(0.1);
  const int needed = fake->waits() - before;
  CHECK(needed > 0 && needed <= 11);
  lips->at(0.1);
  lips->at(0.05);
  CHECK(fake->waits() - before == needed);
}

CHECK_CASE("more than may fly is waited for, not lost") {
  const Net net = check::random_net(kSmall, 9);
  const Mels mels = random_mels(500, 9);
  const auto fake = std::make_shared<FakeRuntime>();
  fake->set_patience(1'000'000);
  NetRunner runner(net, NetDevice::kCuda, session_on(fake));
  CHECK_NEAR(largest_difference(run(runner, mels, 9), on_cpu(net, mels)), 0.0, 1e-4);
}

CHECK_CASE("whatever call fails, the poses go on within a thousandth, and nothing is left behind") {
  const Net net = check::random_net(kSmall, 21);
  constexpr std::size_t kCount = 8'000;
  const Spoken expected = speak(*LipSync::create(net, NetDevice::kPortable), kCount);
  const auto fake = std::make_shared<FakeRuntime>();
  fake->set_patience(3);
  int calls = 0;
  {
    const auto lips = LipSync::create(net, NetDevice::kAuto, session_on(fake));
    fake->fail_at(1 << 30, DeviceErrorKind::kOther);
    speak(*lips, kCount);
    calls = fake->calls();
  }
  CHECK(calls > 100);
  CHECK(fake->alive() == 0);
  for (const DeviceErrorKind kind : {DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kLost, DeviceErrorKind::kOther}) {
    for (int call = 0; call < calls; call += check::kSanitized ? 7 : 1) {
      {
        const auto gpu = session_on(fake);
        const auto lips = LipSync::create(net, NetDevice::kAuto, gpu);
        CHECK(lips->device() == NetDevice::kCuda);
        fake->fail_at(call, kind);
        const Spoken actual = speak(*lips, kCount);
        CHECK(fake->failed());
        CHECK_NEAR(largest_difference(actual, expected), 0.0, kTolerance);
        CHECK(actual.device != NetDevice::kCuda);
        CHECK(left_gpu(*gpu) == std::string("net: ") + cuda::reason(kind));
        // The next utterance, and the next one's LipSync, stay on the CPU.
        lips->reset();
        CHECK(lips->device() != NetDevice::kCuda);
        CHECK(LipSync::create(net, NetDevice::kAuto, gpu)->device() != NetDevice::kCuda);
      }
      fake->never_fail();
      CHECK(fake->alive() == 0);
    }
  }
}

CHECK_CASE("a card that refuses at the start leaves the net on the CPU, or is told where it was asked for") {
  const Net net = check::random_net(kSmall, 22);
  const auto fake = std::make_shared<FakeRuntime>();
  int calls = 0;
  {
    const auto gpu = session_on(fake);
    const int before = fake->calls();
    const auto lips = LipSync::create(net, NetDevice::kAuto, gpu);
    calls = fake->calls() - before;
  }
  CHECK(calls > 40);
  int harmless = 0;
  for (const DeviceErrorKind kind : {DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kLost}) {
    for (int call = 0; call < calls; ++call) {
      {
        const auto gpu = session_on(fake);
        fake->fail_at(call, kind);
        const auto lips = LipSync::create(net, NetDevice::kAuto, gpu);
        CHECK(fake->failed());
        if (lips->device() == NetDevice::kCuda) {
          ++harmless;
        } else {
          CHECK(left_gpu(*gpu) == std::string("net: ") + cuda::reason(kind));
          fake->fail_at(call, kind);
          CHECK_THROWS(std::invalid_argument, LipSync::create(net, NetDevice::kCuda, gpu));
        }
      }
      fake->never_fail();
      CHECK(fake->alive() == 0);
    }
  }
  // What is waited for once more before the upload's staging ends had been waited for.
  CHECK(harmless <= 1);
}

CHECK_CASE("sessions of one card share its weights, and other cards have their own") {
  const Net net = check::random_net(kSmall, 23);
  const auto fake = std::make_shared<FakeRuntime>();
  const auto one = session_on(fake), two = session_on(fake), other = session_on(std::make_shared<FakeRuntime>());
  const auto weights = net->on_gpu(*one);
  CHECK(net->on_gpu(*two) == weights);
  CHECK(net->on_gpu(*other) != weights);
}

CHECK_CASE("without a GPU the CPU is told apart from a refusal") {
  CHECK(LipSync::create(shipped())->device() == speech::resolve_device(NetDevice::kAuto));
  const FoundGpu found = find_gpu();
  if (found.gpu) return;
  try {
    LipSync::create(shipped(), NetDevice::kCuda);
    CHECK(!"a GPU that is not there was used");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).find(found.why_not) != std::string::npos);
  }
}

CHECK_MAIN
