// The loops a face can wear, one for each delivery tone, and the way from one to the next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "visavis/face/morph.h"
#include "visavis/stage/stage_parts.h"

namespace visavis {

// A change of tone morphs from loop to loop over kFadeSeconds, both drawn with the same mouth. There are never more
// than two on the way: one that is wished for meanwhile turns back to the loop just left, or waits until the other has
// arrived. So what is shown never jumps.
class Wardrobe {
 public:
  static constexpr double kFadeSeconds = 0.32;
  static constexpr std::size_t kMaxTones = 64;
  static constexpr const char* kBaseTone = "neutral";

  // `avatar` may be missing where `renderer` is a stand-in: nothing is then known of where its face lies.
  Wardrobe(const LoopInfo& loop, std::unique_ptr<FaceRenderer> renderer, std::shared_ptr<const Avatar> avatar, int fps);

  // Any thread. One that was there under this name leaves, also when it is shown: the new one is faded to then. Throws
  // std::invalid_argument where it does not fit the base loop, or there are too many.
  void add(const std::string& tone, std::shared_ptr<const Avatar> avatar);
  // Any thread. False for one that was never added.
  bool wear(const std::string& tone);

  // The stage's thread: frame `frame` of the session, each a little later than the one before or the same once more.
  void draw(std::int64_t frame, const MouthPose& pose, I420MutView out);
  // The same into memory of the GPU that draws. False, and `out` is anything, where some of it is not drawn there.
  bool draw_on_gpu(std::int64_t frame, const MouthPose& pose, const GpuPicture& out);

  // The stage's thread: where the loop that is shown is drawn.
  WarpDevice device() const { return shown_->renderer->device(); }

 private:
  struct Loop {
    LoopInfo info;
    std::unique_ptr<FaceRenderer> renderer;
    std::shared_ptr<const Avatar> avatar;
    std::vector<Triangle> triangles;  // Empty where it shares no mesh with the base loop.
    I420Frame picture;                // Scratch of the stage's thread, as all below.
    std::vector<PointF> points;
    std::int64_t shift = 0;
  };

  int index(const Loop& loop, std::int64_t frame) const;
  void step(std::int64_t frame);
  bool has_morph();
  void set_out(std::int64_t frame);
  void draw_between(std::int64_t frame, const MouthPose& pose, I420MutView out);
  // The mesh that both loops on the way share; empty where they share none.
  std::span<const Triangle> mesh() const;
  static bool in_step(const Loop& a, const Loop& b);
  static int nearest(const Loop& loop, std::span<const PointF> points);

  const LoopInfo base_;
  const std::shared_ptr<const Avatar> base_avatar_;
  const WarpDevice device_;
  const std::shared_ptr<GpuSession> gpu_;
  const int fps_;

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Loop>, std::less<>> loops_;
  std::string worn_ = kBaseTone;
  std::shared_ptr<Loop> wanted_;
  std::shared_ptr<FaceMorph> morph_;     // Both come with the first loop that is added, and stay.
  std::shared_ptr<GpuMorph> gpu_morph_;  // Null without a GPU.

  // The stage's thread.
  std::shared_ptr<Loop> shown_;
  std::shared_ptr<Loop> next_;  // Null where nothing is on the way.
  double progress_ = 0;
  std::int64_t stepped_ = -1;  // The frame that the above is for.
};

}  // namespace visavis
