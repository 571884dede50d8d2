#include "shown.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "stage/wardrobe.h"
#include "visavis/face/renderer.h"

namespace visavis::fuzz {

namespace {

constexpr int kFadeFrames = 4, kTurnsBack = 2;  // Of the eight that a change of tone takes; then it is back.

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "a promise is broken: %s\n", what);
  std::abort();
}

// By rows: a sanitizer makes each pixel that is looked at by itself dear.
bool same(const I420View& a, const I420View& b, const Box* but_for = nullptr) {
  const auto plane = [&](const std::uint8_t* one, int stride_one, const std::uint8_t* other, int stride_other,
                         int part) {
    const int width = a.width / part;
    for (int y = 0; y < a.height / part; ++y) {
      const std::uint8_t *left = one + y * stride_one, *right = other + y * stride_other;
      const bool crossed = but_for != nullptr && y >= but_for->y / part && y < (but_for->y + but_for->height) / part;
      const int from = crossed ? but_for->x / part : width;
      const int to = crossed ? (but_for->x + but_for->width) / part : width;
      if (!std::equal(left, left + from, right) || !std::equal(left + to, left + width, right + to)) return false;
    }
    return true;
  };
  return plane(a.y, a.stride_y, b.y, b.stride_y, 1) && plane(a.u, a.stride_uv, b.u, b.stride_uv, 2) &&
         plane(a.v, a.stride_uv, b.v, b.stride_uv, 2);
}

}  // namespace

MouthPose talking_pose() {
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(Viseme::aa)] = 0.7f;
  pose.weights[static_cast<std::size_t>(Viseme::FF)] = 0.3f;
  pose.loudness = 1;
  return pose;
}

void show(const std::shared_ptr<const Avatar>& avatar, const MouthPose& pose) {
  const auto portable = FaceRenderer::create(avatar, WarpDevice::kPortable);
  const auto best = FaceRenderer::create(avatar, WarpDevice::kAuto);
  I420Frame one(avatar->width(), avatar->height()), other(avatar->width(), avatar->height());
  for (const int index : {0, avatar->frame_count() - 1}) {
    const I420View loop = avatar->frame(index);
    best->render(index, MouthPose{}, other.view());
    promise(same(loop, other.view()), "a mouth at rest is the loop's own");
    portable->render(index, pose, one.view());
    best->render(index, pose, other.view());
    promise(same(one.view(), other.view()), "every device draws the same");
    promise(same(loop, other.view(), &avatar->rig().face_box(index)), "nothing is drawn outside of the face's box");
  }
}

void change_tone(const std::shared_ptr<const Avatar>& from, const std::shared_ptr<const Avatar>& to,
                 const MouthPose& pose) {
  const auto dressed = [&](WarpDevice device) {
    const LoopInfo loop = {from->width(), from->height(), from->fps(), from->frame_count()};
    auto wardrobe = std::make_unique<Wardrobe>(loop, FaceRenderer::create(from, device), from, from->fps());
    wardrobe->add("other", to);
    return wardrobe;
  };
  try {
    const std::array<std::unique_ptr<Wardrobe>, 2> faces = {dressed(WarpDevice::kPortable), dressed(WarpDevice::kAuto)};
    std::array<I420Frame, 2> drawn = {I420Frame(from->width(), from->height()),
                                      I420Frame(from->width(), from->height())};
    // There, and back again before it is arrived at.
    for (int step = 0; step < kFadeFrames; ++step) {
      for (std::size_t i = 0; i < faces.size(); ++i) {
        if (step == 0) faces[i]->wear("other");
        if (step == kTurnsBack) faces[i]->wear(Wardrobe::kBaseTone);
        faces[i]->draw(step, step % 2 == 0 ? talking_pose() : pose, drawn[i].view());
      }
      promise(same(drawn[0].view(), drawn[1].view()), "every device morphs alike");
    }
  } catch (const std::invalid_argument&) {
    // Another size or another rate.
  }
}

}  // namespace visavis::fuzz
