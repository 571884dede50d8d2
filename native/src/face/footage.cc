#include "visavis/face/footage.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "footage_loop.h"
#include "footage_tracks.h"
#include "landmarks.h"
#include "mapped_file.h"
#include "mesh.h"
#include "picture_warp.h"
#include "rig_limits.h"
#include "rig_start.h"
#include "visavis/face/morph.h"
#include "whole_file.h"

namespace visavis {

namespace {

using face::operator+;
using face::operator-;
using face::operator*;

constexpr int kLeastSeconds = 2, kMostSeconds = 60;
// A mouth that stands open this far is closed wholly, one less far a little, and one at rest not at all.
constexpr float kLeftAloneMm = 0.7f, kClosedMm = 1.6f;
constexpr std::size_t kEveryPoint = 4;  // Of the landmarks, where frames are compared.

void refuse(const std::string& why) { throw BuildError(why); }

Affine head_of(const Rig& rig, std::span<const PointF> track) {
  try {
    return face::fit_head(rig.rest, track);
  } catch (const FormatError&) {
    throw BuildError("the face of a frame cannot be that of the frame chosen for the rig");
  }
}

void check(const FootageOptions& o) {
  for (const int side : {o.width, o.height}) {
    if (side < 128 || side > 4096 || side % 2 != 0) refuse("the avatar's size must be even, 128 to 4096 pixels a side");
  }
  if (o.fps != 25 && o.fps != 30) refuse("the frame rate must be 25 or 30");
  if (o.frames < kLeastSeconds * o.fps) refuse("the footage is too short: at least two seconds are needed");
  if (o.frames > kMostSeconds * o.fps) refuse("the footage is too long: at most a minute is taken");
  if (o.still < 0 || o.still >= o.frames) refuse("the frame for the rig is none of the footage");
  if (o.landmarks.size() != static_cast<std::size_t>(o.frames) * kLandmarkCount * 3) {
    refuse("the landmarks do not match the number of frames");
  }
  if (!std::filesystem::is_directory(o.out_dir)) refuse("the folder to write into does not exist");
}

// Positions alone, steadied, and every frame's checked.
std::vector<PointF> positions(const FootageOptions& o) {
  const float reach_x = 0.5f * static_cast<float>(o.width), reach_y = 0.5f * static_cast<float>(o.height);
  std::vector<PointF> points;
  points.reserve(o.landmarks.size() / 3);
  for (std::size_t i = 0; i < o.landmarks.size(); i += 3) {
    const PointF p = {o.landmarks[i], o.landmarks[i + 1]};
    const std::string frame = "frame " + std::to_string(i / 3 / kLandmarkCount);
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) refuse("a landmark of " + frame + " is not a number");
    if (p.x < -reach_x || p.y < -reach_y || p.x > static_cast<float>(o.width) + reach_x ||
        p.y > static_cast<float>(o.height) + reach_y) {
      refuse("the face of " + frame + " lies outside the picture");
    }
    points.push_back(p);
  }
  return face::steadied(points, kLandmarkCount);
}

class Film {
 public:
  explicit Film(const FootageOptions& o)
      : options_(o),
        frame_bytes_(i420_bytes(o.width, o.height)),
        file_(o.frames_path, frame_bytes_ * static_cast<std::size_t>(o.frames), "the footage is") {}

  I420View frame(int index) const {
    const int width = options_.width, height = options_.height;
    const std::uint8_t* const y = file_.bytes().data() + frame_bytes_ * static_cast<std::size_t>(index);
    const std::size_t luma = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    return {y, y + luma, y + luma + luma / 4, width, width / 2, width, height};
  }

 private:
  const FootageOptions& options_;
  std::size_t frame_bytes_;
  face::MappedFile file_;
};

// Draws the loop: frames of the film with their mouths shut, faded where the plan says so.
class LoopWriter {
 public:
  LoopWriter(const Film& film, const Rig& rig, std::span<const PointF> tracks)
      : film_(film),
        rig_(rig),
        tracks_(tracks),
        closer_(rig),
        triangles_(morph_triangles(rig, rig)),
        warp_(rig.width, rig.height),
        morph_(FaceMorph::create(rig.width, rig.height)),
        shut_{I420Frame(rig.width, rig.height), I420Frame(rig.width, rig.height)},
        mixed_(rig.width, rig.height) {}

  struct Drawn {
    std::span<const std::uint8_t> bytes;
    std::vector<PointF> points;
  };

  Drawn draw(const face::LoopFrame& frame) {
    Side from = side(frame.frame, shut_[0]);
    if (frame.other < 0) {
      const std::size_t bytes = i420_bytes(rig_.width, rig_.height);
      return {{from.picture.y, bytes}, std::move(from.points)};
    }
    const Side to = side(frame.other, shut_[1]);
    morph_->render({from.picture, from.points}, {to.picture, to.points}, triangles_, frame.share, mixed_.view());
    for (std::size_t i = 0; i < from.points.size(); ++i) {
      from.points[i] = from.points[i] + (to.points[i] - from.points[i]) * frame.share;
    }
    return {mixed_.bytes(), std::move(from.points)};
  }

 private:
  struct Side {
    I420View picture;
    std::vector<PointF> points;
  };

  Side side(int index, I420Frame& scratch) {
    const auto track = tracks_.subspan(static_cast<std::size_t>(index) * rig_.point_count(), rig_.point_count());
    const Affine head = head_of(rig_, track);
    const std::vector<float> excess = face::lip_excess(rig_, track, head);
    const float open = *std::max_element(excess.begin(), excess.end()) / rig_.px_per_mm;
    const float t = std::clamp((open - kLeftAloneMm) / (kClosedMm - kLeftAloneMm), 0.0f, 1.0f);
    if (t <= 0) return {film_.frame(index), {track.begin(), track.end()}};
    std::vector<PointF> points = closer_.closed(track, head, t * t * (3 - 2 * t));
    warp_.render(film_.frame(index), track, points, triangles_, scratch.view());
    return {std::as_const(scratch).view(), std::move(points)};
  }

  const Film& film_;
  const Rig& rig_;
  std::span<const PointF> tracks_;
  face::MouthCloser closer_;
  std::vector<Triangle> triangles_;
  face::PictureWarp warp_;
  std::unique_ptr<FaceMorph> morph_;
  std::array<I420Frame, 2> shut_;
  I420Frame mixed_;
};

std::vector<face::FilmMoment> moments(const Film& film, const Rig& rig, std::span<const PointF> tracks, int frames) {
  std::vector<face::FilmMoment> found;
  for (int f = 0; f < frames; ++f) {
    const auto track = tracks.subspan(static_cast<std::size_t>(f) * rig.point_count(), rig.point_count());
    face::FilmMoment moment;
    for (std::size_t i = 0; i < kLandmarkCount; i += kEveryPoint) {
      moment.points_mm.push_back(track[i] * (1 / rig.px_per_mm));
    }
    moment.small = face::small_picture(film.frame(f));
    const std::vector<float> excess = face::lip_excess(rig, track, head_of(rig, track));
    moment.open_mm = *std::max_element(excess.begin(), excess.end()) / rig.px_per_mm;
    found.push_back(std::move(moment));
  }
  return found;
}

// Where points were tracked too coarsely for a face that talks not to fold, they keep the head's movement alone.
void finish(Rig& rig) {
  Rig plain = rig;
  try {
    face::finish_rig(rig);
    return;
  } catch (const BuildError&) {
    rig = std::move(plain);
  }
  for (int f = 0; f < rig.frame_count; ++f) {
    const Affine head = head_of(rig, rig.track(f));
    const std::size_t row = static_cast<std::size_t>(f) * rig.point_count();
    for (std::size_t i = 0; i < rig.point_count(); ++i) rig.tracks[row + i] = head.apply(rig.rest[i]);
  }
  face::finish_rig(rig);
}

}  // namespace

AvatarInfo build_footage(const FootageOptions& options) {
  check(options);
  const std::vector<PointF> landmarks = positions(options);
  const auto film_of = [&] {
    try {
      return std::make_unique<const Film>(options);
    } catch (const FormatError&) {
      throw BuildError("the frames of the footage cannot be read, or are not as many as they should be");
    }
  };
  const std::unique_ptr<const Film> frames = film_of();
  const Film& film = *frames;
  // The steadied face of the still, at the depths that were found there.
  std::vector<float> still(kLandmarkCount * 3);
  for (std::size_t i = 0; i < kLandmarkCount; ++i) {
    const std::size_t at = static_cast<std::size_t>(options.still) * kLandmarkCount + i;
    still[i * 3] = landmarks[at].x;
    still[i * 3 + 1] = landmarks[at].y;
    still[i * 3 + 2] = options.landmarks[at * 3 + 2];
  }
  face::Face fitted = face::fit_face(still, options.width, options.height, options.width, options.height);
  Rig rig = face::start_rig(fitted, film.frame(options.still), options.fps, 0);
  const std::vector<PointF> tracks = face::rig_tracks(fitted, landmarks, options.still);
  const face::LoopPlan plan = face::plan_loop(moments(film, rig, tracks, options.frames), options.fps);

  rig.frame_count = static_cast<int>(plan.frames.size());
  face::WholeFile loop(options.out_dir / "loop.i420");
  LoopWriter writer(film, rig, tracks);
  for (const face::LoopFrame& frame : plan.frames) {
    const LoopWriter::Drawn drawn = writer.draw(frame);
    loop.write(drawn.bytes);
    rig.tracks.insert(rig.tracks.end(), drawn.points.begin(), drawn.points.end());
  }
  finish(rig);
  rig.save(options.out_dir / "rig.vvr");
  loop.commit();
  return {rig.width, rig.height, rig.fps, rig.frame_count};
}

}  // namespace visavis
