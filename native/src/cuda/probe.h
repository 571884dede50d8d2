// The smallest kernel: that a card runs code of ours, and that what it computed comes back.
#pragma once

#include "cuda/device.h"

namespace visavis::cuda {

struct ProbeArguments {
  const int* in;
  int* out;
  int count;
};

VISAVIS_HOST_DEVICE inline void probe_one(const ProbeArguments& arguments, int i) {
  arguments.out[i] = arguments.in[i] * 3 + i;
}

extern const Kernel kProbe;

// Throws DeviceError where the card does not compute, one that was lost before among them.
void probe(const std::shared_ptr<Runtime>& runtime);

}  // namespace visavis::cuda
