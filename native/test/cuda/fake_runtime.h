// A card made of host memory, for the fallbacks that no machine shows on demand. Streams run late, as a card's do: what
// was asked for happens when somebody waits for it, or after an event was asked for several times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/device.h"

namespace visavis::check {

class FakeRuntime final : public cuda::Runtime {
 public:
  using Kind = cuda::DeviceErrorKind;

  // The call of this number (from 0, counted over all but releases) fails; a lost device fails all later ones too.
  void fail_at(int call, Kind kind) {
    const std::lock_guard lock(mutex_);
    fail_at_ = call;
    kind_ = kind;
    lost_ = false;
    calls_ = 0;
  }
  void never_fail() { fail_at(std::numeric_limits<int>::max(), Kind::kOther); }

  int calls() const { return locked(calls_); }
  bool failed() const { return locked(calls_) > locked(fail_at_); }
  // What a test expects to be nothing at the end.
  int alive() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(memory_.size() + streams_.size() + events_.size());
  }
  // How often an event answers "not yet" before what it waits for runs.
  void set_patience(int questions) {
    const std::lock_guard lock(mutex_);
    patience_ = questions;
  }
  int launches() const { return locked(launches_); }
  int waits() const { return locked(waits_); }  // Times that a thread was made to wait.

  cuda::Card card() override {
    const std::lock_guard lock(mutex_);
    count("card");
    return {"a card in host memory", std::size_t{1} << 30, 7, 5, 1};
  }
  // Not counted: only figures ask for it.
  std::size_t free_bytes() override {
    const std::lock_guard lock(mutex_);
    if (lost_) throw cuda::DeviceError(Kind::kLost, "free_bytes: lost, as the test asked");
    return std::size_t{1} << 30;
  }

  void* allocate(std::size_t bytes) override { return take(bytes, true); }
  void free(void* memory) noexcept override { give_back(memory); }
  void* allocate_pinned(std::size_t bytes) override { return take(bytes, false); }
  void free_pinned(void* memory) noexcept override { give_back(memory); }

  cuda::StreamHandle create_stream() override {
    const std::lock_guard lock(mutex_);
    count("create_stream");
    const auto id = ++next_;
    streams_[id];
    return reinterpret_cast<cuda::StreamHandle>(id);
  }
  void destroy(cuda::StreamHandle handle) noexcept override {
    const std::lock_guard lock(mutex_);
    if (!lost_) run_all(streams_.at(key(handle)));
    streams_.erase(key(handle));
  }
  cuda::EventHandle create_event(bool) override {
    const std::lock_guard lock(mutex_);
    count("create_event");
    const auto id = ++next_;
    events_[id];
    return reinterpret_cast<cuda::EventHandle>(id);
  }
  void destroy(cuda::EventHandle handle) noexcept override {
    const std::lock_guard lock(mutex_);
    events_.erase(key(handle));
  }

  void copy_to_device(void* to, const void* from, std::size_t bytes, cuda::StreamHandle stream) override {
    copy("copy_to_device", to, bytes, from, bytes, bytes, 1, stream, true, false);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, cuda::StreamHandle stream) override {
    copy("copy_to_host", to, bytes, from, bytes, bytes, 1, stream, false, true);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, cuda::StreamHandle stream) override {
    copy("copy_on_device", to, bytes, from, bytes, bytes, 1, stream, true, true);
  }
  void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                           std::size_t rows, cuda::StreamHandle stream) override {
    copy("copy_rows_on_device", to, to_pitch, from, from_pitch, bytes, rows, stream, true, true);
  }
  void fill(void* memory, int byte, std::size_t bytes, cuda::StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    count("fill");
    inside(memory, bytes, true);
    streams_.at(key(stream)).push_back([=] { std::memset(memory, byte, bytes); });
  }

  void launch(const cuda::Kernel& kernel, const void* arguments, std::size_t bytes,
              cuda::StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    count(kernel.name);
    ++launches_;
    const auto* begin = static_cast<const unsigned char*>(arguments);
    // Held in whole words, so that what is in it stays aligned.
    auto copy = std::make_shared<std::vector<std::max_align_t>>(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copy->data(), begin, bytes);
    streams_.at(key(stream)).push_back([run = kernel.on_host, copy] { run(copy->data()); });
  }

  void record(cuda::EventHandle event, cuda::StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    count("record");
    Event& told = events_.at(key(event));
    const std::uint64_t ticket = ++told.recorded;
    told.stream = key(stream);
    told.asked = 0;
    streams_.at(key(stream)).push_back([this, id = key(event), ticket] {
      if (const auto at = events_.find(id); at != events_.end()) at->second.passed = ticket;
    });
  }
  bool passed(cuda::EventHandle event) override {
    const std::lock_guard lock(mutex_);
    count("passed");
    Event& asked = events_.at(key(event));
    if (asked.passed < asked.recorded && asked.asked++ >= patience_) run_until(key(event), asked.recorded);
    return asked.passed == asked.recorded;
  }
  void wait(cuda::EventHandle event) override {
    const std::lock_guard lock(mutex_);
    count("wait");
    ++waits_;
    run_until(key(event), events_.at(key(event)).recorded);
  }
  void wait_on_stream(cuda::StreamHandle stream, cuda::EventHandle event) override {
    const std::lock_guard lock(mutex_);
    count("wait_on_stream");
    const std::uint64_t ticket = events_.at(key(event)).recorded;
    streams_.at(key(stream)).push_back([this, id = key(event), ticket] { run_until(id, ticket); });
  }
  void synchronize(cuda::StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    count("synchronize");
    ++waits_;
    run_all(streams_.at(key(stream)));
  }
  float milliseconds_between(cuda::EventHandle, cuda::EventHandle) override {
    const std::lock_guard lock(mutex_);
    count("milliseconds_between");
    return 0.01f;
  }

 private:
  using Work = std::deque<std::function<void()>>;
  struct Event {
    std::uint64_t recorded = 0, passed = 0;
    std::uintptr_t stream = 0;
    int asked = 0;
  };
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::size_t size = 0;
    bool device = false;
  };
  static constexpr std::size_t kAlignment = 256;

  template <typename T>
  static std::uintptr_t key(T handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
  }
  int locked(const int& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  void count(const char* what) {
    const int call = calls_++;
    if (call == fail_at_ && kind_ == Kind::kLost) {
      lost_ = true;
      for (auto& [stream, work] : streams_) work.clear();  // And nothing of it will ever run.
    }
    if (lost_) throw cuda::DeviceError(Kind::kLost, std::string(what) + ": lost, as the test asked");
    if (call == fail_at_) throw cuda::DeviceError(kind_, std::string(what) + ": refused, as the test asked");
  }

  void* take(std::size_t bytes, bool device) {
    const std::lock_guard lock(mutex_);
    count(device ? "allocate" : "allocate_pinned");
    if (bytes == 0) throw std::logic_error("no bytes were asked for");
    Block block{std::make_unique_for_overwrite<unsigned char[]>(bytes + kAlignment), bytes, device};
    std::memset(block.bytes.get(), 0xA5, bytes + kAlignment);  // Not cleared, as on a card.
    void* memory = block.bytes.get();
    std::size_t room = bytes + kAlignment;
    std::align(kAlignment, bytes, memory, room);
    memory_[key(memory)] = std::move(block);
    return memory;
  }
  void give_back(void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    memory_.erase(key(memory));
  }

  // A copy that leaves its buffer, or takes one side for the other, is a fault of ours and no refusal of the card's.
  void inside(const void* begin, std::size_t bytes, bool device) const {
    auto at = memory_.upper_bound(key(begin));
    if (at == memory_.begin()) throw std::logic_error("not this runtime's memory");
    --at;
    if (key(begin) + bytes > at->first + at->second.size) throw std::logic_error("past the end of a buffer");
    if (at->second.device != device) throw std::logic_error(device ? "not device memory" : "not pinned memory");
  }

  void copy(const char* what, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
            std::size_t bytes, std::size_t rows, cuda::StreamHandle stream, bool to_device, bool from_device) {
    const std::lock_guard lock(mutex_);
    count(what);
    if (bytes == 0 || rows == 0) return;
    inside(to, (rows - 1) * to_pitch + bytes, to_device);
    inside(from, (rows - 1) * from_pitch + bytes, from_device);
    streams_.at(key(stream)).push_back([=] {
      for (std::size_t row = 0; row < rows; ++row) {
        std::memmove(static_cast<unsigned char*>(to) + row * to_pitch,
                     static_cast<const unsigned char*>(from) + row * from_pitch, bytes);
      }
    });
  }

  static void run_one(Work& work) {
    const auto next = std::move(work.front());
    work.pop_front();
    next();
  }
  static void run_all(Work& work) {
    while (!work.empty()) run_one(work);
  }
  void run_until(std::uintptr_t event, std::uint64_t ticket) {
    while (true) {
      const auto at = events_.find(event);
      if (at == events_.end() || at->second.passed >= ticket) return;
      Work& work = streams_.at(at->second.stream);
      if (work.empty()) throw std::logic_error("an event that nothing will reach");
      run_one(work);
    }
  }

  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Block> memory_;
  std::map<std::uintptr_t, Work> streams_;
  std::map<std::uintptr_t, Event> events_;
  std::uintptr_t next_ = 0;
  int calls_ = 0;
  int fail_at_ = std::numeric_limits<int>::max();
  Kind kind_ = Kind::kOther;
  bool lost_ = false;
  int patience_ = 2;
  int launches_ = 0;
  int waits_ = 0;
};

}  // namespace visavis::check
