// A first-in first-out buffer of fixed capacity; allocates once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace visavis {

// Not thread-safe: whoever shares one brings the lock.
template <typename T>
class RingBuffer {
 public:
  explicit RingBuffer(std::size_t capacity) : items_(capacity) {}

  std::size_t size() const { return size_; }
  std::size_t room() const { return items_.size() - size_; }
  std::size_t capacity() const { return items_.size(); }

  void clear() {
    head_ = 0;
    size_ = 0;
  }

  // Appends as many of `items` as there is room for; returns how many.
  std::size_t write(std::span<const T> items) {
    const std::size_t count = std::min(items.size(), room());
    const std::size_t tail = wrap(head_ + size_);
    const std::size_t first = std::min(count, items_.size() - tail);
    std::copy_n(items.begin(), first, items_.begin() + tail);
    std::copy_n(items.begin() + first, count - first, items_.begin());
    size_ += count;
    return count;
  }

  // Takes the oldest items, as many as `out` holds or the buffer has; returns how many.
  std::size_t read(std::span<T> out) {
    const std::size_t count = std::min(out.size(), size_);
    const std::size_t first = std::min(count, items_.size() - head_);
    std::copy_n(items_.begin() + head_, first, out.begin());
    std::copy_n(items_.begin(), count - first, out.begin() + first);
    head_ = wrap(head_ + count);
    size_ -= count;
    return count;
  }

 private:
  std::size_t wrap(std::size_t index) const { return index >= items_.size() ? index - items_.size() : index; }

  std::vector<T> items_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace visavis
