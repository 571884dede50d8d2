// Just enough of an Annex B reader and of libavcodec's decoder to look at what the encoder made.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "visavis/image.h"

namespace visavis::h264 {

enum NalType { kSlice = 1, kIdr = 5, kSei = 6, kSps = 7, kPps = 8 };

inline int type_of(std::span<const std::uint8_t> nal) { return nal[0] & 0x1f; }

// The NAL units of an access unit, without their start codes.
inline std::vector<std::span<const std::uint8_t>> units(std::span<const std::uint8_t> data) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i + 3 <= data.size(); ++i) {
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1) starts.push_back(i + 3);
  }
  std::vector<std::span<const std::uint8_t>> found;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] - 3 : data.size();
    found.push_back(data.subspan(starts[i], end - starts[i]));
  }
  return found;
}

inline int count(std::span<const std::uint8_t> data, NalType type) {
  int found = 0;
  for (const auto& nal : units(data)) found += type_of(nal) == type ? 1 : 0;
  return found;
}

class Decoder {
 public:
  Decoder()
      : context_(avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))),
        frame_(av_frame_alloc()),
        packet_(av_packet_alloc()) {
    context_->thread_count = 1;
    context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    if (avcodec_open2(context_.get(), nullptr, nullptr) < 0) throw std::runtime_error("no H.264 decoder");
  }

  // The picture of one access unit; valid until the next call.
  const AVFrame& decode(const std::vector<std::uint8_t>& unit) {
    std::vector<std::uint8_t> padded(unit);
    padded.resize(unit.size() + AV_INPUT_BUFFER_PADDING_SIZE, 0);
    packet_->data = padded.data();
    packet_->size = static_cast<int>(unit.size());
    const int sent = avcodec_send_packet(context_.get(), packet_.get());
    packet_->data = nullptr;
    packet_->size = 0;
    if (sent < 0 || avcodec_receive_frame(context_.get(), frame_.get()) < 0) {
      throw std::runtime_error("the decoder gave no picture");
    }
    return *frame_;
  }

  const AVCodecContext& context() const { return *context_; }

 private:
  struct Free {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  };
  std::unique_ptr<AVCodecContext, Free> context_;
  std::unique_ptr<AVFrame, Free> frame_;
  std::unique_ptr<AVPacket, Free> packet_;
};

// Of luma, in dB.
inline double psnr(const I420View& picture, const AVFrame& decoded) {
  double error = 0;
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double difference =
          picture.y[row * picture.stride_y + column] - decoded.data[0][row * decoded.linesize[0] + column];
      error += difference * difference;
    }
  }
  const double mean = error / (static_cast<double>(picture.width) * picture.height);
  return mean == 0 ? 99 : 10 * std::log10(255.0 * 255.0 / mean);
}

}  // namespace visavis::h264
