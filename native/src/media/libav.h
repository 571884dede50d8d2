// What every encoder of libavcodec's needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "visavis/image.h"
#include "visavis/media/media_error.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
}

namespace visavis::libav {

struct FreeContext {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FreeBuffer {
  void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
};
using Context = std::unique_ptr<AVCodecContext, FreeContext>;
using Frame = std::unique_ptr<AVFrame, FreeFrame>;
using Packet = std::unique_ptr<AVPacket, FreePacket>;
using Buffer = std::unique_ptr<AVBufferRef, FreeBuffer>;

inline std::string reason(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  return text;
}

// BT.709, limited range.
inline void tag_colors(AVCodecContext& c) {
  c.color_range = AVCOL_RANGE_MPEG;
  c.color_primaries = AVCOL_PRI_BT709;
  c.color_trc = AVCOL_TRC_BT709;
  c.colorspace = AVCOL_SPC_BT709;
}
inline void tag_colors(AVFrame& f) {
  f.color_range = AVCOL_RANGE_MPEG;
  f.color_primaries = AVCOL_PRI_BT709;
  f.color_trc = AVCOL_TRC_BT709;
  f.colorspace = AVCOL_SPC_BT709;
}

// Points an empty frame at the caller's planes, which must outlive its references. False where memory is short.
inline bool lend(const I420View& picture, AVFrame& f) {
  f.format = AV_PIX_FMT_YUV420P;
  f.width = picture.width;
  f.height = picture.height;
  const std::uint8_t* planes[] = {picture.y, picture.u, picture.v};
  const int strides[] = {picture.stride_y, picture.stride_uv, picture.stride_uv};
  for (int i = 0; i < 3; ++i) {
    f.data[i] = const_cast<std::uint8_t*>(planes[i]);
    f.linesize[i] = strides[i];
    const std::size_t bytes = static_cast<std::size_t>(strides[i]) * (i == 0 ? f.height : f.height / 2);
    const auto keep = [](void*, std::uint8_t*) {};
    f.buf[i] = av_buffer_create(f.data[i], bytes, keep, nullptr, AV_BUFFER_FLAG_READONLY);
    if (f.buf[i] == nullptr) return false;
  }
  return true;
}

}  // namespace visavis::libav
