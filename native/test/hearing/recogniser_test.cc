// The listener's thread, with a decoder whose words are the numbers pushed.
#include "visavis/hearing/recogniser.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"
#include "decoder.h"

using visavis::Decoder;
using visavis::HearingError;
using visavis::Recogniser;
using visavis::RecogniserEvent;
using Kind = visavis::RecogniserEvent::Kind;

namespace {

// Lets a test hold the decoder in the middle of its work.
class Gate {
 public:
  void shut() { set(false); }
  void open() { set(true); }
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void await_arrival(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }

 private:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int arrived_ = 0;
};

struct Ledger {
  Gate gate;
  std::atomic<int> speakers = 0;
  std::atomic<int> finished = 0;
  std::atomic<bool> freed = false;
};

// Says each sample that differs from the one before it; fails at a sample of -1.
class Parrot final : public Decoder {
 public:
  explicit Parrot(std::shared_ptr<Ledger> ledger) : kept_(std::move(ledger)), ledger_(*kept_) {}
  ~Parrot() override { ledger_.freed = true; }

  void accept(std::span<const std::int16_t> pcm) override {
    ledger_.gate.pass();
    for (const std::int16_t sample : pcm) {
      if (sample == -1) throw HearingError("the parrot is ill");
      if (sample == last_) continue;
      last_ = sample;
      if (!words_.empty()) words_ += ' ';
      words_ += std::to_string(sample);
    }
  }
  std::string words() override { return words_; }
  std::string finish() override {
    ++ledger_.finished;
    last_ = 0;
    return std::exchange(words_, "");
  }
  void abandon() override {
    words_.clear();
    last_ = 0;
  }
  void forget_speaker() override {
    ++ledger_.speakers;
    abandon();
  }

 private:
  const std::shared_ptr<Ledger> kept_;
  Ledger& ledger_;
  std::string words_;
  std::int16_t last_ = 0;
};

class Told {
 public:
  auto sink() {
    return [this](RecogniserEvent&& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }
  RecogniserEvent await(Kind kind, std::size_t which = 0) {
    std::unique_lock lock(mutex_);
    RecogniserEvent found;
    changed_.wait(lock, [&] {
      std::size_t seen = 0;
      for (const RecogniserEvent& event : events_) {
        if (event.kind != kind || seen++ != which) continue;
        found = event;
        return true;
      }
      return false;
    });
    return found;
  }
  std::size_t count(Kind kind) {
    const std::lock_guard lock(mutex_);
    std::size_t seen = 0;
    for (const RecogniserEvent& event : events_) seen += event.kind == kind ? 1 : 0;
    return seen;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecogniserEvent> events_;
};

std::unique_ptr<Recogniser> open(Ledger& ledger, Told& told) {
  // The test waits for the decoder, so that the ledger outlives it.
  const std::shared_ptr<Ledger> lent(std::shared_ptr<void>(), &ledger);
  return visavis::recognise_with([lent] { return std::make_unique<Parrot>(lent); }, told.sink());
}

std::vector<std::int16_t> saying(std::int16_t word, std::size_t samples = 160) {
  return std::vector<std::int16_t>(samples, word);
}

}  // namespace

CHECK_CASE("words are told as they change, and a turn settles into them") {
  Ledger ledger;
  Told told;
  const auto recogniser = open(ledger, told);
  CHECK(recogniser->push(saying(1)));
  CHECK(told.await(Kind::kHypothesis).text == "1");
  CHECK(recogniser->push(saying(1)));
  CHECK(recogniser->push(saying(2)));
  CHECK(told.await(Kind::kHypothesis, 1).text == "1 2");
  const std::uint64_t number = recogniser->settle();
  const RecogniserEvent settled = told.await(Kind::kSettled);
  CHECK(settled.text == "1 2" && settled.number == number);
  CHECK(recogniser->push(saying(3)));
  CHECK(told.await(Kind::kHypothesis, 2).text == "3");
  CHECK(recogniser->settle() == number + 1);
  CHECK(told.await(Kind::kSettled, 1).text == "3");
  CHECK(recogniser->settle() == number + 2);
  CHECK(told.await(Kind::kSettled, 2).text.empty());
  CHECK(told.count(Kind::kReady) == 1);
}

CHECK_CASE("a dropped turn is neither decoded nor told of, and what was settled before it stands") {
  Ledger ledger;
  ledger.gate.shut();
  Told told;
  const auto recogniser = open(ledger, told);
  recogniser->push(saying(1, 1'600));
  ledger.gate.await_arrival(1);
  recogniser->push(saying(2, 1'600));
  recogniser->settle();
  recogniser->push(saying(3, 16'000));
  recogniser->drop();
  recogniser->push(saying(4, 1'600));
  recogniser->settle();
  ledger.gate.open();
  CHECK(told.await(Kind::kSettled, 0).text == "1 2");
  CHECK(told.await(Kind::kSettled, 1).text == "4");
  CHECK(recogniser->dropped() == 1);
  for (std::size_t i = 0; i < told.count(Kind::kHypothesis); ++i) {
    const RecogniserEvent event = told.await(Kind::kHypothesis, i);
    CHECK(event.text.find('3') == std::string::npos);
    if (event.text == "4") CHECK(event.dropped == 1);
  }
}

CHECK_CASE("what is in hand when its turn is dropped goes no further") {
  Ledger ledger;
  ledger.gate.shut();
  Told told;
  const auto recogniser = open(ledger, told);
  recogniser->push(saying(1, 16'000));
  ledger.gate.await_arrival(1);
  recogniser->drop();
  recogniser->settle();
  ledger.gate.open();
  CHECK(told.await(Kind::kSettled).text.empty());
  // Only the chunk that was being decoded may still have been told of, marked as void.
  CHECK(told.count(Kind::kHypothesis) <= 1);
  if (told.count(Kind::kHypothesis) == 1) CHECK(told.await(Kind::kHypothesis).dropped == 0);
}

CHECK_CASE("another speaker is another beginning, also where the turn before is dropped after all") {
  Ledger ledger;
  Told told;
  const auto recogniser = open(ledger, told);
  told.await(Kind::kReady);
  recogniser->push(saying(1));
  recogniser->begin_speaker();
  recogniser->drop();
  recogniser->push(saying(2));
  recogniser->settle();
  CHECK(told.await(Kind::kSettled).text == "2");
  CHECK(ledger.speakers == 1);
}

CHECK_CASE("a very long turn is decoded in parts and settles whole") {
  Ledger ledger;
  Told told;
  const auto recogniser = open(ledger, told);
  std::string all;
  for (std::int16_t second = 1; second <= 70; ++second) {
    while (!recogniser->push(saying(second, 16'000))) std::this_thread::yield();
    all += (all.empty() ? "" : " ") + std::to_string(second);
  }
  recogniser->settle();
  CHECK(told.await(Kind::kSettled).text == all);
  CHECK(ledger.finished == 3);
}

CHECK_CASE("a decoder that falls behind is not given more than it is to hold") {
  Ledger ledger;
  ledger.gate.shut();
  Told told;
  const auto recogniser = open(ledger, told);
  recogniser->push(saying(1, 1'600));
  ledger.gate.await_arrival(1);
  CHECK(recogniser->push(saying(1, Recogniser::kMaxWaiting)));
  CHECK(!recogniser->push(saying(2, 1)));
  CHECK(recogniser->push({}));
  recogniser->drop();
  CHECK(recogniser->push(saying(3, Recogniser::kMaxWaiting)));
  recogniser->drop();
  ledger.gate.open();
}

CHECK_CASE("a decoder that does not load fails, and takes nothing") {
  Told told;
  const auto recogniser = visavis::recognise_with(
      []() -> std::unique_ptr<Decoder> { throw HearingError("no such parrot"); }, told.sink());
  CHECK(told.await(Kind::kFailed).text == "no such parrot");
  CHECK(!recogniser->push(saying(1)));
  recogniser->settle();
  recogniser->drop();
  CHECK(told.count(Kind::kReady) == 0);
}

CHECK_CASE("a decoder that fails while it runs says so once") {
  Ledger ledger;
  Told told;
  const auto recogniser = open(ledger, told);
  recogniser->push(saying(-1));
  CHECK(told.await(Kind::kFailed).text == "the parrot is ill");
  CHECK(told.count(Kind::kReady) == 1);
  CHECK(!recogniser->push(saying(1)));
}

CHECK_CASE("ending does not wait for what is still to be decoded, and frees the decoder") {
  Ledger ledger;
  ledger.gate.shut();
  Told told;
  auto recogniser = open(ledger, told);
  recogniser->push(saying(1, 320'000));
  ledger.gate.await_arrival(1);
  std::thread ending([&] { recogniser.reset(); });
  ledger.gate.open();
  ending.join();
  CHECK(ledger.freed);
  const std::size_t told_by_then = told.count(Kind::kHypothesis);
  CHECK(told_by_then <= 1);
  CHECK(told.count(Kind::kSettled) == 0);
}

CHECK_CASE("a turn that was settled is not told of as the next, though it is decoded after the drop") {
  for (const bool another : {false, true}) {
    Ledger ledger;
    ledger.gate.shut();
    Told told;
    const auto recogniser = open(ledger, told);
    recogniser->push(saying(1, 1'600));
    ledger.gate.await_arrival(1);
    recogniser->push(saying(2, 1'600));
    recogniser->settle();
    if (another) {
      recogniser->begin_speaker();
    } else {
      recogniser->drop();
    }
    ledger.gate.open();
    CHECK(told.await(Kind::kSettled).text == "1 2");
    CHECK(told.count(Kind::kHypothesis) == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(told.await(Kind::kHypothesis, i).dropped < recogniser->dropped());
  }
}

CHECK_CASE("words are never told of as another turn's, however often turns are dropped") {
  Ledger ledger;
  std::atomic<long> told = 0;
  std::atomic<long> wrong = 0;
  const std::shared_ptr<Ledger> lent(std::shared_ptr<void>(), &ledger);
  const auto recogniser =
      visavis::recognise_with([lent] { return std::make_unique<Parrot>(lent); }, [&](RecogniserEvent&& event) {
        if (event.kind != Kind::kHypothesis) return;
        ++told;
        if (event.text != std::to_string(event.dropped % 20'000 + 1)) ++wrong;
      });
  for (std::uint64_t turn = 0; turn < 60'000; ++turn) {
    recogniser->push(saying(static_cast<std::int16_t>(turn % 20'000 + 1), 1));
    if (turn % 7 == 0) std::this_thread::yield();
    for (std::uint64_t pause = turn * 7'919 % 900; pause > 0; --pause) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (turn % 3 == 0) {
      recogniser->begin_speaker();
    } else {
      recogniser->drop();
    }
  }
  CHECK(told > 0);
  CHECK(wrong == 0);
}

CHECK_CASE("ended while it loads, it is not waited for, tells nothing, and frees what it loaded") {
  for (const bool loads : {true, false}) {
    const auto ledger = std::make_shared<Ledger>();
    const auto loading = std::make_shared<Gate>();
    loading->shut();
    Told told;
    auto recogniser = visavis::recognise_with(
        [ledger, loading, loads]() -> std::unique_ptr<Decoder> {
          loading->pass();
          if (!loads) throw HearingError("no such parrot");
          return std::make_unique<Parrot>(ledger);
        },
        told.sink());
    loading->await_arrival(1);
    recogniser->push(saying(1));
    // The gate is still shut: this would never come back if it waited.
    recogniser.reset();
    loading->open();
    // The thread and all it held are gone.
    while (ledger.use_count() > 1) std::this_thread::yield();
    CHECK(ledger->freed == loads);
    CHECK(told.count(Kind::kReady) + told.count(Kind::kFailed) == 0);
  }
}

CHECK_CASE("ended at any moment of loading") {
  for (int i = 0; i < 200; ++i) {
    const auto ledger = std::make_shared<Ledger>();
    Told told;
    auto recogniser =
        visavis::recognise_with([ledger] { return std::make_unique<Parrot>(ledger); }, told.sink());
    recogniser->push(saying(1));
    if (i % 2 == 0) std::this_thread::yield();
    recogniser.reset();
    const std::size_t told_by_then = told.count(Kind::kReady) + told.count(Kind::kHypothesis);
    while (ledger.use_count() > 1) std::this_thread::yield();
    CHECK(ledger->freed);
    CHECK(told.count(Kind::kReady) + told.count(Kind::kHypothesis) == told_by_then);
  }
}

CHECK_MAIN
