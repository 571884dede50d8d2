#include "lip_lag.h"

#include <vector>

#include "check.h"
#include "fakes.h"

namespace visavis {
namespace {

float open_at(const LipSync& lips, double seconds) {
  return lips.at(seconds).weights[static_cast<std::size_t>(Viseme::aa)];
}

CHECK_CASE("every pose comes later by the lag, and is final earlier by it") {
  auto plain = std::make_unique<test::EchoLipSync>();
  std::vector<float> ramp(1'600);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i) / 1'600.0f;
  plain->push(ramp);
  const double ready = plain->ready_until();
  const float open = open_at(*plain, 0.05);

  const auto delayed = delay_lips(std::move(plain), 0.02);
  CHECK_NEAR(open_at(*delayed, 0.07), open, 1e-6);
  CHECK_NEAR(delayed->ready_until(), ready + 0.02, 1e-9);
  CHECK(delayed->device() == NetDevice::kPortable);
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
