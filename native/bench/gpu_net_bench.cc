// The viseme net on a GPU, beside this machine's processor in the same run. Prints rows of a markdown table: what, the
// figure, what it should be.
//
//   gpu_net_bench WEIGHTS      exits with 3, and says why, where there is no GPU
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "cuda/gpu_session.h"
#include "speech/gpu_net.h"
#include "speech/net_stream.h"

namespace {

using namespace visavis;
using speech::GpuNet;
using speech::kMels;
using speech::NetStream;
using Mels = std::vector<std::array<float, kMels>>;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 2'000;
constexpr int kSessions = 64;
constexpr double kMostMicroseconds = 200.0;  // A hop on the GPU.

Mels random_mels(std::size_t frames) {
  std::mt19937 random(1);
  std::normal_distribution<float> mel(-5.0f, 3.0f);
  Mels mels(frames);
  for (auto& frame : mels) {
    for (float& value : frame) value = mel(random);
  }
  return mels;
}

struct Figures {
  double median = 0, p99 = 0;
};

// Microseconds of `rounds` calls; the first tenth warms up.
template <typename Call>
Figures measure(int rounds, Call call) {
  for (int i = 0; i < rounds / 10; ++i) call();
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    const Clock::time_point began = Clock::now();
    call();
    all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all[all.size() * 99 / 100]};
}

void drain(GpuNet& net) {
  // Asks again and again, as no thread that sleeps would be woken so soon.
  while (true) {
    const speech::Posteriors* row = net.front(false);
    if (row != nullptr) {
      net.pop();
    } else if (net.empty()) {
      return;
    }
  }
}

void row(const char* what, const Figures& figures, const char* wanted) {
  std::printf("| %s | %.1f µs, p99 %.1f µs | %s |\n", what, figures.median, figures.p99, wanted);
}

int run(const char* weights) {
  const FoundGpu found = find_gpu();
  if (!found.gpu) {
    std::printf("not measured: %s\n", found.why_not.c_str());
    return 3;
  }
  const auto net = std::dynamic_pointer_cast<const speech::LoadedNet>(VisemeNet::load(weights));
  if (!net) throw std::runtime_error("not a net");
  const Mels mels = random_mels(NetStream::kMaxBlock);
  GpuNet gpu_net(net, found.gpu);

  const Figures hop = measure(kRounds, [&] {
    gpu_net.submit({mels.data(), 1});
    drain(gpu_net);
  });
  row("net: a hop of 10 ms, given until its row is there", hop, "at most 200 µs");

  const cuda::Event begin(found.gpu->runtime(), true), end(found.gpu->runtime(), true);
  std::vector<double> kernel;
  for (int i = 0; i < kRounds; ++i) {
    found.gpu->stream().record(begin);
    gpu_net.submit({mels.data(), 1});
    found.gpu->stream().record(end);
    drain(gpu_net);
    end.wait();
    kernel.push_back(1'000.0 * found.gpu->runtime()->milliseconds_between(begin.get(), end.get()));
  }
  std::sort(kernel.begin(), kernel.end());
  row("net: the same on the card alone", {kernel[kernel.size() / 2], kernel[kernel.size() * 99 / 100]}, "");

  row("net: 12 hops in one launch", measure(kRounds, [&] {
        gpu_net.submit(mels);
        drain(gpu_net);
      }),
      "");

  NetStream cpu(net, NetDevice::kAuto);
  std::array<speech::Posteriors, 1> out;
  row("net: a hop on one core of this machine", measure(kRounds, [&] { cpu.run({mels.data(), 1}, out); }), "");

  std::vector<std::shared_ptr<GpuSession>> sessions;
  std::vector<std::unique_ptr<GpuNet>> nets;
  for (int i = 0; i < kSessions; ++i) {
    sessions.push_back(std::make_shared<GpuSession>(found.gpu->runtime()));
    nets.push_back(std::make_unique<GpuNet>(net, sessions.back()));
  }
  double launching = 0.0;
  const Figures all = measure(kRounds / 10, [&] {
    const Clock::time_point began = Clock::now();
    for (const auto& one : nets) one->submit({mels.data(), 1});
    launching += std::chrono::duration<double, std::micro>(Clock::now() - began).count();
    for (const auto& one : nets) drain(*one);
  });
  row("net: a hop of each of 64 sessions, on 64 streams", all, "well below 10 ms");
  const int rounds = kRounds / 10 + kRounds / 100;
  std::printf("| net: what a hop costs the thread that asks for it | %.1f µs | |\n", launching / rounds / kSessions);
  return hop.median <= kMostMicroseconds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gpu_net_bench WEIGHTS\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_net_bench: %s\n", error.what());
    return 1;
  }
}
