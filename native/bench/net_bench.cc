// Speed of the viseme net, and its tracks for scoring tools.
//
//   net_bench speed WEIGHTS           real-time factor on one core, every device
//   net_bench poses WEIGHTS < PCM     s16le mono 16 kHz in; 15 float32 every 10 ms out, as LipSync shows them
//   net_bench posteriors WEIGHTS < PCM  the net's own probabilities; row i speaks of 12.5 + 10 i ms
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "visavis/speech/lip_sync.h"
#include "visavis/speech/viseme_track.h"

namespace {

using visavis::LipSync;
using visavis::NetDevice;
using visavis::VisemeNet;

std::vector<float> read_pcm() {
  std::vector<float> samples;
  std::int16_t block[4096];
  std::size_t count;
  while ((count = std::fread(block, sizeof(block[0]), std::size(block), stdin)) > 0) {
    for (std::size_t i = 0; i < count; ++i) samples.push_back(static_cast<float>(block[i]) / 32768.0f);
  }
  return samples;
}

// Syllable-like bursts of a harmonic tone: the net's work does not depend on what is said.
std::vector<float> syllables(int seconds) {
  std::vector<float> samples(static_cast<std::size_t>(seconds) * LipSync::kSampleRate);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / LipSync::kSampleRate;
    double tone = 0.0;
    for (int k = 1; k <= 12; ++k) tone += std::sin(2.0 * 3.14159265358979 * 120.0 * k * t) / k;
    samples[i] = static_cast<float>(0.1 * tone * std::max(0.0, std::sin(2.0 * 3.14159265358979 * 2.5 * t)));
  }
  return samples;
}

// Processor time of this thread, which other programs disturb least.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Seconds of computing for each second of audio: pushed in chunks, a pose drawn at 25 fps.
double real_time_factor(const std::shared_ptr<const VisemeNet>& net, NetDevice device, std::size_t chunk) {
  const std::vector<float> audio = syllables(20);
  const auto lips = LipSync::create(net, device);
  std::vector<double> rounds;
  double moved = 0.0;
  for (int round = 0; round < 7; ++round) {
    lips->reset();
    const double began = thread_seconds();
    double next = 0.0;
    for (std::size_t at = 0; at < audio.size(); at += chunk) {
      lips->push({audio.data() + at, std::min(chunk, audio.size() - at)});
      for (; next < lips->ready_until(); next += 0.04) moved += lips->at(next).weights[10];
    }
    lips->finish();
    rounds.push_back((thread_seconds() - began) * LipSync::kSampleRate / static_cast<double>(audio.size()));
  }
  if (!(moved >= 0.0)) std::fprintf(stderr, "poses are not numbers\n");
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

int run(const std::string& mode, const char* weights) {
  const auto net = VisemeNet::load(weights);
  if (mode == "speed") {
    std::printf("%-10s %12s %18s\n", "device", "chunk ms", "real-time factor");
    for (const auto& [name, device] : {std::pair("avx2", NetDevice::kAvx2), {"portable", NetDevice::kPortable}, {"cuda", NetDevice::kCuda}}) {
      for (const int chunk_ms : {10, 20, 100, 1000}) {
        try {
          const double factor = real_time_factor(net, device, static_cast<std::size_t>(chunk_ms) * 16);
          std::printf("%-10s %12d %18.5f\n", name, chunk_ms, factor);
        } catch (const std::exception& error) {
          std::printf("%-10s %12d %18s\n", name, chunk_ms, error.what());
        }
      }
    }
    return 0;
  }
  const bool poses = mode == "poses";
  if (!poses && mode != "posteriors") return 2;
  const std::vector<float> samples = read_pcm();
  const auto track = poses ? visavis::viseme_track(net, samples) : visavis::posterior_track(net, samples);
  const std::size_t written = std::fwrite(track.data(), sizeof(track[0]), track.size(), stdout);
  return written == track.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    try {
      const int code = run(argv[1], argv[2]);
      if (code != 2) return code;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "usage: net_bench speed|poses|posteriors WEIGHTS [< s16le 16 kHz mono]\n");
  return 2;
}
