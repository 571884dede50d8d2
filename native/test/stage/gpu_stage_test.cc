// A session on a GPU that fails at every call in turn: what is shown, and that it is shown 25 times a second, stays.
#include <algorithm>
#include <string>
#include <utility>

#include "../media/h264.h"
#include "check.h"
#include "cuda/gpu_session.h"
#include "drawn_face.h"
#include "fake_runtime.h"
#include "fakes.h"

namespace visavis {
namespace {

using check::FakeRuntime;
using cuda::DeviceError;
using cuda::DeviceErrorKind;
using Part = GpuSession::Part;
using Bytes = std::vector<std::uint8_t>;

constexpr int kSide = 128;  // The smallest face that is built.
constexpr int kFrames = 26;

std::shared_ptr<const Avatar> built(test::Expression expression) {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(kSide, kSide, expression), dir.path()));
  return Avatar::load(dir.path());
}

// Each picture that was encoded, tightly packed, and by whom.
struct Shown {
  std::vector<Bytes> pictures;
  std::vector<std::string> by;

  void add(const I420View& picture, std::string_view name) {
    Bytes bytes;
    const auto plane = [&](const std::uint8_t* rows, int stride, int width, int height) {
      for (int y = 0; y < height; ++y, rows += stride) bytes.insert(bytes.end(), rows, rows + width);
    };
    plane(picture.y, picture.stride_y, picture.width, picture.height);
    plane(picture.u, picture.stride_uv, picture.width / 2, picture.height / 2);
    plane(picture.v, picture.stride_uv, picture.width / 2, picture.height / 2);
    pictures.push_back(std::move(bytes));
    by.emplace_back(name);
  }
};

VideoEncoderConfig config() {
  VideoEncoderConfig config;
  config.width = config.height = kSide;
  return config;
}

// Notes what it encodes; `real` says whether the packets are to be decoded.
class NotingEncoder final : public VideoEncoder {
 public:
  NotingEncoder(std::shared_ptr<Shown> shown, bool real)
      : shown_(std::move(shown)), real_(real ? VideoEncoder::create(config()) : nullptr) {}

  AccessUnit encode(const I420View& picture) override {
    shown_->add(picture, name());
    return real_ ? real_->encode(picture) : AccessUnit{{0, 0, 1, 0x65}, std::exchange(first_, false)};
  }
  void request_keyframe() override {
    if (real_) real_->request_keyframe();
  }
  void set_bitrate(int bps) override { bitrate = bps; }
  std::string_view name() const override { return "processor"; }

  int bitrate = 0;

 private:
  std::shared_ptr<Shown> shown_;
  std::unique_ptr<VideoEncoder> real_;
  bool first_ = true;
};

// Takes pictures from its own memory on the card, as NVENC does, and refuses where a test says so.
class CardEncoder final : public VideoEncoder {
 public:
  enum class Refusal { kNone, kPicture, kPacket };

  CardEncoder(std::shared_ptr<GpuSession> gpu, std::shared_ptr<Shown> shown, bool real)
      : gpu_(std::move(gpu)),
        shown_(std::move(shown)),
        device_(gpu_->runtime(), i420_bytes(kSide, kSide)),
        host_(gpu_->runtime(), i420_bytes(kSide, kSide)),
        real_(real ? VideoEncoder::create(config()) : nullptr) {
    surface_.planes = planes(device_.as<std::uint8_t>());
  }
  ~CardEncoder() override {
    try {
      gpu_->stream().synchronize();
    } catch (const DeviceError&) {
      // Nothing is in flight then.
    }
  }

  void refuse(Refusal refusal, std::size_t from_picture) {
    refusal_ = refusal;
    from_ = from_picture;
  }

  const GpuPicture* surface() override {
    if (refusal_ == Refusal::kPicture && shown_->pictures.size() >= from_) throw MediaError("no picture is left");
    return &surface_;
  }
  AccessUnit encode_surface() override {
    if (refusal_ == Refusal::kPacket && shown_->pictures.size() >= from_) throw MediaError("the encoder was lost");
    try {
      gpu_->runtime()->copy_to_host(host_.get(), device_.get(), device_.bytes(), gpu_->stream().get());
      gpu_->stream().synchronize();
    } catch (const DeviceError& error) {
      throw MediaError(error.what());
    }
    return unit(planes(host_.as<std::uint8_t>()));
  }
  AccessUnit encode(const I420View& picture) override {
    if (refusal_ == Refusal::kPacket && shown_->pictures.size() >= from_) throw MediaError("the encoder was lost");
    try {
      gpu_->stream().synchronize();
    } catch (const DeviceError& error) {
      throw MediaError(error.what());
    }
    return unit(picture);
  }
  void request_keyframe() override {}
  void set_bitrate(int) override {}
  std::string_view name() const override { return "card"; }

 private:
  static I420MutView planes(std::uint8_t* base) {
    constexpr int kLuma = kSide * kSide;
    return {base, base + kLuma, base + kLuma + kLuma / 4, kSide, kSide / 2, kSide, kSide};
  }
  AccessUnit unit(const I420View& picture) {
    shown_->add(picture, name());
    return real_ ? real_->encode(picture) : AccessUnit{{0, 0, 1, 0x65}, std::exchange(first_, false)};
  }

  std::shared_ptr<GpuSession> gpu_;
  std::shared_ptr<Shown> shown_;
  cuda::DeviceBuffer device_;
  cuda::PinnedBuffer host_;
  GpuPicture surface_;
  std::unique_ptr<VideoEncoder> real_;
  Refusal refusal_ = Refusal::kNone;
  std::size_t from_ = 0;
  bool first_ = true;
};

struct Played {
  std::shared_ptr<Shown> shown = std::make_shared<Shown>();
  std::vector<MediaPacket> packets;
  std::vector<StageEvent> events;
  StageStats stats;
  std::string why_left;
  std::size_t set_up_calls = 0;
};

struct Play {
  std::shared_ptr<FakeRuntime> card;  // Null for a session on the processor.
  CardEncoder::Refusal refusal = CardEncoder::Refusal::kNone;
  std::size_t from_picture = 0;
  bool real = false;
};

// A second of a face that speaks, and changes its tone meanwhile.
Played play(const Play& wanted) {
  static const std::shared_ptr<const Avatar> neutral = built(test::Expression::kNeutral);
  static const std::shared_ptr<const Avatar> smiling = built(test::Expression::kSmiling);
  Played played;
  test::HandClock clock;
  std::shared_ptr<GpuSession> gpu;
  StageParts parts;
  parts.loop = {kSide, kSide, 25, neutral->frame_count()};
  parts.avatar = neutral;
  parts.make_lip_sync = [] { return std::make_unique<test::EchoLipSync>(); };
  parts.audio = SpeechEncoder::opus(32'000);
  parts.clock = clock.end();
  try {
    // As Stage::create() goes about it.
    if (wanted.card) gpu = std::make_shared<GpuSession>(wanted.card);
    parts.gpu = gpu;
    parts.renderer = gpu ? FaceRenderer::create(neutral, gpu) : FaceRenderer::create(neutral, WarpDevice::kPortable);
    if (gpu) {
      auto encoder = std::make_unique<CardEncoder>(gpu, played.shown, wanted.real);
      encoder->refuse(wanted.refusal, wanted.from_picture);
      parts.video = std::move(encoder);
    }
  } catch (const DeviceError& error) {
    if (gpu) gpu->leave(Part::kEncoder, error.what());
    if (!parts.renderer) parts.renderer = FaceRenderer::create(neutral);
  }
  const auto make = [shown = played.shown, real = wanted.real] { return std::make_unique<NotingEncoder>(shown, real); };
  if (!parts.video) parts.video = make();
  parts.replace_video = make;
  parts.warp_device = name_of(parts.renderer->device());

  StageSink sink;
  sink.on_packet = [&](MediaPacket&& packet) { played.packets.push_back(std::move(packet)); };
  sink.on_event = [&](const StageEvent& event) {
    played.events.push_back(event);
    if (event.kind == StageEvent::Kind::kFailed) clock.gone();
  };
  {
    const auto stage = make_stage(std::move(parts), std::move(sink));
    clock.run_ms(90);
    const std::uint64_t utterance = stage->begin_utterance();
    stage->push_audio(utterance, test::tone(0.7), 24'000);
    stage->end_utterance(utterance);
    stage->add_tone("warm", smiling);
    clock.run_ms(160);
    stage->set_tone("warm");
    clock.run_ms(240);
    stage->set_tone("neutral");  // Half way there it turns back.
    clock.run_ms(510);
    played.stats = stage->stats();
  }
  if (gpu) played.why_left = gpu->why_left();
  return played;
}

const Played& expected() {
  static const Played played = play({});
  return played;
}

// True where the session showed all that it should have, each by an encoder that began with a keyframe.
bool is_whole(const Played& played) {
  std::vector<MediaPacket> video;
  for (const MediaPacket& packet : played.packets) {
    if (packet.kind == MediaPacket::Kind::kVideo) video.push_back(packet);
    if (packet.kind == MediaPacket::Kind::kVideo && packet.data.empty()) return false;
  }
  if (video.size() != kFrames || played.shown->pictures != expected().shown->pictures) return false;
  for (std::size_t i = 0; i < video.size(); ++i) {
    const bool begins = i == 0 || played.shown->by[i] != played.shown->by[i - 1];
    if (video[i].keyframe != begins || video[i].rtp_timestamp != i * 3'600) return false;
  }
  return std::none_of(played.events.begin(), played.events.end(),
                      [](const StageEvent& event) { return event.kind == StageEvent::Kind::kFailed; });
}

CHECK_CASE("on a GPU a session shows what it shows on the processor, and waits for nothing but packets") {
  CHECK(expected().shown->pictures.size() == kFrames);
  CHECK(is_whole(expected()));
  const auto card = std::make_shared<FakeRuntime>();
  const Played played = play({card});
  CHECK(is_whole(played));
  CHECK(played.why_left.empty());
  CHECK(played.stats.encoder == "card" && played.stats.warp_device == "cuda");
  CHECK(std::count(played.shown->by.begin(), played.shown->by.end(), "card") == kFrames);
  CHECK(card->alive() == 0);
}

CHECK_CASE("an encoder that refuses is replaced with a keyframe, and the warp stays on the GPU") {
  for (const auto refusal : {CardEncoder::Refusal::kPicture, CardEncoder::Refusal::kPacket}) {
    for (const std::size_t from : {0, 1, 9, 11, 25}) {
      const auto card = std::make_shared<FakeRuntime>();
      const Played played = play({card, refusal, from});
      CHECK(is_whole(played));
      CHECK(played.stats.encoder == "processor" && played.stats.warp_device == "cuda");
      CHECK(played.why_left.find("encoder: ") != std::string::npos);
      CHECK(played.why_left.find("warp: ") == std::string::npos);
      CHECK(std::count(played.shown->by.begin(), played.shown->by.end(), "card") == static_cast<std::ptrdiff_t>(from));
      CHECK(card->alive() == 0);
    }
  }
}

CHECK_CASE("whatever call of the GPU fails, the session goes on with the very same pictures") {
  const auto card = std::make_shared<FakeRuntime>();
  card->never_fail();
  CHECK(is_whole(play({card})));
  const int calls = card->calls();
  int told = 0;
  for (const auto kind : {DeviceErrorKind::kLost, DeviceErrorKind::kOutOfMemory, DeviceErrorKind::kOther}) {
    // Each call of the start and of the first pictures is lost once, and some of the later ones, which are like them.
    const int each = check::kSanitized ? 0 : 40, some = kind == DeviceErrorKind::kLost && !check::kSanitized ? 7 : 31;
    const int step = kind == DeviceErrorKind::kLost ? 1 : 3;
    for (int call = 0; call < calls; call += call < each ? step : some) {
      card->fail_at(call, kind);
      const Played played = play({card});
      const bool whole = is_whole(played);
      if (!whole) std::printf("call %d: %s\n", call, played.why_left.c_str());
      CHECK(whole);
      CHECK(card->alive() == 0);
      told += played.why_left.empty() ? 0 : 1;
      if (kind == DeviceErrorKind::kLost && card->failed() && call < calls / 2 && !played.why_left.empty()) {
        CHECK(played.stats.encoder == "processor" && played.stats.warp_device != "cuda");
      }
    }
  }
  CHECK(told > 20);
}

CHECK_CASE("what is sent can be decoded over the change of encoders") {
  for (const std::size_t from : {3, 14}) {
    const auto card = std::make_shared<FakeRuntime>();
    const Played played = play({card, CardEncoder::Refusal::kPacket, from, true});
    h264::Decoder decoder;
    std::size_t i = 0;
    for (const MediaPacket& packet : played.packets) {
      if (packet.kind != MediaPacket::Kind::kVideo) continue;
      CHECK(packet.keyframe == (i == 0 || i == from));
      I420Frame picture(kSide, kSide);
      std::copy(played.shown->pictures[i].begin(), played.shown->pictures[i].end(), picture.view().y);
      CHECK(h264::psnr(picture.view(), decoder.decode(packet.data)) > 30);
      ++i;
    }
    CHECK(i == kFrames);
  }
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
