// Planar I420 pictures: the only pixel format of the hot path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace visavis {

// A read-only picture somebody else owns. BT.709 limited range; width and height are even; chroma planes are half size
// in both directions. Strides are in bytes.
struct I420View {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* u = nullptr;
  const std::uint8_t* v = nullptr;
  int stride_y = 0;
  int stride_uv = 0;
  int width = 0;
  int height = 0;
};

// The same, writable.
struct I420MutView {
  std::uint8_t* y = nullptr;
  std::uint8_t* u = nullptr;
  std::uint8_t* v = nullptr;
  int stride_y = 0;
  int stride_uv = 0;
  int width = 0;
  int height = 0;

  operator I420View() const { return {y, u, v, stride_y, stride_uv, width, height}; }
};

// A writable picture in a GPU's memory: nobody but that GPU may follow these addresses. Luma begins at an even one and
// has an even stride.
struct GpuPicture {
  I420MutView planes;
};

// Bytes of a tightly packed I420 picture (Y, then U, then V).
constexpr std::size_t i420_bytes(int width, int height) { return static_cast<std::size_t>(width) * height * 3 / 2; }

// An owned, tightly packed picture.
class I420Frame {
 public:
  I420Frame() = default;
  I420Frame(int width, int height) : width_(width), height_(height), bytes_(i420_bytes(width, height)) {}

  I420MutView view() { return plane_view<I420MutView>(bytes_.data()); }
  I420View view() const { return plane_view<I420View>(bytes_.data()); }
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  template <typename View, typename Byte>
  View plane_view(Byte* base) const {
    const std::size_t luma = static_cast<std::size_t>(width_) * height_;
    return {base, base + luma, base + luma + luma / 4, width_, width_ / 2, width_, height_};
  }

  int width_ = 0;
  int height_ = 0;
  std::vector<std::uint8_t> bytes_;
};

// A rectangle in whole luma pixels; x, y, width and height are even wherever it names part of an I420 picture.
struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

}  // namespace visavis
