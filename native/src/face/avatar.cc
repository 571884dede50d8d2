#include "visavis/face/avatar.h"

#include "mapped_file.h"

namespace visavis {

namespace {

class MappedAvatar final : public Avatar {
 public:
  explicit MappedAvatar(const std::filesystem::path& dir)
      : rig_(Rig::load(dir / "rig.vvr")),
        frame_bytes_(i420_bytes(rig_.width, rig_.height)),
        loop_(dir / "loop.i420", frame_bytes_ * static_cast<std::size_t>(rig_.frame_count), "the rig speaks") {}

  const Rig& rig() const override { return rig_; }
  int width() const override { return rig_.width; }
  int height() const override { return rig_.height; }
  int fps() const override { return rig_.fps; }
  int frame_count() const override { return rig_.frame_count; }

  I420View frame(int index) const override {
    const std::uint8_t* y = loop_.bytes().data() + frame_bytes_ * static_cast<std::size_t>(index);
    const std::size_t luma = static_cast<std::size_t>(rig_.width) * rig_.height;
    return {y, y + luma, y + luma + luma / 4, rig_.width, rig_.width / 2, rig_.width, rig_.height};
  }

 private:
  Rig rig_;
  std::size_t frame_bytes_;
  face::MappedFile loop_;
};

}  // namespace

std::shared_ptr<const Avatar> Avatar::load(const std::filesystem::path& dir) {
  return std::make_shared<MappedAvatar>(dir);
}

}  // namespace visavis
