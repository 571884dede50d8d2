#include "wardrobe.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace visavis {
namespace {

// Loops of one picture hold the head alike, frame by frame, to within this part of its height.
constexpr float kInStepShare = 0.01f;
constexpr std::size_t kEveryPoint = 3;  // Of the landmarks, when frames are compared.

float distance2(PointF a, PointF b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

// Leaves and arrives without a jerk; the way back is the same one.
float eased(double progress) { return static_cast<float>(progress * progress * (3 - 2 * progress)); }

}  // namespace

Wardrobe::Wardrobe(const LoopInfo& loop, std::unique_ptr<FaceRenderer> renderer, std::shared_ptr<const Avatar> avatar,
                   int fps)
    : base_(loop), base_avatar_(std::move(avatar)), device_(renderer->device()), gpu_(renderer->gpu()), fps_(fps) {
  auto base = std::make_shared<Loop>();
  base->info = loop;
  base->renderer = std::move(renderer);
  base->avatar = base_avatar_;
  if (base_avatar_ != nullptr) {
    base->triangles = morph_triangles(base_avatar_->rig(), base_avatar_->rig());
    base->points.resize(base_avatar_->rig().point_count());
  }
  base->picture = I420Frame(loop.width, loop.height);
  loops_.emplace(kBaseTone, base);
  wanted_ = base;
  shown_ = std::move(base);
}

void Wardrobe::add(const std::string& tone, std::shared_ptr<const Avatar> avatar) {
  if (avatar == nullptr) throw std::invalid_argument("a tone needs an avatar");
  if (avatar->width() != base_.width || avatar->height() != base_.height) {
    throw std::invalid_argument("the loop of \"" + tone + "\" is " + std::to_string(avatar->width()) + " by " +
                                std::to_string(avatar->height()) + " pixels, but the face is " +
                                std::to_string(base_.width) + " by " + std::to_string(base_.height));
  }
  if (avatar->fps() != base_.fps) {
    throw std::invalid_argument("the loop of \"" + tone + "\" has " + std::to_string(avatar->fps()) +
                                " frames a second, but the face has " + std::to_string(base_.fps));
  }
  auto loop = std::make_shared<Loop>();
  loop->info = {avatar->width(), avatar->height(), avatar->fps(), avatar->frame_count()};
  loop->renderer = gpu_ ? FaceRenderer::create(avatar, gpu_) : FaceRenderer::create(avatar, device_);
  loop->picture = I420Frame(base_.width, base_.height);
  loop->points.resize(avatar->rig().point_count());
  if (base_avatar_ != nullptr) loop->triangles = morph_triangles(base_avatar_->rig(), avatar->rig());
  loop->avatar = std::move(avatar);
  // On a GPU both ends of a morph are drawn there; what it refuses the processor morphs.
  const WarpDevice processor = gpu_ ? WarpDevice::kAuto : device_;
  auto morph = std::shared_ptr<FaceMorph>(FaceMorph::create(base_.width, base_.height, processor));
  std::shared_ptr<GpuMorph> gpu_morph;
  if (gpu_ && !has_morph()) gpu_morph = GpuMorph::create(base_.width, base_.height, gpu_);

  // What leaves is freed here, unless it is shown, and then by the stage's thread: not under the lock.
  std::shared_ptr<Loop> before;
  const std::lock_guard lock(mutex_);
  const auto found = loops_.find(tone);
  if (found == loops_.end() && loops_.size() >= kMaxTones) throw std::invalid_argument("a face wears 64 tones at most");
  if (morph_ == nullptr) {
    morph_ = std::move(morph);
    gpu_morph_ = std::move(gpu_morph);
  }
  if (tone == worn_) wanted_ = loop;
  if (found == loops_.end()) {
    loops_.emplace(tone, std::move(loop));
  } else {
    before = std::exchange(found->second, std::move(loop));
  }
}

bool Wardrobe::wear(const std::string& tone) {
  const std::lock_guard lock(mutex_);
  const auto found = loops_.find(tone);
  if (found == loops_.end()) return false;
  worn_ = tone;
  wanted_ = found->second;
  return true;
}

bool Wardrobe::has_morph() {
  const std::lock_guard lock(mutex_);
  return morph_ != nullptr;
}

// Goes one picture further on the way, once for each.
void Wardrobe::step(std::int64_t frame) {
  if (frame == stepped_) return;
  stepped_ = frame;
  std::shared_ptr<Loop> wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted = wanted_;
  }
  if (next_ == nullptr && wanted != shown_) {
    next_ = std::move(wanted);
    progress_ = 0;
    set_out(frame);
  } else if (next_ != nullptr && wanted == shown_) {
    std::swap(shown_, next_);
    progress_ = 1 - progress_;
  }
  // By pictures shown rather than by time: one that comes late does not make the change jump.
  if (next_ != nullptr) progress_ += 1 / (kFadeSeconds * fps_);
  if (next_ != nullptr && progress_ >= 1 - 1e-9) {
    shown_ = std::move(next_);
    next_ = nullptr;
  }
}

void Wardrobe::draw(std::int64_t frame, const MouthPose& pose, I420MutView out) {
  step(frame);
  if (next_ == nullptr) {
    shown_->renderer->render(index(*shown_, frame), pose, out);
  } else {
    draw_between(frame, pose, out);
  }
}

bool Wardrobe::draw_on_gpu(std::int64_t frame, const MouthPose& pose, const GpuPicture& out) {
  step(frame);
  if (next_ == nullptr) return shown_->renderer->render_on_gpu(index(*shown_, frame), pose, out);
  if (gpu_morph_ == nullptr) return false;
  const auto end = [&](Loop& loop) {
    const int at = index(loop, frame);
    if (loop.avatar != nullptr) pose_points(loop.avatar->rig(), at, pose, loop.points);
    return GpuMorph::End{loop.renderer.get(), at, loop.points};
  };
  const GpuMorph::End from = end(*shown_), to = end(*next_);
  return gpu_morph_->render(from, to, pose, mesh(), eased(progress_), out);
}

void Wardrobe::draw_between(std::int64_t frame, const MouthPose& pose, I420MutView out) {
  const auto drawn = [&](Loop& loop) {
    const int at = index(loop, frame);
    loop.renderer->render(at, pose, loop.picture.view());
    if (loop.avatar != nullptr) pose_points(loop.avatar->rig(), at, pose, loop.points);
    return FaceMorph::End{std::as_const(loop.picture).view(), loop.points};
  };
  const FaceMorph::End from = drawn(*shown_), to = drawn(*next_);
  morph_->render(from, to, mesh(), eased(progress_), out);
}

std::span<const Triangle> Wardrobe::mesh() const {
  if (shown_->triangles.empty() || next_->triangles.empty()) return {};
  return next_->triangles;
}

int Wardrobe::index(const Loop& loop, std::int64_t frame) const {
  return static_cast<int>((frame * loop.info.fps / fps_ + loop.shift) % loop.info.frames);
}

// The frame of the loop to come that is shown first: the same one where it is the same picture that moves, else the one
// whose face lies most like the present one.
void Wardrobe::set_out(std::int64_t frame) {
  if (in_step(*shown_, *next_)) {
    next_->shift = shown_->shift;
    return;
  }
  next_->shift = 0;
  if (shown_->avatar == nullptr) return;
  const int there = nearest(*next_, shown_->avatar->rig().track(index(*shown_, frame)));
  const int frames = next_->info.frames;
  next_->shift = (there - index(*next_, frame) + frames) % frames;
}

bool Wardrobe::in_step(const Loop& a, const Loop& b) {
  if (a.info.frames != b.info.frames) return false;
  if (a.avatar == nullptr || b.avatar == nullptr) return true;
  const Rig &left = a.avatar->rig(), &right = b.avatar->rig();
  const float most = kInStepShare * static_cast<float>(left.height);
  // Three corners of the skull tell where it is.
  const std::uint16_t eyes[] = {left.contours.left_upper_lid.front(), left.contours.right_upper_lid.back()};
  for (const PointF p : {left.rest[eyes[0]], left.rest[eyes[1]], left.rest[left.contours.outer_lower_lip.front()]}) {
    for (std::size_t i = 0; i < left.head.size(); ++i) {
      if (distance2(left.head[i].apply(p), right.head[i].apply(p)) > most * most) return false;
    }
  }
  return true;
}

int Wardrobe::nearest(const Loop& loop, std::span<const PointF> points) {
  if (loop.avatar == nullptr) return 0;
  int best = 0;
  float least = std::numeric_limits<float>::max();
  for (int k = 0; k < loop.info.frames; ++k) {
    const std::span<const PointF> track = loop.avatar->rig().track(k);
    float sum = 0;
    for (std::size_t i = 0; i < kLandmarkCount; i += kEveryPoint) sum += distance2(track[i], points[i]);
    if (sum < least) {
      least = sum;
      best = k;
    }
  }
  return best;
}

}  // namespace visavis
