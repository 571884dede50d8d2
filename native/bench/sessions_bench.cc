// Many sessions on one card: the time from a session's wish for a frame until it is drawn, sound and all.
//
//   sessions_bench WEIGHTS [SECONDS [SESSIONS [WIDTH HEIGHT]]]
//
// Each session has a thread, a stream and 25 frames a second, spread evenly over each frame's 40 ms. For a frame it
// hands 40 ms of sound to the viseme net, asks for the pose, has the picture drawn in the card's memory and waits until
// it is there. Prints rows of a markdown table: on the card, and as its peer the same on the processor. Without a card
// it says so and ends well; with one the exit status is 1 where the 99th percentile on the card is 5 ms or more.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "canvas.h"
#include "cuda/gpu_session.h"
#include "drawn_face.h"
#include "visavis/face/renderer.h"
#include "visavis/speech/lip_sync.h"

namespace {

using namespace visavis;
using Clock = std::chrono::steady_clock;

constexpr int kFps = 25;
constexpr auto kPeriod = std::chrono::microseconds(1'000'000 / kFps);
constexpr double kMostMs = 5;
constexpr double kBehindSeconds = 0.2;  // How far the picture follows the sound that was handed over.

struct Options {
  std::string weights;
  int seconds = 10, sessions = 64, width = 1280, height = 720;
};

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Forty milliseconds of something that changes like speech.
std::vector<float> sound(int frame) {
  std::vector<float> samples(LipSync::kSampleRate / kFps);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = frame / static_cast<double>(kFps) + static_cast<double>(i) / LipSync::kSampleRate;
    const double pitch = 140 + 40 * std::sin(2.1 * t), loud = 0.5 + 0.5 * std::sin(19 * t);
    samples[i] = static_cast<float>(0.3 * loud * (std::sin(6.28 * pitch * t) + 0.5 * std::sin(6.28 * 5.3 * pitch * t)));
  }
  return samples;
}

// Everything one session holds.
class Session {
 public:
  Session(const std::shared_ptr<const Avatar>& avatar, const std::shared_ptr<const VisemeNet>& net,
          const std::shared_ptr<cuda::Runtime>& card)
      : frames_(avatar->frame_count()), picture_(avatar->width(), avatar->height()) {
    if (card) {
      gpu_ = std::make_shared<GpuSession>(card);
      canvas_ = std::make_unique<bench::Canvas>(card, avatar->width(), avatar->height());
      drawn_ = cuda::Event(card);
    }
    renderer_ = FaceRenderer::create(avatar, gpu_);
    lips_ = LipSync::create(net, NetDevice::kAuto, gpu_);
  }

  void frame(int number) {
    lips_->push(sound(number));
    const MouthPose pose = lips_->at(heard_++ / static_cast<double>(kFps) - kBehindSeconds);
    if (!gpu_ || !renderer_->render_on_gpu(number % frames_, pose, canvas_->picture)) {
      return renderer_->render(number % frames_, pose, picture_.view());
    }
    gpu_->stream().record(drawn_);
    drawn_.wait();
  }

  std::string left() const { return gpu_ ? gpu_->why_left() : ""; }

 private:
  int frames_;
  int heard_ = 0;  // Frames' sounds, since this session began.
  I420Frame picture_;
  std::shared_ptr<GpuSession> gpu_;
  std::unique_ptr<bench::Canvas> canvas_;  // Ends after the renderer that draws into it.
  cuda::Event drawn_;
  std::unique_ptr<FaceRenderer> renderer_;
  std::unique_ptr<LipSync> lips_;
};

double rank(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// False where a frame took too long.
bool run(const Options& options, const std::shared_ptr<const Avatar>& avatar,
         const std::shared_ptr<const VisemeNet>& net, const std::shared_ptr<cuda::Runtime>& card) {
  const auto count = static_cast<std::size_t>(options.sessions);
  std::vector<std::unique_ptr<Session>> sessions;
  for (std::size_t i = 0; i < count; ++i) sessions.push_back(std::make_unique<Session>(avatar, net, card));
  // All of the loop has gone up by then, and what runs for the first time has run.
  for (int i = 0; i < avatar->frame_count(); ++i) sessions.front()->frame(i);
  const int first = avatar->frame_count(), last = first + options.seconds * kFps;
  for (std::size_t i = 1; i < count; ++i) {
    for (int k = first - kFps; k < first; ++k) sessions[i]->frame(k);
  }
  std::vector<std::vector<double>> spent(count);
  const double cpu = process_seconds();
  const Clock::time_point zero = Clock::now() + std::chrono::milliseconds(100);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        for (int number = first; number < last; ++number) {
          std::this_thread::sleep_until(zero + (number - first) * kPeriod + i * kPeriod / count);
          const Clock::time_point began = Clock::now();
          sessions[i]->frame(number);
          spent[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
        }
      });
    }
  }
  const double cpu_ms = 1e3 * (process_seconds() - cpu) / static_cast<double>(count) / (last - first);
  std::vector<double> all;
  for (const auto& list : spent) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  std::string left;
  for (const auto& session : sessions) left = left.empty() ? session->left() : left;
  const double p99 = rank(all, 0.99);
  std::printf("| %d sessions of %dx%d, warp and net %s, 25 frames a second each | p50 %.2f ms, p99 %.2f ms, "
              "most %.2f ms, %.2f ms of processor time a frame%s%s | %s |\n",
              options.sessions, options.width, options.height, card ? "on the card" : "on the processor",
              rank(all, 0.5), p99, all.back(), cpu_ms, left.empty() ? "" : "; left the card: ", left.c_str(),
              card ? "p99 under 5 ms" : "");
  std::fflush(stdout);
  const bool met = p99 < kMostMs && left.empty();
  return met || !card;
}

bool positive(const char* word, int& value) { return (value = std::atoi(word)) > 0; }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool usable = argc >= 2 && argc != 5 && argc <= 6;
  if (usable) options.weights = argv[1];
  if (usable && argc > 2) usable = positive(argv[2], options.seconds);
  if (usable && argc > 3) usable = positive(argv[3], options.sessions);
  if (usable && argc > 5) usable = positive(argv[4], options.width) && positive(argv[5], options.height);
  if (!usable) {
    std::fprintf(stderr, "usage: sessions_bench WEIGHTS [SECONDS [SESSIONS [WIDTH HEIGHT]]]\n");
    return 2;
  }
  try {
    const cuda::Gpu gpu = cuda::open_gpu();
    if (!gpu.runtime) {
      std::printf("no NVIDIA device: not measured (%s)\n", gpu.why_not.c_str());
      return 0;
    }
    const auto net = VisemeNet::load(options.weights);
    const test::TempDir dir;
    const test::DrawnFace face =
        test::draw_face(options.width, options.height, test::Expression::kNeutral, 0.3f);
    build_avatar(test::options_for(face, dir.path()));
    const auto avatar = Avatar::load(dir.path());
    const bool met = run(options, avatar, net, gpu.runtime);
    run(options, avatar, net, nullptr);
    return met ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sessions_bench: %s\n", error.what());
    return 1;
  }
}
