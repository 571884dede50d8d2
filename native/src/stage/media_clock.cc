#include "visavis/stage/media_clock.h"

#include <condition_variable>
#include <mutex>

namespace visavis {
namespace {

class SteadyClock final : public MediaClock {
 public:
  std::chrono::nanoseconds now() override { return std::chrono::steady_clock::now().time_since_epoch(); }

  void wait_until(std::chrono::nanoseconds deadline, std::stop_token stop) override {
    const std::chrono::steady_clock::time_point until(deadline);
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, stop, until, [] { return false; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
};

}  // namespace

std::unique_ptr<MediaClock> MediaClock::steady() { return std::make_unique<SteadyClock>(); }

}  // namespace visavis
