#include "encode_peers.h"

#include "visavis/media/video_encoder.h"

namespace visavis::bench {
namespace {

class Ours final : public Peer {
 public:
  Ours(int width, int height) {
    VideoEncoderConfig config;
    config.width = width;
    config.height = height;
    config.fps = kFps;
    encoder_ = VideoEncoder::create(config);
  }
  std::vector<std::uint8_t> encode(const I420View& picture) override { return encoder_->encode(picture).data; }

 private:
  std::unique_ptr<VideoEncoder> encoder_;
};

}  // namespace

std::vector<PeerMaker> encode_peers() {
  std::vector<PeerMaker> peers;
  peers.push_back({"visavis", [](int w, int h) { return std::make_unique<Ours>(w, h); }});
#ifdef VISAVIS_BENCH_X264
  for (const char* preset : {"ultrafast", "superfast", "veryfast"}) {
    peers.push_back({std::string("libx264 ") + preset + " CRF 23",
                     [preset](int w, int h) { return make_x264_peer(preset, w, h); }});
  }
#endif
#ifdef VISAVIS_BENCH_OPENH264
  peers.push_back({"openh264 quality mode", make_openh264_peer});
#endif
  return peers;
}

}  // namespace visavis::bench
