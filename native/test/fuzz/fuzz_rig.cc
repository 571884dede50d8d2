// Rig::parse lets nothing in that the renderer could stumble over.
#include <algorithm>
#include <cstring>
#include <memory>

#include "drawn_face.h"
#include "sealed.h"
#include "visavis/face/renderer.h"

namespace visavis {
namespace {

constexpr int kLargestDrawn = 512;  // Pixels a side; larger frames only take longer.

class ParsedAvatar final : public Avatar {
 public:
  explicit ParsedAvatar(Rig rig) : rig_(std::move(rig)), picture_(rig_.width, rig_.height) {}

  const Rig& rig() const override { return rig_; }
  int width() const override { return rig_.width; }
  int height() const override { return rig_.height; }
  int fps() const override { return rig_.fps; }
  int frame_count() const override { return rig_.frame_count; }
  I420View frame(int) const override { return picture_.view(); }

 private:
  Rig rig_;
  I420Frame picture_;
};

void draw(Rig rig) {
  const auto avatar = std::make_shared<ParsedAvatar>(std::move(rig));
  I420Frame out(avatar->width(), avatar->height());
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(Viseme::aa)] = 0.7f;
  pose.weights[static_cast<std::size_t>(Viseme::FF)] = 0.3f;
  pose.loudness = 1;
  for (const WarpDevice device : {WarpDevice::kPortable, WarpDevice::kAuto}) {
    const auto renderer = FaceRenderer::create(avatar, device);
    for (const int index : {0, avatar->frame_count() - 1}) renderer->render(index, pose, out.view());
  }
}

// An avatar's rig, cut down to two frames.
std::vector<std::uint8_t> seed_rig() {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(128, 128), dir.path()));
  Rig rig = Rig::load(dir.path() / "rig.vvr");
  rig.frame_count = 2;
  rig.tracks.resize(2 * rig.point_count());
  return rig.serialize();
}

}  // namespace
}  // namespace visavis

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  visavis::fuzz::write_seed(*argc, *argv, "seed.vvr", visavis::seed_rig());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  size = visavis::fuzz::damage(data, size, max_size, seed);
  if (size > sizeof(std::uint32_t)) {
    const std::size_t body = size - sizeof(std::uint32_t);
    const std::uint32_t crc = visavis::fuzz::crc32({data, body});
    std::memcpy(data + body, &crc, sizeof(crc));
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    visavis::Rig rig = visavis::Rig::parse({data, size});
    if (std::max(rig.width, rig.height) <= visavis::kLargestDrawn) visavis::draw(std::move(rig));
  } catch (const visavis::FormatError&) {
    // What a damaged file deserves.
  }
  return 0;
}
