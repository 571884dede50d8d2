#include "nvenc_encoder.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cuda/gpu_session.h"
#include "libav.h"

// All that hwcontext_cuda.h wants of cuda.h, which is not on every machine that builds this.
#define CUDA_VERSION 12000
extern "C" {
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace visavis {
namespace {

constexpr const char* kName = "h264_nvenc";

// The fastest presets lose detail around the mouth; from p4 on nothing is gained at talking faces' bit rates.
constexpr const char* kPreset = "p3";

// No finer than this: a still face then takes a fraction of what the network allows.
constexpr int kFinestQuantizer = 21;

// Of the ceiling, in seconds, as x264's.
constexpr double kBufferSeconds = 0.5;

// NVENC begins anew with a keyframe whenever its rate changes; so it follows downwards at once, upwards in steps.
constexpr double kLeastRise = 1.25;

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

// The context that the stream belongs to: the one that everything else of this process runs in.
CUcontext context_of(CUstream stream) {
  const std::unique_ptr<void, CloseLibrary> driver(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL));
  if (driver == nullptr) throw MediaError("h264_nvenc: no NVIDIA driver");
  using GetContext = int (*)(CUstream, CUcontext*);
  const auto get = reinterpret_cast<GetContext>(dlsym(driver.get(), "cuStreamGetCtx"));
  CUcontext context = nullptr;
  if (get == nullptr || get(stream, &context) != 0) throw MediaError("h264_nvenc: the GPU was lost");
  return context;
}

void require(int result, const char* what) {
  if (result < 0) throw MediaError(std::string(kName) + ": " + what + ": " + libav::reason(result));
}

// What libavcodec's nvenc.c makes of the driver's answers.
std::string why_not_open(int error) {
  if (error == AVERROR(ENOSYS) || error == AVERROR(ENOENT) || error == AVERROR(ENODEV)) {
    return "this card or its driver has no NVENC for H.264 of this size";
  }
  if (error == AVERROR(ENOMEM)) return "no encoder session, or no memory for one, is left on this card";
  return libav::reason(error);
}

class NvencEncoder final : public VideoEncoder {
 public:
  NvencEncoder(const VideoEncoderConfig& config, std::shared_ptr<GpuSession> gpu)
      : gpu_(std::move(gpu)), frame_(av_frame_alloc()), packet_(av_packet_alloc()), bitrate_(config.bitrate_bps) {
    const AVCodec* codec = avcodec_find_encoder_by_name(kName);
    if (codec == nullptr) throw MediaError("h264_nvenc: this libavcodec was built without it");
    if (frame_ == nullptr || packet_ == nullptr) throw MediaError("h264_nvenc: out of memory");
    open_device(config);
    open_codec(config, *codec);
    // Its memory is asked for now rather than while somebody waits for the first picture.
    if (surface() == nullptr) throw MediaError("h264_nvenc: no picture");
  }

  ~NvencEncoder() override {
    try {
      gpu_->stream().synchronize();  // What was drawn and never encoded must not outlive its picture.
    } catch (const cuda::DeviceError&) {
      // Nothing is in flight then.
    }
  }

  const GpuPicture* surface() override {
    if (frame_->buf[0] == nullptr) require(av_hwframe_get_buffer(frames_.get(), frame_.get(), 0), "a picture");
    const AVFrame& f = *frame_;
    picture_.planes = {f.data[0], f.data[1], f.data[2], f.linesize[0], f.linesize[1], f.width, f.height};
    return &picture_;
  }

  AccessUnit encode_surface() override {
    AVFrame& f = *frame_;
    if (f.buf[0] == nullptr) throw MediaError("h264_nvenc: nothing was drawn");
    f.pts = next_pts_++;
    f.pict_type = keyframe_wanted_ ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    libav::tag_colors(f);
    set_ceiling(bitrate_);
    const int sent = avcodec_send_frame(context_.get(), &f);
    av_frame_unref(&f);
    require(sent, "send");
    keyframe_wanted_ = false;
    require(avcodec_receive_packet(context_.get(), packet_.get()), "receive");
    AccessUnit unit;
    unit.data.assign(packet_->data, packet_->data + packet_->size);
    unit.keyframe = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
    av_packet_unref(packet_.get());
    return unit;
  }

  AccessUnit encode(const I420View& picture) override {
    surface();
    if (picture.width != frame_->width || picture.height != frame_->height) {
      throw MediaError("h264_nvenc: the picture has another size");
    }
    const libav::Frame lent(av_frame_alloc());
    if (lent == nullptr || !libav::lend(picture, *lent)) throw MediaError("h264_nvenc: out of memory");
    require(av_hwframe_transfer_data(frame_.get(), lent.get(), 0), "upload");
    return encode_surface();
  }

  void request_keyframe() override { keyframe_wanted_ = true; }
  void set_bitrate(int bps) override { bitrate_ = std::clamp(bps, kMinBitrate, kMaxBitrate); }
  std::string_view name() const override { return kName; }

 private:
  void open_device(const VideoEncoderConfig& config) {
    const auto stream = reinterpret_cast<CUstream>(gpu_->stream().get());
    device_.reset(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
    if (device_ == nullptr) throw MediaError("h264_nvenc: this libavcodec was built without CUDA");
    auto& device = *static_cast<AVCUDADeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(device_->data)->hwctx);
    device.cuda_ctx = context_of(stream);
    device.stream = stream;
    require(av_hwdevice_ctx_init(device_.get()), "device");

    frames_.reset(av_hwframe_ctx_alloc(device_.get()));
    if (frames_ == nullptr) throw MediaError("h264_nvenc: out of memory");
    auto& frames = *reinterpret_cast<AVHWFramesContext*>(frames_->data);
    frames.format = AV_PIX_FMT_CUDA;
    frames.sw_format = AV_PIX_FMT_YUV420P;
    frames.width = config.width;
    frames.height = config.height;
    require(av_hwframe_ctx_init(frames_.get()), "pictures");
  }

  void open_codec(const VideoEncoderConfig& config, const AVCodec& codec) {
    context_.reset(avcodec_alloc_context3(&codec));
    if (context_ == nullptr) throw MediaError("h264_nvenc: out of memory");
    AVCodecContext& c = *context_;
    c.width = config.width;
    c.height = config.height;
    c.pix_fmt = AV_PIX_FMT_CUDA;
    c.hw_frames_ctx = av_buffer_ref(frames_.get());
    if (c.hw_frames_ctx == nullptr) throw MediaError("h264_nvenc: out of memory");
    c.time_base = {1, config.fps};
    c.framerate = {config.fps, 1};
    c.gop_size = config.keyframe_seconds * config.fps;
    c.max_b_frames = 0;
    c.slices = 1;
    c.qmin = kFinestQuantizer;
    c.qmax = 51;
    libav::tag_colors(c);
    set_ceiling(config.bitrate_bps);

    option("preset", kPreset);
    option("tune", "ull");
    option("profile", "baseline");
    option("rc", "vbr");
    option("zerolatency", "1");
    option("forced-idr", "1");
    option("delay", "0");  // A packet for each picture, before the next one is sent.
    const int opened = avcodec_open2(context_.get(), &codec, nullptr);
    if (opened < 0) throw MediaError(std::string(kName) + ": " + why_not_open(opened));
  }

  void option(const char* name, const char* value) { require(av_opt_set(context_->priv_data, name, value, 0), name); }

  // libavcodec hands a change to NVENC with the next picture.
  void set_ceiling(int bps) {
    if (bps >= ceiling_ && bps < ceiling_ * kLeastRise) return;
    ceiling_ = bps;
    context_->bit_rate = bps;
    context_->rc_max_rate = bps;
    context_->rc_buffer_size = static_cast<int>(bps * kBufferSeconds);
  }

  std::shared_ptr<GpuSession> gpu_;  // First: the stream outlives all that is queued on it.
  libav::Buffer device_, frames_;
  libav::Frame frame_;  // Where the next picture is drawn, while it has a buffer.
  libav::Packet packet_;
  libav::Context context_;
  GpuPicture picture_;
  int bitrate_;
  int ceiling_ = 0;
  std::int64_t next_pts_ = 0;
  bool keyframe_wanted_ = false;
};

}  // namespace

std::unique_ptr<VideoEncoder> make_nvenc_encoder(const VideoEncoderConfig& config, std::shared_ptr<GpuSession> gpu) {
  return std::make_unique<NvencEncoder>(config, std::move(gpu));
}

}  // namespace visavis
