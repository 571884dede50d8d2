// The real decoder and its model hear eSpeak NG say sentences that both manage.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "check.h"
#include "visavis/hearing/recogniser.h"

using visavis::Recogniser;
using visavis::RecogniserEvent;
using Kind = visavis::RecogniserEvent::Kind;

namespace {

constexpr std::size_t kPause = Recogniser::kSampleRate / 3;

// 16 kHz, with a little silence on both sides, as a listener passes it on.
std::vector<std::int16_t> said(const std::string& sentence) {
  const std::string command = "espeak-ng -v en-us -s 150 --stdout '" + sentence + "'";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("espeak-ng does not start");
  std::vector<char> bytes;
  char block[4'096];
  while (const std::size_t count = std::fread(block, 1, sizeof block, pipe)) {
    bytes.insert(bytes.end(), block, block + count);
  }
  constexpr std::size_t header = 44;
  if (pclose(pipe) != 0 || bytes.size() < header + 2) throw std::runtime_error("espeak-ng said nothing");
  std::int32_t rate = 0;
  std::memcpy(&rate, bytes.data() + 24, sizeof rate);
  std::vector<std::int16_t> samples((bytes.size() - header) / 2);
  std::memcpy(samples.data(), bytes.data() + header, samples.size() * 2);

  std::vector<std::int16_t> resampled(kPause);
  const double step = static_cast<double>(rate) / Recogniser::kSampleRate;
  for (double at = 0; at + 1 < static_cast<double>(samples.size()); at += step) {
    const auto left = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(left);
    resampled.push_back(static_cast<std::int16_t>(samples[left] * (1 - share) + samples[left + 1] * share));
  }
  resampled.resize(resampled.size() + kPause);
  return resampled;
}

class Told {
 public:
  auto sink() {
    return [this](RecogniserEvent&& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }
  // The next event of the kind, or the first failure.
  RecogniserEvent await(Kind kind) {
    std::unique_lock lock(mutex_);
    for (;; ++read_) {
      changed_.wait(lock, [this] { return read_ < events_.size(); });
      const RecogniserEvent& event = events_[read_];
      if (event.kind != kind && event.kind != Kind::kFailed) continue;
      ++read_;
      return event;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecogniserEvent> events_;
  std::size_t read_ = 0;
};

std::string heard(Recogniser& recogniser, Told& told, const std::vector<std::int16_t>& speech) {
  for (std::size_t at = 0; at < speech.size(); at += 320) {
    recogniser.push(std::span(speech).subspan(at, std::min<std::size_t>(320, speech.size() - at)));
  }
  recogniser.settle();
  return told.await(Kind::kSettled).text;
}

}  // namespace

CHECK_CASE("speech becomes words, turn after turn") {
  Told told;
  const auto recogniser = Recogniser::open({}, told.sink());
  const RecogniserEvent first = told.await(Kind::kReady);
  CHECK(first.text.empty());
  CHECK(heard(*recogniser, told, said("i want to go to london")) == "I want to go to london");
  CHECK(heard(*recogniser, told, said("open the door please")) == "open the door please");
  CHECK(heard(*recogniser, told, said("we are going to the airport tomorrow")) ==
        "we are going to the airport tomorrow");
  CHECK(heard(*recogniser, told, {}).empty());
}

CHECK_CASE("partial words come while somebody speaks") {
  Told told;
  const auto recogniser = Recogniser::open({}, told.sink());
  const auto speech = said("we are going to the airport tomorrow");
  recogniser->push(std::span(speech).first(speech.size() / 2));
  std::string partial;
  while (partial.find("we are going") == std::string::npos) {
    const RecogniserEvent event = told.await(Kind::kHypothesis);
    partial = event.text;
    CHECK(event.kind == Kind::kHypothesis);
    if (event.kind == Kind::kFailed) return;
  }
  recogniser->drop();
  CHECK(heard(*recogniser, told, {}).empty());
}

CHECK_CASE("silence, a click and a single sample are no words, and do no harm") {
  Told told;
  const auto recogniser = Recogniser::open({}, told.sink());
  CHECK(heard(*recogniser, told, {1}).empty());
  CHECK(heard(*recogniser, told, std::vector<std::int16_t>(200)).empty());
  CHECK(heard(*recogniser, told, std::vector<std::int16_t>(16'000)).empty());
  heard(*recogniser, told, std::vector<std::int16_t>(8'000, 32'767));
  recogniser->begin_speaker();
  CHECK(heard(*recogniser, told, said("i want to go to london")) == "I want to go to london");
}

CHECK_CASE("another speaker is heard as the first one was") {
  Told told;
  const auto recogniser = Recogniser::open({}, told.sink());
  const auto speech = said("is there anybody at home who could help me");
  auto loud = speech;
  for (auto& sample : loud) sample = static_cast<std::int16_t>(sample / 40);
  const std::string fresh = heard(*recogniser, told, speech);
  for (int i = 0; i < (visavis::check::kSanitized ? 1 : 3); ++i) heard(*recogniser, told, loud);
  recogniser->begin_speaker();
  CHECK(!fresh.empty());
  CHECK(heard(*recogniser, told, speech) == fresh);
}

CHECK_CASE("a model that is missing or in part is an error that says which file") {
  const auto dir = std::filesystem::temp_directory_path() / "visavis-hearing-test";
  std::filesystem::remove_all(dir);
  {
    Told told;
    const auto recogniser = Recogniser::open({.model_dir = dir}, told.sink());
    const RecogniserEvent event = told.await(Kind::kReady);
    CHECK(event.kind == Kind::kFailed);
    CHECK(event.text == "the speech model lacks " + (dir / "en-us").string());
  }
  std::filesystem::create_directories(dir / "en-us");
  for (const char* part : {"feat.params", "mdef", "means", "noisedict", "transition_matrices", "variances"}) {
    std::ofstream(dir / "en-us" / part) << "not a model\n";
  }
  {
    Told told;
    const auto recogniser = Recogniser::open({.model_dir = dir}, told.sink());
    const RecogniserEvent event = told.await(Kind::kReady);
    CHECK(event.kind == Kind::kFailed);
    CHECK(event.text == "the speech model lacks " + (dir / "en-us.lm.bin").string());
  }
  std::filesystem::remove_all(dir);
}

int main(int argc, char** argv) {
  if (!Recogniser::available()) {
    std::puts("skipped: this build has no PocketSphinx");
    return 77;
  }
  {
    Told told;
    const auto recogniser = Recogniser::open({}, told.sink());
    const RecogniserEvent event = told.await(Kind::kReady);
    if (event.kind == Kind::kFailed && event.text.starts_with("the speech model lacks")) {
      std::printf("skipped: %s (Debian: pocketsphinx-en-us)\n", event.text.c_str());
      return 77;
    }
  }
  return visavis::check::run(argc, argv);
}
