#include "visavis/media/video_encoder.h"

#include <algorithm>
#include <random>
#include <utility>

#include "check.h"
#include "h264.h"

using visavis::AccessUnit;
using visavis::I420Frame;
using visavis::I420MutView;
using visavis::I420View;
using visavis::MediaError;
using visavis::VideoEncoder;
using visavis::VideoEncoderConfig;
namespace h264 = visavis::h264;

namespace {

// Soft texture that drifts, with a bright disc moving over it.
void paint(I420MutView picture, int index) {
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double drift = index * 0.5;
      double value = 110 + 40 * std::sin((column + drift) * 0.11) * std::cos((row - drift) * 0.07);
      const double dx = column - picture.width / 2.0 - 40 * std::sin(index * 0.1);
      const double dy = row - picture.height / 2.0;
      if (dx * dx + dy * dy < 900) value = 200;
      picture.y[row * picture.stride_y + column] = static_cast<std::uint8_t>(value);
    }
  }
  for (int row = 0; row < picture.height / 2; ++row) {
    for (int column = 0; column < picture.width / 2; ++column) {
      picture.u[row * picture.stride_uv + column] = static_cast<std::uint8_t>(118 + (column + index) % 20);
      picture.v[row * picture.stride_uv + column] = static_cast<std::uint8_t>(138 - (row + index) % 20);
    }
  }
}

VideoEncoderConfig small() {
  VideoEncoderConfig config;
  config.width = 256;
  config.height = 192;
  return config;
}

}  // namespace

CHECK_CASE("one slice, one access unit, constrained baseline at level 3.1") {
  const auto encoder = VideoEncoder::create(small());
  CHECK(encoder->name() == "libx264");
  I420Frame picture(256, 192);
  for (int i = 0; i < 60; ++i) {
    paint(picture.view(), i);
    const AccessUnit unit = encoder->encode(picture.view());
    CHECK(unit.keyframe == (i == 0));
    CHECK(h264::count(unit.data, h264::kIdr) == (i == 0 ? 1 : 0));
    CHECK(h264::count(unit.data, h264::kSlice) == (i == 0 ? 0 : 1));
    for (const auto& nal : h264::units(unit.data)) {
      if (h264::type_of(nal) != h264::kSps) continue;
      CHECK(nal[1] == 66);
      CHECK((nal[2] & 0xc0) == 0xc0);
      CHECK(nal[3] == 31);
    }
  }
}

CHECK_CASE("a decoder shows what was encoded, with its colours tagged") {
  const auto encoder = VideoEncoder::create(small());
  h264::Decoder decoder;
  I420Frame picture(256, 192);
  for (int i = 0; i < 30; ++i) {
    paint(picture.view(), i);
    const AVFrame& decoded = decoder.decode(encoder->encode(picture.view()).data);
    CHECK(decoded.width == 256 && decoded.height == 192);
    CHECK(h264::psnr(picture.view(), decoded) > 36);
  }
  CHECK(decoder.context().color_range == AVCOL_RANGE_MPEG);
  CHECK(decoder.context().colorspace == AVCOL_SPC_BT709);
  CHECK(decoder.context().color_primaries == AVCOL_PRI_BT709);
  CHECK(decoder.context().color_trc == AVCOL_TRC_BT709);
  CHECK(decoder.context().has_b_frames == 0);
}

CHECK_CASE("a keyframe comes with the next picture, stands alone, and only once") {
  const auto encoder = VideoEncoder::create(small());
  I420Frame picture(256, 192);
  for (int i = 0; i < 20; ++i) {
    paint(picture.view(), i);
    if (i == 7 || i == 8 || i == 15) encoder->request_keyframe();
    const AccessUnit unit = encoder->encode(picture.view());
    const bool wanted = i == 0 || i == 7 || i == 8 || i == 15;
    CHECK(unit.keyframe == wanted);
    CHECK(h264::count(unit.data, h264::kSps) == (wanted ? 1 : 0));
    CHECK(h264::count(unit.data, h264::kPps) == (wanted ? 1 : 0));
    if (wanted) {
      h264::Decoder fresh;
      CHECK(h264::psnr(picture.view(), fresh.decode(unit.data)) > 34);
    }
  }
}

CHECK_CASE("a keyframe comes by itself after keyframe_seconds") {
  VideoEncoderConfig config = small();
  config.keyframe_seconds = 1;
  const auto encoder = VideoEncoder::create(config);
  I420Frame picture(256, 192);
  for (int i = 0; i < 60; ++i) {
    paint(picture.view(), i);
    CHECK(encoder->encode(picture.view()).keyframe == (i % 25 == 0));
  }
}

CHECK_CASE("the bit rate is a ceiling that moves while running") {
  VideoEncoderConfig config = small();
  config.bitrate_bps = 2'000'000;
  const auto encoder = VideoEncoder::create(config);
  I420Frame picture(256, 192);
  std::mt19937 random(1);
  // Fresh noise in every picture: as hard to encode as pictures get.
  const auto bits_of_three_seconds = [&] {
    std::size_t bytes = 0;
    for (int i = 0; i < 75; ++i) {
      paint(picture.view(), i);
      const I420MutView view = picture.view();
      for (int at = 0; at < 256 * 192; ++at) {
        view.y[at] =
            static_cast<std::uint8_t>(std::clamp<int>(view.y[at] + static_cast<int>(random() % 49) - 24, 16, 235));
      }
      bytes += encoder->encode(picture.view()).data.size();
    }
    return static_cast<double>(bytes) * 8 / 3;
  };
  bits_of_three_seconds();
  CHECK_NEAR(bits_of_three_seconds() / 2'000'000, 1.0, 0.2);
  encoder->set_bitrate(500'000);
  bits_of_three_seconds();
  CHECK_NEAR(bits_of_three_seconds() / 500'000, 1.0, 0.2);
  encoder->set_bitrate(1'500'000);
  bits_of_three_seconds();
  CHECK_NEAR(bits_of_three_seconds() / 1'500'000, 1.0, 0.2);
}

CHECK_CASE("padded rows are read by their stride") {
  const auto encoder = VideoEncoder::create(small());
  I420Frame wide(320, 192);
  paint(wide.view(), 3);
  I420View part = std::as_const(wide).view();
  part.width = 256;
  h264::Decoder decoder;
  CHECK(h264::psnr(part, decoder.decode(encoder->encode(part).data)) > 36);
}

CHECK_CASE("larger pictures get the level they need") {
  VideoEncoderConfig config;
  config.width = 1920;
  config.height = 1080;
  const auto encoder = VideoEncoder::create(config);
  I420Frame picture(1920, 1080);
  paint(picture.view(), 0);
  const AccessUnit unit = encoder->encode(picture.view());
  CHECK(h264::count(unit.data, h264::kIdr) == 1);
  for (const auto& nal : h264::units(unit.data)) {
    if (h264::type_of(nal) == h264::kSps) CHECK(nal[3] == 40);
  }
}

CHECK_CASE("what cannot be is refused") {
  VideoEncoderConfig config = small();
  CHECK_THROWS(MediaError, VideoEncoder::create(config, "h264_unheard_of"));
  config.width = 255;
  CHECK_THROWS(MediaError, VideoEncoder::create(config));
  config = small();
  config.bitrate_bps = 10;
  CHECK_THROWS(MediaError, VideoEncoder::create(config));
  const auto encoder = VideoEncoder::create(small());
  I420Frame picture(128, 128);
  CHECK_THROWS(MediaError, encoder->encode(picture.view()));
  CHECK(VideoEncoder::available().front() == "libx264");
}

CHECK_MAIN
