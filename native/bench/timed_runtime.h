// A card that times its kernels by its own clock, each with cold caches, as between the sessions of a busy card. What
// it is asked before keeps it so busy that no launch comes late and counts as time.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cuda/device.h"

namespace visavis::bench {

class TimedRuntime final : public cuda::Runtime {
 public:
  static constexpr std::size_t kColdBytes = std::size_t{256} << 20;  // More than any card's caches hold.

  explicit TimedRuntime(std::shared_ptr<cuda::Runtime> card)
      : card_(std::move(card)), cold_(card_, kColdBytes), begin_(card_, true), end_(card_, true) {}

  // Microseconds of one launch, for every launch since the last call.
  std::vector<double> take_microseconds() { return std::exchange(microseconds_, {}); }

  cuda::Card card() override { return card_->card(); }
  std::size_t free_bytes() override { return card_->free_bytes(); }
  void* allocate(std::size_t bytes) override { return card_->allocate(bytes); }
  void free(void* device) noexcept override { card_->free(device); }
  void* allocate_pinned(std::size_t bytes) override { return card_->allocate_pinned(bytes); }
  void free_pinned(void* host) noexcept override { card_->free_pinned(host); }
  cuda::StreamHandle create_stream() override { return card_->create_stream(); }
  void destroy(cuda::StreamHandle stream) noexcept override { card_->destroy(stream); }
  cuda::EventHandle create_event(bool timed) override { return card_->create_event(timed); }
  void destroy(cuda::EventHandle event) noexcept override { card_->destroy(event); }
  void copy_to_device(void* device, const void* pinned, std::size_t bytes, cuda::StreamHandle stream) override {
    card_->copy_to_device(device, pinned, bytes, stream);
  }
  void copy_to_host(void* pinned, const void* device, std::size_t bytes, cuda::StreamHandle stream) override {
    card_->copy_to_host(pinned, device, bytes, stream);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, cuda::StreamHandle stream) override {
    card_->copy_on_device(to, from, bytes, stream);
  }
  void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                           std::size_t rows, cuda::StreamHandle stream) override {
    card_->copy_rows_on_device(to, to_pitch, from, from_pitch, bytes, rows, stream);
  }
  void fill(void* device, int byte, std::size_t bytes, cuda::StreamHandle stream) override {
    card_->fill(device, byte, bytes, stream);
  }
  void launch(const cuda::Kernel& kernel, const void* arguments, std::size_t bytes,
              cuda::StreamHandle stream) override {
    card_->fill(cold_.get(), 0, cold_.bytes(), stream);
    card_->record(begin_.get(), stream);
    card_->launch(kernel, arguments, bytes, stream);
    card_->record(end_.get(), stream);
    card_->wait(end_.get());
    microseconds_.push_back(1e3 * card_->milliseconds_between(begin_.get(), end_.get()));
  }
  void record(cuda::EventHandle event, cuda::StreamHandle stream) override { card_->record(event, stream); }
  bool passed(cuda::EventHandle event) override { return card_->passed(event); }
  void wait(cuda::EventHandle event) override { card_->wait(event); }
  void wait_on_stream(cuda::StreamHandle stream, cuda::EventHandle event) override {
    card_->wait_on_stream(stream, event);
  }
  void synchronize(cuda::StreamHandle stream) override { card_->synchronize(stream); }
  float milliseconds_between(cuda::EventHandle begin, cuda::EventHandle end) override {
    return card_->milliseconds_between(begin, end);
  }

 private:
  std::shared_ptr<cuda::Runtime> card_;
  cuda::DeviceBuffer cold_;
  cuda::Event begin_, end_;
  std::vector<double> microseconds_;
};

}  // namespace visavis::bench
