// NVENC where this machine has it; elsewhere, that it is missed in words and without a trace.
#include "nvenc_encoder.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "check.h"
#include "cuda/gpu_session.h"
#include "fake_runtime.h"
#include "h264.h"

using visavis::AccessUnit;
using visavis::FoundGpu;
using visavis::GpuPicture;
using visavis::GpuSession;
using visavis::I420Frame;
using visavis::I420MutView;
using visavis::MediaError;
using visavis::VideoEncoder;
using visavis::VideoEncoderConfig;
using visavis::check::FakeRuntime;
namespace cuda = visavis::cuda;
namespace h264 = visavis::h264;

namespace {

VideoEncoderConfig small() {
  VideoEncoderConfig config;
  config.width = 320;
  config.height = 258;
  return config;
}

void paint(I420MutView picture, int index) {
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double value = 110 + 60 * std::sin((column + index) * 0.11) * std::cos((row - index) * 0.07);
      picture.y[row * picture.stride_y + column] = static_cast<std::uint8_t>(value);
    }
  }
  for (int row = 0; row < picture.height / 2; ++row) {
    std::memset(picture.u + row * picture.stride_uv, 110 + row % 8, static_cast<std::size_t>(picture.width) / 2);
    std::memset(picture.v + row * picture.stride_uv, 140 - row % 8, static_cast<std::size_t>(picture.width) / 2);
  }
}

// Null, and the reason printed, without NVENC.
std::unique_ptr<VideoEncoder> nvenc(const std::shared_ptr<GpuSession>& gpu) {
  if (gpu == nullptr) {
    std::printf("skipped: no GPU here\n");
    return nullptr;
  }
  try {
    return make_nvenc_encoder(small(), gpu);
  } catch (const MediaError& error) {
    std::printf("skipped on %s: %s\n", gpu->card_name().c_str(), error.what());
    return nullptr;
  }
}

}  // namespace

CHECK_CASE("without NVENC a session is told why, and encodes on the processor") {
  const FoundGpu found = visavis::find_gpu();
  // A card of host memory will do where there is no other: libavcodec finds that out by itself.
  const auto gpu = found.gpu ? found.gpu : std::make_shared<GpuSession>(std::make_shared<FakeRuntime>());
  const auto encoder = VideoEncoder::create(small(), gpu);
  const std::string why = gpu->why_left(GpuSession::Part::kEncoder);
  if (encoder->name() == "h264_nvenc") {
    CHECK(found.gpu != nullptr && why.empty());
    return;
  }
  CHECK(encoder->name() == "libx264" && encoder->surface() == nullptr);
  CHECK_THROWS(MediaError, encoder->encode_surface());
  std::printf("%s\n", why.c_str());
  CHECK(why.starts_with("h264_nvenc: "));
  if (found.gpu == nullptr) CHECK(why == "h264_nvenc: no NVIDIA driver");
  I420Frame picture(320, 258);
  paint(picture.view(), 0);
  CHECK(encoder->encode(picture.view()).keyframe);
  CHECK(VideoEncoder::create(small(), std::shared_ptr<GpuSession>())->name() == "libx264");
  VideoEncoderConfig odd = small();
  odd.width = 321;
  CHECK_THROWS(MediaError, VideoEncoder::create(odd, gpu));
}

CHECK_CASE("one slice a picture, keyframes when asked for, and a decoder shows what was encoded") {
  const FoundGpu found = visavis::find_gpu();
  const auto encoder = nvenc(found.gpu);
  if (encoder == nullptr) return;
  h264::Decoder decoder;
  I420Frame picture(320, 258);
  for (int i = 0; i < 60; ++i) {
    paint(picture.view(), i);
    if (i == 20) encoder->request_keyframe();
    if (i == 40) encoder->set_bitrate(600'000);
    const AccessUnit unit = encoder->encode(picture.view());
    if (i != 40) CHECK(unit.keyframe == (i == 0 || i == 20));  // A new rate may begin with one.
    CHECK(h264::count(unit.data, h264::kIdr) == (unit.keyframe ? 1 : 0));
    CHECK(h264::count(unit.data, h264::kSlice) == (unit.keyframe ? 0 : 1));
    CHECK(h264::count(unit.data, h264::kSps) == (unit.keyframe ? 1 : 0));
    for (const auto& nal : h264::units(unit.data)) {
      if (h264::type_of(nal) == h264::kSps) CHECK(nal[1] == 66);
    }
    CHECK(h264::psnr(picture.view(), decoder.decode(unit.data)) > 32);
  }
  CHECK(decoder.context().color_range == AVCOL_RANGE_MPEG);
  CHECK(decoder.context().colorspace == AVCOL_SPC_BT709);
}

CHECK_CASE("a picture drawn on the session's stream is encoded without another wait") {
  const FoundGpu found = visavis::find_gpu();
  const auto encoder = nvenc(found.gpu);
  if (encoder == nullptr) return;
  h264::Decoder decoder;
  for (const int grey : {60, 180, 120}) {
    const GpuPicture* const surface = encoder->surface();
    CHECK(surface != nullptr && surface->planes.width == 320 && surface->planes.height == 258);
    const I420MutView& planes = surface->planes;
    CHECK(planes.stride_y % 32 == 0 && planes.stride_uv % 16 == 0);
    cuda::Runtime& runtime = *found.gpu->runtime();
    const auto stream = found.gpu->stream().get();
    runtime.fill(planes.y, grey, static_cast<std::size_t>(planes.stride_y) * 258, stream);
    runtime.fill(planes.u, 100, static_cast<std::size_t>(planes.stride_uv) * 129, stream);
    runtime.fill(planes.v, 150, static_cast<std::size_t>(planes.stride_uv) * 129, stream);
    const AVFrame& shown = decoder.decode(encoder->encode_surface().data);
    CHECK(std::abs(shown.data[0][100 * shown.linesize[0] + 100] - grey) < 6);
    CHECK(std::abs(shown.data[1][50 * shown.linesize[1] + 50] - 100) < 6);
    CHECK(std::abs(shown.data[2][50 * shown.linesize[2] + 50] - 150) < 6);
  }
}

CHECK_MAIN
