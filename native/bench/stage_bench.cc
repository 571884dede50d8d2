// What a live Stage costs: the share of one core while it speaks, and how soon a clause is heard.
//
//   stage_bench AVATAR_DIR WEIGHTS PCM [SECONDS]
//
// PCM: s16le mono 22.05 kHz speech, said over and over. The Stage runs on the real clock with the real face, net and
// encoders. What it costs is the whole process's processor time for each second of video that went out, so that frames
// dropped on a busy machine do not look like savings. Beside it: libx264 superfast, in the same run, which encodes the
// same frames and does nothing else; and aiortc's H.264 server, which took 50 % of a core at 512x512 and 25 fps. A line
// that begins with {"row" is the figure for the table of floors.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "encode_peers.h"
#include "visavis/face/renderer.h"
#include "visavis/stage/stage.h"

namespace {

using Clock = std::chrono::steady_clock;
using visavis::MediaPacket;
using visavis::StageEvent;

constexpr int kRate = 22'050;
// What may be spent on a talking face of 1280x720.
constexpr double kMostOfACore = 100;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<std::int16_t> read_pcm(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) throw std::runtime_error(std::string(path) + " cannot be read");
  std::vector<std::int16_t> samples;
  std::int16_t block[4'096];
  for (std::size_t count; (count = std::fread(block, sizeof block[0], std::size(block), file)) > 0;) {
    samples.insert(samples.end(), block, block + count);
  }
  std::fclose(file);
  if (samples.empty()) throw std::runtime_error(std::string(path) + " holds no sound");
  return samples;
}

struct Watch {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<int> ended = 0;
  std::atomic<bool> waiting_for_speech = false;
  std::atomic<Clock::rep> first_speech = 0;
};

// Percent of one core, were every frame on time.
double share(double cpu, std::uint64_t frames) {
  return 100 * cpu * visavis::bench::kFps / static_cast<double>(std::max<std::uint64_t>(1, frames));
}

// Frames of the avatar while it speaks, ten seconds of them, and what a plain encoder asks for them; 0 without libx264.
double encoder_alone([[maybe_unused]] const std::shared_ptr<const visavis::Avatar>& avatar) {
#ifdef VISAVIS_BENCH_X264
  constexpr int kFrames = 10 * visavis::bench::kFps;
  const auto renderer = visavis::FaceRenderer::create(avatar);
  const auto encoder = visavis::bench::make_x264_peer("superfast", avatar->width(), avatar->height());
  visavis::I420Frame frame(avatar->width(), avatar->height());
  double busy = 0;
  for (int i = 0; i < kFrames; ++i) {
    visavis::MouthPose pose;
    const auto viseme = static_cast<std::size_t>(1 + i / 3 % static_cast<int>(visavis::kVisemeCount - 1));
    pose.weights[viseme] = 0.5f + 0.25f * static_cast<float>(i % 3);
    pose.loudness = 0.7f;
    renderer->render(i % avatar->frame_count(), pose, frame.view());
    const double began = cpu_seconds();
    encoder->encode(frame.view());
    busy += cpu_seconds() - began;
  }
  return share(busy, kFrames);
#else
  return 0;
#endif
}

void run(int argc, char** argv) {
  const auto pcm = read_pcm(argv[3]);
  const int seconds = argc > 4 ? std::max(2, std::atoi(argv[4])) : 20;
  Watch watch;
  visavis::StageConfig config;
  config.avatar = visavis::Avatar::load(argv[1]);
  config.net = visavis::VisemeNet::load(argv[2]);
  visavis::StageSink sink;
  sink.on_packet = [&](MediaPacket&& packet) {
    watch.bytes += packet.data.size();
    if (packet.speech && watch.waiting_for_speech.exchange(false)) {
      watch.first_speech = Clock::now().time_since_epoch().count();
    }
  };
  sink.on_event = [&](const StageEvent& event) {
    watch.ended += event.kind == StageEvent::Kind::kUtteranceEnded ? 1 : 0;
    if (event.kind == StageEvent::Kind::kFailed) std::fprintf(stderr, "failed: %s\n", event.message.c_str());
  };
  const auto stage = visavis::Stage::create(config, sink);

  std::printf("%dx%d\n", config.avatar->width(), config.avatar->height());
  std::uint64_t frames = stage->stats().frames;
  double cpu = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(5));
  std::printf("idle      %5.1f %% of a core\n", share(cpu_seconds() - cpu, stage->stats().frames - frames));

  std::vector<double> latencies;
  for (int i = 0; i < 20; ++i) {
    const int ended = watch.ended;
    watch.waiting_for_speech = true;
    const auto pushed = Clock::now();
    const std::uint64_t utterance = stage->begin_utterance();
    stage->push_audio(utterance, pcm, kRate);
    stage->end_utterance(utterance);
    while (watch.waiting_for_speech) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const Clock::time_point heard{Clock::duration(watch.first_speech.load())};
    latencies.push_back(std::chrono::duration<double, std::milli>(heard - pushed).count());
    stage->interrupt();
    while (watch.ended == ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * i % 20));
  }
  std::sort(latencies.begin(), latencies.end());
  std::printf("clause pushed -> first speech packet: median %.1f ms, worst %.1f ms\n", latencies[latencies.size() / 2],
              latencies.back());

  const double clip_seconds = static_cast<double>(pcm.size()) / kRate;
  const std::uint64_t bytes = watch.bytes;
  const Clock::time_point began = Clock::now();
  frames = stage->stats().frames;
  cpu = cpu_seconds();
  for (double queued = 0; queued < seconds + 1; queued += clip_seconds) {
    const std::uint64_t utterance = stage->begin_utterance();
    stage->push_audio(utterance, pcm, kRate);
    stage->end_utterance(utterance);
  }
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const auto wall = Clock::now() - began;
  const double spent = cpu_seconds() - cpu;
  const visavis::StageStats stats = stage->stats();
  const double speaking = share(spent, stats.frames - frames);
  std::printf("speaking  %5.1f %% of a core\n", speaking);
  std::printf("%.1f fps, %llu dropped, %llu underruns, %.0f kbit/s with sound\n", stats.fps,
              static_cast<unsigned long long>(stats.dropped_frames), static_cast<unsigned long long>(stats.underruns),
              static_cast<double>(watch.bytes - bytes) * 8 / 1000 / std::chrono::duration<double>(wall).count());
  std::printf("frame  p50 %.2f  p95 %.2f  p99 %.2f ms\n", stats.frame_ms.p50, stats.frame_ms.p95, stats.frame_ms.p99);
  std::printf("encode p50 %.2f  p95 %.2f  p99 %.2f ms (%s; warp %s, net %s)\n", stats.encode_ms.p50,
              stats.encode_ms.p95, stats.encode_ms.p99, stats.encoder.c_str(), stats.warp_device.c_str(),
              stats.net_device.c_str());
  stage->interrupt();
  const double peer = encoder_alone(config.avatar);
  if (peer > 0) std::printf("libx264 superfast alone, the same frames: %.1f %% of a core\n", peer);
  const int width = config.avatar->width(), height = config.avatar->height();
  std::printf("{\"row\":\"stage\",\"name\":\"stage, %dx%d at 25 fps, speaking\"", width, height);
  std::printf(",\"value\":%.1f,\"unit\":\"%% of a core\"", speaking);
  if (width == 1280 && height == 720) std::printf(",\"atMost\":%.0f", kMostOfACore);
  if (peer > 0) std::printf(",\"peer\":\"x264 superfast alone\",\"peerValue\":%.1f", peer);
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: stage_bench AVATAR_DIR WEIGHTS PCM [SECONDS]\n");
    return 2;
  }
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stage_bench: %s\n", error.what());
    return 1;
  }
}
