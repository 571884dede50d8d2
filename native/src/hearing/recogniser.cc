#include "visavis/hearing/recogniser.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "decoder.h"

namespace visavis {
namespace {

// As much as is decoded before the thread looks up again: close() and drop() wait no longer than this takes.
constexpr std::size_t kChunk = Recogniser::kSampleRate / 10;

// The decoder's memory grows with an utterance, and the time to end it too: a longer turn is decoded in parts.
constexpr std::size_t kMaxUtterance = 30 * Recogniser::kSampleRate;

struct Order {
  enum class Kind { kDecode, kSettle, kDrop, kBeginSpeaker };
  Kind kind = Kind::kDecode;
  std::vector<std::int16_t> pcm{};  // kDecode.
  std::uint64_t dropped = 0;        // kDecode: how often turns had been dropped when it was pushed.
  std::uint64_t number = 0;         // kSettle.
};

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ' ' + second;
}

// What a listener shares with its thread, which outlives it where it ends while the model is still being loaded.
class Work {
 public:
  Work(std::function<std::unique_ptr<Decoder>()> load, std::function<void(RecogniserEvent&&)> sink)
      : load_(std::move(load)), sink_(std::move(sink)) {}

  // The thread's whole life.
  void run() {
    try {
      decoder_ = load_();
      if (begin()) {
        sink_({.kind = RecogniserEvent::Kind::kReady});
        while (next()) {
        }
      }
    } catch (const std::exception& error) {
      if (fail()) sink_({.kind = RecogniserEvent::Kind::kFailed, .text = error.what()});
    }
    // Freed where it was made.
    decoder_.reset();
  }

  // False while the thread is still loading: it calls no sink any more, and ends by itself.
  bool stop() {
    bool loaded = false;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      loaded = loaded_;
    }
    changed_.notify_one();
    return loaded;
  }

  bool push(std::span<const std::int16_t> pcm, std::uint64_t dropped) {
    if (pcm.empty()) return true;
    {
      const std::lock_guard lock(mutex_);
      if (failed_ || waiting_ + pcm.size() > Recogniser::kMaxWaiting) return false;
      waiting_ += pcm.size();
      // Small pushes are joined, so that the thread wakes to a chunk's worth where it is behind. A dropped turn's
      // are not among them: what drops it comes between.
      Order* const last = orders_.empty() ? nullptr : &orders_.back();
      if (last != nullptr && last->kind == Order::Kind::kDecode && last->pcm.size() + pcm.size() <= kChunk) {
        last->pcm.insert(last->pcm.end(), pcm.begin(), pcm.end());
      } else {
        orders_.push_back({.kind = Order::Kind::kDecode, .pcm = {pcm.begin(), pcm.end()}, .dropped = dropped});
      }
    }
    changed_.notify_one();
    return true;
  }

  void settle(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back({.kind = Order::Kind::kSettle, .number = number});
    }
    changed_.notify_one();
  }

  // What waits of this turn need not be decoded any more.
  void forget_waiting(Order::Kind instead) {
    {
      const std::lock_guard lock(mutex_);
      while (!orders_.empty() && orders_.back().kind != Order::Kind::kSettle) {
        waiting_ -= orders_.back().pcm.size();
        // Forgetting the speaker includes forgetting the turn.
        if (orders_.back().kind == Order::Kind::kBeginSpeaker) instead = Order::Kind::kBeginSpeaker;
        orders_.pop_back();
      }
      // What the thread has in hand then belongs to this turn too.
      if (orders_.empty()) in_hand_void_ = true;
      orders_.push_back({.kind = instead});
    }
    changed_.notify_one();
  }

 private:
  // Loaded. False when the listener has ended meanwhile.
  bool begin() {
    const std::lock_guard lock(mutex_);
    loaded_ = true;
    return !stopping_;
  }

  // False when the listener ended while the model was being loaded.
  bool fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    orders_.clear();
    waiting_ = 0;
    return std::exchange(loaded_, true) || !stopping_;
  }

  // False once the listener is to end.
  bool next() {
    Order order;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !orders_.empty(); });
      if (stopping_) return false;
      order = std::move(orders_.front());
      orders_.pop_front();
      waiting_ -= order.pcm.size();
      in_hand_void_ = false;
    }
    switch (order.kind) {
      case Order::Kind::kDecode:
        return decode(order.pcm, order.dropped);
      case Order::Kind::kSettle: {
        std::string text = joined(before_, decoder_->finish());
        begin_turn();
        sink_({.kind = RecogniserEvent::Kind::kSettled, .text = std::move(text), .number = order.number});
        return true;
      }
      case Order::Kind::kDrop:
        decoder_->abandon();
        break;
      case Order::Kind::kBeginSpeaker:
        decoder_->forget_speaker();
        break;
    }
    begin_turn();
    return true;
  }

  bool decode(std::span<const std::int16_t> pcm, std::uint64_t dropped) {
    while (!pcm.empty()) {
      if (stopping_) return false;
      if (in_hand_void_) return true;
      const auto chunk = pcm.first(std::min(kChunk, pcm.size()));
      pcm = pcm.subspan(chunk.size());
      decoder_->accept(chunk);
      decoded_ += chunk.size();
      if (decoded_ >= kMaxUtterance) {
        before_ = joined(before_, decoder_->finish());
        decoded_ = 0;
      }
      std::string text = joined(before_, decoder_->words());
      if (text == told_) continue;
      told_ = text;
      sink_({.kind = RecogniserEvent::Kind::kHypothesis, .text = std::move(text), .dropped = dropped});
    }
    return true;
  }

  void begin_turn() {
    before_.clear();
    told_.clear();
    decoded_ = 0;
  }

  const std::function<std::unique_ptr<Decoder>()> load_;
  const std::function<void(RecogniserEvent&&)> sink_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Order> orders_;
  std::size_t waiting_ = 0;
  bool loaded_ = false;  // Or failed to be.
  bool failed_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> in_hand_void_ = false;

  // The thread's own.
  std::unique_ptr<Decoder> decoder_;
  std::string before_;  // Words of the turn's finished parts.
  std::string told_;
  std::size_t decoded_ = 0;  // Samples of the utterance.
};

class Listener final : public Recogniser {
 public:
  Listener(std::function<std::unique_ptr<Decoder>()> load, std::function<void(RecogniserEvent&&)> sink)
      : work_(std::make_shared<Work>(std::move(load), std::move(sink))), thread_([work = work_] { work->run(); }) {}

  ~Listener() override {
    // Loading cannot be cut short, and whoever ends the listener does not wait for it.
    if (work_->stop()) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

  bool push(std::span<const std::int16_t> pcm) override { return work_->push(pcm, dropped_); }

  std::uint64_t settle() override {
    work_->settle(++settles_);
    return settles_;
  }

  void drop() override {
    ++dropped_;
    work_->forget_waiting(Order::Kind::kDrop);
  }

  void begin_speaker() override {
    ++dropped_;
    work_->forget_waiting(Order::Kind::kBeginSpeaker);
  }

  std::uint64_t dropped() const override { return dropped_; }

 private:
  // The caller's own; the thread gets them with each order.
  std::uint64_t dropped_ = 0;
  std::uint64_t settles_ = 0;

  const std::shared_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace

bool Recogniser::available() { return have_decoder(); }

std::unique_ptr<Recogniser> Recogniser::open(RecogniserConfig config, std::function<void(RecogniserEvent&&)> sink) {
  return recognise_with([dir = std::move(config.model_dir)] { return load_decoder(dir); }, std::move(sink));
}

std::unique_ptr<Recogniser> recognise_with(std::function<std::unique_ptr<Decoder>()> load,
                                           std::function<void(RecogniserEvent&&)> sink) {
  return std::make_unique<Listener>(std::move(load), std::move(sink));
}

}  // namespace visavis
