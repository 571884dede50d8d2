#pragma once

#include <stdexcept>

namespace visavis {

// A file of ours that is truncated, of another version or inconsistent. The message names the file and what is wrong.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace visavis
