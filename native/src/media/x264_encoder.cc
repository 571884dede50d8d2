#include "x264_encoder.h"

#include <algorithm>
#include <string>

#include "libav.h"

namespace visavis {
namespace {

constexpr const char* kName = "libx264";

// Half the bits of ultrafast at the same PSNR for about a millisecond more at 512x512 (see bench/encode_bench.cc).
constexpr const char* kPreset = "superfast";

// Constant quality (x264's CRF) under the bit-rate ceiling: a still face then takes a fraction of what the network
// allows.
constexpr double kQuality = 21;

// Of the ceiling, in seconds: small enough that a keyframe does not wait long in the sender's queue.
constexpr double kBufferSeconds = 0.5;

void require(int result, const std::string& what) {
  if (result < 0) throw MediaError(std::string(kName) + ": " + what + ": " + libav::reason(result));
}

// ITU-T H.264, table A-1: the lowest of 3.1, 4.0, 4.2 and 5.2 whose frame size and macroblock rate hold ours.
int level_for(int width, int height, int fps) {
  const int blocks = ((width + 15) / 16) * ((height + 15) / 16);
  const int rate = blocks * fps;
  if (blocks <= 3'600 && rate <= 108'000) return 31;
  if (blocks <= 8'192 && rate <= 245'760) return 40;
  if (blocks <= 8'704 && rate <= 522'240) return 42;
  return 52;
}

class X264Encoder final : public VideoEncoder {
 public:
  explicit X264Encoder(const VideoEncoderConfig& config)
      : frame_(av_frame_alloc()), packet_(av_packet_alloc()), width_(config.width), height_(config.height) {
    const AVCodec* codec = avcodec_find_encoder_by_name(kName);
    if (codec == nullptr) throw MediaError("libx264: this libavcodec was built without it");
    context_.reset(avcodec_alloc_context3(codec));
    if (context_ == nullptr || frame_ == nullptr || packet_ == nullptr) throw MediaError("libx264: out of memory");

    AVCodecContext& c = *context_;
    c.width = config.width;
    c.height = config.height;
    c.pix_fmt = AV_PIX_FMT_YUV420P;
    c.time_base = {1, config.fps};
    c.framerate = {config.fps, 1};
    c.gop_size = config.keyframe_seconds * config.fps;
    c.max_b_frames = 0;
    c.thread_count = 1;
    c.level = level_for(config.width, config.height, config.fps);
    libav::tag_colors(c);
    set_ceiling(config.bitrate_bps);

    option("preset", kPreset);
    option("tune", "zerolatency");
    option("profile", "baseline");
    option("forced-idr", "1");
    option("x264-params", "threads=1:sliced-threads=0:slices=1:repeat-headers=1:annexb=1:aud=0:scenecut=0:log=0");
    require(av_opt_set_double(c.priv_data, "crf", kQuality, 0), "crf");
    require(avcodec_open2(context_.get(), codec, nullptr), "open");
  }

  AccessUnit encode(const I420View& picture) override {
    if (picture.width != width_ || picture.height != height_) {
      throw MediaError("libx264: the picture is " + std::to_string(picture.width) + "x" +
                       std::to_string(picture.height) + ", not " + std::to_string(width_) + "x" +
                       std::to_string(height_));
    }
    set_ceiling(bitrate_);
    lend(picture);
    const int sent = avcodec_send_frame(context_.get(), frame_.get());
    av_frame_unref(frame_.get());
    require(sent, "send");
    keyframe_wanted_ = false;
    require(avcodec_receive_packet(context_.get(), packet_.get()), "receive");
    AccessUnit unit;
    unit.data.assign(packet_->data, packet_->data + packet_->size);
    unit.keyframe = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
    av_packet_unref(packet_.get());
    return unit;
  }

  void request_keyframe() override { keyframe_wanted_ = true; }
  void set_bitrate(int bps) override { bitrate_ = std::clamp(bps, kMinBitrate, kMaxBitrate); }
  std::string_view name() const override { return kName; }

 private:
  void option(const char* name, const char* value) { require(av_opt_set(context_->priv_data, name, value, 0), name); }

  // libavcodec hands a change of these two to x264_encoder_reconfig() with the next picture.
  void set_ceiling(int bps) {
    bitrate_ = bps;
    context_->rc_max_rate = bps;
    context_->rc_buffer_size = static_cast<int>(bps * kBufferSeconds);
  }

  // Points the frame at the caller's planes. Without delay the encoder is done with them when a packet comes out.
  void lend(const I420View& picture) {
    AVFrame& f = *frame_;
    f.pts = next_pts_++;
    f.pict_type = keyframe_wanted_ ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    libav::tag_colors(f);
    if (!libav::lend(picture, f)) throw MediaError("libx264: out of memory");
  }

  libav::Context context_;
  libav::Frame frame_;
  libav::Packet packet_;
  int width_;
  int height_;
  int bitrate_ = 0;
  std::int64_t next_pts_ = 0;
  bool keyframe_wanted_ = false;
};

}  // namespace

bool have_x264_encoder() { return avcodec_find_encoder_by_name(kName) != nullptr; }

std::unique_ptr<VideoEncoder> make_x264_encoder(const VideoEncoderConfig& config) {
  return std::make_unique<X264Encoder>(config);
}

}  // namespace visavis
