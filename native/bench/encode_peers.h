// Encoders side by side: ours, and what a user would reach for instead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "visavis/image.h"

namespace visavis::bench {

inline constexpr int kFps = 25;

class Peer {
 public:
  virtual ~Peer() = default;
  // Annex B of one picture.
  virtual std::vector<std::uint8_t> encode(const I420View& picture) = 0;
};

struct PeerMaker {
  std::string name;
  std::function<std::unique_ptr<Peer>(int width, int height)> make;
};

std::unique_ptr<Peer> make_x264_peer(const char* preset, int width, int height);
std::unique_ptr<Peer> make_openh264_peer(int width, int height);

// Ours first. Those whose library was not found at build time are absent.
std::vector<PeerMaker> encode_peers();

}  // namespace visavis::bench
