#include "meter.h"

#include <algorithm>
#include <vector>

namespace visavis {
namespace {

constexpr std::chrono::nanoseconds kWindow = std::chrono::seconds(2);

}  // namespace

void RollingPercentiles::add(double value) { values_[count_++ % values_.size()] = value; }

Percentiles RollingPercentiles::get() const {
  const std::size_t size = std::min(count_, values_.size());
  if (size == 0) return {};
  std::vector<double> sorted(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(size));
  std::sort(sorted.begin(), sorted.end());
  const auto rank = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(size - 1))];
  };
  return {rank(0.50), rank(0.95), rank(0.99)};
}

void RollingRate::add(std::chrono::nanoseconds at, std::size_t bytes) {
  entries_.push_back({at, bytes});
  while (entries_.front().at <= at - kWindow) entries_.pop_front();
}

double RollingRate::span_seconds(std::chrono::nanoseconds now) const {
  const auto span = std::clamp(now, std::chrono::nanoseconds(std::chrono::milliseconds(1)), kWindow);
  return std::chrono::duration<double>(span).count();
}

double RollingRate::per_second(std::chrono::nanoseconds now) const {
  const auto recent =
      std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.at > now - kWindow; });
  return static_cast<double>(recent) / span_seconds(now);
}

double RollingRate::bits_per_second(std::chrono::nanoseconds now) const {
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.at > now - kWindow ? entry.bytes : 0;
  return 8.0 * static_cast<double>(bytes) / span_seconds(now);
}

}  // namespace visavis
