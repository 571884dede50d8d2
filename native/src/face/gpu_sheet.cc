#include "gpu_sheet.h"

#include <stdexcept>

namespace visavis::face {

namespace {

constexpr std::size_t kAlignment = 16;
constexpr std::size_t kMostParts = 8;

}  // namespace

GpuSheet::GpuSheet(const std::shared_ptr<cuda::Runtime>& runtime, std::size_t bytes) {
  bytes += kMostParts * kAlignment;
  for (Turn& turn : turns_) {
    turn.host = cuda::PinnedBuffer(runtime, bytes);
    turn.sent = cuda::Event(runtime);
  }
  device_ = cuda::DeviceBuffer(runtime, bytes);
}

void GpuSheet::begin() {
  at_ = (at_ + 1) % turns_.size();
  used_ = 0;
  if (turn().busy) turn().sent.wait();
  turn().busy = false;
}

std::size_t GpuSheet::take(std::size_t bytes) {
  const std::size_t begin = used_;
  if (bytes > device_.bytes() - begin) throw std::length_error("a frame has more parts than its sheet has room for");
  used_ = (begin + bytes + kAlignment - 1) / kAlignment * kAlignment;
  return begin;
}

void GpuSheet::send(const cuda::Stream& stream) {
  if (used_ == 0) return;
  // The last part's padding may lie past the end.
  const std::size_t bytes = used_ < device_.bytes() ? used_ : device_.bytes();
  turn().busy = true;
  stream.runtime().copy_to_device(device_.get(), turn().host.get(), bytes, stream.get());
  stream.record(turn().sent);
}

}  // namespace visavis::face
