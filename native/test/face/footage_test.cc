// Films drawn from avatars: what a tracker would see of them is known to a hair.
#include "visavis/face/footage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <utility>

#include "check.h"
#include "drawn_face.h"
#include "footage_loop.h"
#include "footage_tracks.h"
#include "visavis/face/avatar.h"
#include "visavis/face/renderer.h"

namespace visavis {
namespace {

constexpr int kSide = 256;
constexpr float kNoisePx = 0.25f;

struct Film {
  test::TempDir dir;
  std::vector<float> landmarks;   // As a tracker gives them.
  std::vector<PointF> true_rows;  // As they are.
  int frames = 0;

  std::filesystem::path path() const { return dir.path() / "frames.i420"; }
  FootageOptions options(const test::TempDir& out) const {
    FootageOptions o;
    o.frames_path = path();
    o.frames = frames;
    o.width = o.height = kSide;
    o.landmarks = landmarks;
    o.still = 0;
    o.out_dir = out.path();
    return o;
  }
  I420Frame frame(int index) const {
    I420Frame frame(kSide, kSide);
    std::ifstream in(path(), std::ios::binary);
    in.seekg(static_cast<std::streamoff>(frame.bytes().size()) * index);
    in.read(reinterpret_cast<char*>(frame.view().y), static_cast<std::streamsize>(frame.bytes().size()));
    return frame;
  }
};

struct Source {
  test::DrawnFace face = test::draw_face(kSide, kSide);
  std::shared_ptr<const Avatar> avatar = built();
  std::shared_ptr<const Avatar> built() const {
    const test::TempDir dir;
    BuildOptions options = test::options_for(face, dir.path());
    options.loop_seconds = 5;
    build_avatar(options);
    return Avatar::load(dir.path());
  }
};
const Source& source() {
  static const Source the_source;
  return the_source;
}

// Frame f shows loop frame index(f) with the mouth as pose(f) says, moved to the right by shift(f) pixels.
struct Script {
  int frames = 150;
  std::function<int(int)> index = [](int f) { return f % source().avatar->frame_count(); };
  std::function<MouthPose(int)> pose = [](int) { return MouthPose{}; };
  std::function<int(int)> shift = [](int) { return 0; };
};

std::unique_ptr<Film> filmed(const Script& script = {}) {
  auto film = std::make_unique<Film>();
  const Avatar& avatar = *source().avatar;
  const auto renderer = FaceRenderer::create(source().avatar);
  I420Frame drawn(kSide, kSide), moved(kSide, kSide);
  std::ofstream out(film->path(), std::ios::binary);
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0, kNoisePx);
  std::vector<PointF> points(avatar.rig().point_count());
  film->frames = script.frames;
  for (int f = 0; f < script.frames; ++f) {
    renderer->render(script.index(f), script.pose(f), drawn.view());
    pose_points(avatar.rig(), script.index(f), script.pose(f), points);
    const int shift = script.shift(f);
    const auto slide = [&](const std::uint8_t* from, std::uint8_t* to, int side, int by) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) to[y * side + x] = from[y * side + std::clamp(x - by, 0, side - 1)];
      }
    };
    slide(drawn.view().y, moved.view().y, kSide, shift);
    slide(drawn.view().u, moved.view().u, kSide / 2, shift / 2);
    slide(drawn.view().v, moved.view().v, kSide / 2, shift / 2);
    out.write(reinterpret_cast<const char*>(moved.bytes().data()), static_cast<std::streamsize>(moved.bytes().size()));
    for (std::size_t i = 0; i < kLandmarkCount; ++i) {
      const PointF p = {points[i].x + static_cast<float>(shift), points[i].y};
      film->true_rows.push_back(p);
      film->landmarks.push_back(p.x + noise(random));
      film->landmarks.push_back(p.y + noise(random));
      film->landmarks.push_back(source().face.landmarks[i * 3 + 2]);
    }
  }
  return film;
}

I420Frame frame_of(const Avatar& avatar, int index) {
  I420Frame frame(avatar.width(), avatar.height());
  std::copy_n(avatar.frame(index).y, frame.bytes().size(), frame.view().y);
  return frame;
}

double luma_distance(const I420Frame& a, const I420Frame& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSide * kSide; ++i) sum += std::abs(int{a.bytes()[i]} - int{b.bytes()[i]});
  return sum / (kSide * kSide);
}

std::shared_ptr<const Avatar> rigged(const Film& film) {
  const test::TempDir out;
  const AvatarInfo info = build_footage(film.options(out));
  auto avatar = Avatar::load(out.path());
  CHECK(info.width == kSide && info.height == kSide && info.fps == 25 && info.frames == avatar->frame_count());
  return avatar;
}

// The worst step between frames that follow each other, and the one from the last to the first.
std::pair<double, double> steps(const Avatar& avatar) {
  double worst = 0;
  const int count = avatar.frame_count();
  for (int f = 0; f + 1 < count; ++f) {
    worst = std::max(worst, luma_distance(frame_of(avatar, f), frame_of(avatar, f + 1)));
  }
  return {worst, luma_distance(frame_of(avatar, count - 1), frame_of(avatar, 0))};
}

float widest_gap_px(const Rig& rig, std::span<const PointF> points) {
  float widest = 0;
  for (std::size_t k = 0; k < rig.contours.inner_upper_lip.size(); ++k) {
    const PointF a = points[rig.contours.inner_upper_lip[k]], b = points[rig.contours.inner_lower_lip[k]];
    widest = std::max(widest, std::hypot(a.x - b.x, a.y - b.y));
  }
  return widest;
}

CHECK_CASE("a film that comes back to where it was becomes a loop without a seam, of its own frames") {
  const auto film = filmed();
  const auto avatar = rigged(*film);
  const int count = avatar->frame_count();
  CHECK(count >= 50 && count <= 140);
  const auto [worst, seam] = steps(*avatar);
  const auto film_step = [&](int f) { return luma_distance(film->frame(f), film->frame(f + 1)); };
  double usual = 0;
  for (int f = 0; f + 1 < film->frames; ++f) usual = std::max(usual, film_step(f));
  CHECK(seam <= usual);
  CHECK(worst <= 1.3 * usual);
  // Bit for bit, but for the 10 frames of the fade.
  int own = 0;
  for (int f = 0; f < count; ++f) {
    const I420Frame shown = frame_of(*avatar, f);
    for (int of = 0; of < film->frames; ++of) {
      const I420Frame filmed_one = film->frame(of);
      if (std::ranges::equal(shown.bytes(), filmed_one.bytes())) {
        ++own;
        break;
      }
    }
  }
  CHECK(own >= count - 10);
}

CHECK_CASE("a film that never comes back is shown forwards and back again") {
  Script script;
  script.index = [](int) { return 0; };
  script.shift = [](int f) { return 2 * (f / 6); };
  const auto film = filmed(script);
  const auto avatar = rigged(*film);
  const int count = avatar->frame_count();
  CHECK(count % 2 == 0 && count > script.frames);
  for (int f = 1; f < count / 2; ++f) {
    CHECK(std::ranges::equal(frame_of(*avatar, f).bytes(), frame_of(*avatar, count - f).bytes()));
  }
  CHECK(luma_distance(frame_of(*avatar, 0), frame_of(*avatar, count - 1)) <=
        luma_distance(film->frame(5), film->frame(6)));
}

// Six seconds of a face that comes round every 53 frames, and is a little wider with every frame.
std::vector<face::FilmMoment> widening_film(float mm_a_frame) {
  std::vector<face::FilmMoment> film(150);
  for (std::size_t f = 0; f < film.size(); ++f) {
    const float t = static_cast<float>(f), angle = 6.2831853f * t / 53;
    for (const float side : {-1.0f, 1.0f}) {
      film[f].points_mm.push_back({side * (70 + mm_a_frame * t) + 3 * std::cos(angle), 3 * std::sin(angle)});
    }
  }
  return film;
}

CHECK_CASE("a loop has at least half of a short film, also where a shorter one would close better") {
  // One turn later it is a millimetre wider, and two turns later two millimetres.
  const face::LoopPlan plan = face::plan_loop(widening_film(1.0f / 53), 25);
  CHECK(!plan.there_and_back);
  CHECK(plan.frames.size() >= 75);
}

CHECK_CASE("a film that comes back too soon only is shown forwards and back again") {
  // Alike one turn later, and no more after two.
  const face::LoopPlan plan = face::plan_loop(widening_film(2.2f / 53), 25);
  CHECK(plan.there_and_back);
  CHECK(plan.frames.size() >= 150);
}

CHECK_CASE("tracks tremble less than what was tracked, and are neither late nor flat") {
  const auto film = filmed();
  std::vector<PointF> noisy;
  for (std::size_t i = 0; i < film->landmarks.size(); i += 3) {
    noisy.push_back({film->landmarks[i], film->landmarks[i + 1]});
  }
  const std::vector<PointF> steady = face::steadied(noisy, kLandmarkCount);
  // From frame to frame, of a point at the nose's bridge and all others alike.
  const auto error = [&](const std::vector<PointF>& rows, int late) {
    double sum = 0;
    int count = 0;
    for (int f = 12; f + 12 < film->frames; ++f) {
      for (std::size_t i = 0; i < kMeshPointCount; ++i) {
        const PointF p = rows[static_cast<std::size_t>(f) * kLandmarkCount + i];
        const PointF q = film->true_rows[static_cast<std::size_t>(f - late) * kLandmarkCount + i];
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
        ++count;
      }
    }
    return std::sqrt(sum / count / 2);
  };
  CHECK_NEAR(error(noisy, 0), kNoisePx, 0.02);
  CHECK(error(steady, 0) < 0.6 * kNoisePx);
  for (const int late : {-2, -1, 1, 2}) CHECK(error(steady, 0) < error(steady, late));

  // A swing of one a second keeps its height.
  std::vector<PointF> swing;
  for (int f = 0; f < 100; ++f) swing.push_back({10 * std::sin(0.25132741f * static_cast<float>(f)), 0});
  const std::vector<PointF> kept = face::steadied(swing, 1);
  for (std::size_t f = 0; f < 100; ++f) CHECK_NEAR(kept[f].x, swing[f].x, 0.25);

  // And the rig's own tracks, where the loop shows frames of the film.
  const auto avatar = rigged(*film);
  const Rig& rig = avatar->rig();
  double sum = 0;
  int count = 0;
  for (int f = 0; f < avatar->frame_count() - 10; ++f) {
    const I420Frame shown = frame_of(*avatar, f);
    int of = 0;
    while (of < film->frames && !std::ranges::equal(shown.bytes(), film->frame(of).bytes())) ++of;
    if (of == film->frames) continue;
    for (const int point : {6, 168, 33, 263, 152}) {
      const auto id = static_cast<std::size_t>(point);
      const PointF p = rig.track(f)[id], q = film->true_rows[static_cast<std::size_t>(of) * kLandmarkCount + id];
      sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
      ++count;
    }
  }
  CHECK(count > 200);
  CHECK(std::sqrt(sum / count / 2) < 0.8 * kNoisePx);
}

CHECK_CASE("speech begins and ends at shut lips in every frame, also where the mouth stood open") {
  Script script;
  script.pose = [](int f) {
    MouthPose pose;
    // Two words, a second and a half apart: no two seconds are free of them.
    const int at = f % 38;
    if (at >= 10 && at < 24) {
      pose.weights[static_cast<std::size_t>(Viseme::aa)] = 0.8f * std::sin(0.224f * static_cast<float>(at - 10));
    }
    pose.loudness = 0.5f;
    return pose;
  };
  const auto film = filmed(script);
  const auto avatar = rigged(*film);
  struct Mouths {
    float shut_mm = 0, rest_mm = 0;
    int darkest = 255;
  };
  const auto mouths_of = [](const std::shared_ptr<const Avatar>& face) {
    const Rig& rig = face->rig();
    const auto renderer = FaceRenderer::create(face);
    MouthPose shut;
    shut.weights[static_cast<std::size_t>(Viseme::PP)] = 1;
    std::vector<PointF> points(rig.point_count());
    I420Frame out(kSide, kSide);
    Mouths found;
    for (int f = 0; f < face->frame_count(); ++f) {
      pose_points(rig, f, shut, points);
      found.shut_mm = std::max(found.shut_mm, widest_gap_px(rig, points) / rig.px_per_mm);
      found.rest_mm = std::max(found.rest_mm, widest_gap_px(rig, rig.track(f)) / rig.px_per_mm);
      renderer->render(f, shut, out.view());
      for (int dy = -2; dy <= 2; ++dy) {
        const int x = static_cast<int>(points[13].x), y = static_cast<int>(points[13].y) + dy;
        found.darkest = std::min(found.darkest, int{out.view().y[y * kSide + x]});
      }
    }
    return found;
  };
  // The drawn mouth is not quite shut at rest; spoken words open it by some seven millimetres more.
  const Mouths drawn = mouths_of(source().avatar), found = mouths_of(avatar);
  CHECK(found.shut_mm < 0.3f);
  CHECK(found.rest_mm < drawn.rest_mm + 1.5f);
  CHECK(found.darkest > drawn.darkest - 12);
}

CHECK_CASE("landmarks too coarse to be followed point by point keep the head's movement") {
  const auto film = filmed();
  std::mt19937 random(8);
  std::normal_distribution<float> noise(0, 4 * kNoisePx);
  for (std::size_t i = static_cast<std::size_t>(kLandmarkCount) * 3 * 5; i < film->landmarks.size(); ++i) {
    film->landmarks[i] += noise(random);
  }
  const auto avatar = rigged(*film);
  CHECK(avatar->frame_count() >= 50);
}

CHECK_CASE("at rest every frame is the footage's, and a moving mouth changes nothing outside its box") {
  const auto film = filmed();
  const auto avatar = rigged(*film);
  const auto renderer = FaceRenderer::create(avatar);
  I420Frame out(kSide, kSide);
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(Viseme::aa)] = 1;
  for (int f = 0; f < avatar->frame_count(); f += 7) {
    renderer->render(f, pose, out.view());
    const Box& box = avatar->rig().face_box(f);
    const I420Frame rest = frame_of(*avatar, f);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) continue;
        const auto at = static_cast<std::size_t>(y * kSide + x);
        CHECK(out.bytes()[at] == rest.bytes()[at]);
      }
    }
  }
}

CHECK_CASE("footage that cannot be used is refused with a reason, and leaves nothing behind") {
  const auto film = filmed({.frames = 60});
  const auto refused = [&](const char* why, const std::function<void(FootageOptions&)>& change) {
    const test::TempDir out;
    FootageOptions options = film->options(out);
    change(options);
    try {
      build_footage(options);
      check::fail(__FILE__, __LINE__, std::string("taken: ") + why);
    } catch (const BuildError& error) {
      CHECK(std::string(error.what()).find(why) != std::string::npos);
      if (std::string(error.what()).find(why) == std::string::npos) std::printf("     said: %s\n", error.what());
    }
    CHECK(std::filesystem::is_empty(out.path()));
  };
  std::vector<float> landmarks;
  const auto with = [&](FootageOptions& o, std::size_t at, float value) {
    landmarks = film->landmarks;
    landmarks[at] = value;
    o.landmarks = landmarks;
  };
  refused("two seconds", [](FootageOptions& o) { o.frames = 49; });
  refused("a minute", [](FootageOptions& o) { o.frames = 1501; });
  refused("number of frames", [](FootageOptions& o) { o.frames = 59; });
  refused("even", [](FootageOptions& o) { o.width = 255; });
  refused("even", [](FootageOptions& o) { o.height = 64; });
  refused("25 or 30", [](FootageOptions& o) { o.fps = 24; });
  refused("none of the footage", [](FootageOptions& o) { o.still = 60; });
  refused("folder", [](FootageOptions& o) { o.out_dir = "/nonexistent/visavis"; });
  refused("cannot be read", [](FootageOptions& o) { o.frames_path = "/nonexistent/visavis"; });
  refused("cannot be read", [](FootageOptions& o) { o.width = 192; });
  refused("frame 31 is not a number",
          [&](FootageOptions& o) { with(o, 31 * kLandmarkCount * 3 + 7, std::numeric_limits<float>::quiet_NaN()); });
  refused("frame 59 lies outside", [&](FootageOptions& o) { with(o, 59 * kLandmarkCount * 3 + 9, 1e9f); });
  refused("frame", [&](FootageOptions& o) {
    landmarks = film->landmarks;
    // The face is all in one point for a while.
    for (std::size_t i = 20 * kLandmarkCount * 3; i < 40 * kLandmarkCount * 3; ++i) landmarks[i] = 128;
    o.landmarks = landmarks;
  });
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
