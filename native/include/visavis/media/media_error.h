#pragma once

#include <stdexcept>

namespace visavis {

// A codec that is missing, refuses its settings or fails while running. The message names the codec and its own reason.
struct MediaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace visavis
