#include <stdexcept>

#include "encode_peers.h"

// After the standard types it relies on.
#include <x264.h>

namespace visavis::bench {
namespace {

// As a program that links libx264 has it with the usual settings for a call: one thread, zerolatency, CRF 23.
class X264 final : public Peer {
 public:
  X264(const char* preset, int width, int height) {
    x264_param_t param;
    x264_param_default_preset(&param, preset, "zerolatency");
    param.i_threads = 1;
    param.b_sliced_threads = 0;
    param.i_width = width;
    param.i_height = height;
    param.i_csp = X264_CSP_I420;
    param.i_fps_num = kFps;
    param.i_fps_den = 1;
    param.i_keyint_max = 250;
    param.rc.i_rc_method = X264_RC_CRF;
    param.rc.f_rf_constant = 23;
    param.i_log_level = X264_LOG_ERROR;
    x264_param_apply_profile(&param, "baseline");
    encoder_.reset(x264_encoder_open(&param));
    if (encoder_ == nullptr) throw std::runtime_error("x264 does not open");
  }
  std::vector<std::uint8_t> encode(const I420View& picture) override {
    x264_picture_t in;
    x264_picture_init(&in);
    in.i_pts = pts_++;
    in.img.i_csp = X264_CSP_I420;
    in.img.i_plane = 3;
    const std::uint8_t* planes[] = {picture.y, picture.u, picture.v};
    for (int i = 0; i < 3; ++i) {
      in.img.plane[i] = const_cast<std::uint8_t*>(planes[i]);
      in.img.i_stride[i] = i == 0 ? picture.stride_y : picture.stride_uv;
    }
    x264_picture_t out;
    x264_nal_t* nals = nullptr;
    int count = 0;
    const int bytes = x264_encoder_encode(encoder_.get(), &nals, &count, &in, &out);
    if (bytes <= 0) throw std::runtime_error("x264 gave nothing");
    return {nals[0].p_payload, nals[0].p_payload + bytes};
  }

 private:
  struct Close {
    void operator()(x264_t* encoder) const { x264_encoder_close(encoder); }
  };
  std::unique_ptr<x264_t, Close> encoder_;
  std::int64_t pts_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_x264_peer(const char* preset, int width, int height) {
  return std::make_unique<X264>(preset, width, height);
}

}  // namespace visavis::bench
