#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "check.h"
#include "drawn_face.h"
#include "no_fold.h"
#include "rig_limits.h"
#include "rig_start.h"
#include "visavis/face/avatar.h"

namespace visavis {
namespace {

using test::Expression;

std::shared_ptr<const Avatar> build(int width, int height, Expression expression, const test::TempDir& dir) {
  build_avatar(test::options_for(test::draw_face(width, height, expression), dir.path()));
  return Avatar::load(dir.path());
}

// Largest distance between the inner lips, in millimetres of the face.
float inner_gap_mm(const Rig& rig, int frame, const MouthPose& pose) {
  std::vector<PointF> points(rig.point_count());
  pose_points(rig, frame, pose, points);
  float gap = 0;
  for (std::size_t k = 0; k < rig.contours.inner_upper_lip.size(); ++k) {
    const PointF u = points[rig.contours.inner_upper_lip[k]], l = points[rig.contours.inner_lower_lip[k]];
    gap = std::max(gap, std::hypot(l.x - u.x, l.y - u.y));
  }
  return gap / rig.px_per_mm;
}

MouthPose pose_of(Viseme viseme, float weight = 1, float loudness = 0.5f) {
  MouthPose pose;
  pose.weights[static_cast<std::size_t>(viseme)] = weight;
  pose.loudness = loudness;
  return pose;
}

std::string refusal(const BuildOptions& options) {
  try {
    build_avatar(options);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

CHECK_CASE("lips shut at PP and open at aa, whatever the photograph shows") {
  for (const Expression expression : {Expression::kNeutral, Expression::kSmiling}) {
    const test::TempDir dir;
    const auto avatar = build(256, 256, expression, dir);
    const Rig& rig = avatar->rig();
    for (int frame = 0; frame < rig.frame_count; frame += 7) {
      for (const float loudness : {0.0f, 1.0f}) {
        CHECK(inner_gap_mm(rig, frame, pose_of(Viseme::PP, 1, loudness)) < 0.15f);
        CHECK(inner_gap_mm(rig, frame, pose_of(Viseme::aa, 1, loudness)) > 7.0f);
      }
      CHECK(inner_gap_mm(rig, frame, pose_of(Viseme::aa, 1, 1)) >
            inner_gap_mm(rig, frame, pose_of(Viseme::aa, 1, 0)) + 1);
    }
  }
}

CHECK_CASE("openings keep the order of the visemes, and rounding narrows the mouth") {
  const test::TempDir dir;
  const auto avatar = build(256, 256, Expression::kNeutral, dir);
  const Rig& rig = avatar->rig();
  const auto gap = [&](Viseme v) { return inner_gap_mm(rig, 0, pose_of(v)); };
  CHECK(gap(Viseme::aa) > gap(Viseme::O) && gap(Viseme::O) > gap(Viseme::I) && gap(Viseme::I) > gap(Viseme::SS));
  CHECK(gap(Viseme::aa) > gap(Viseme::E) && gap(Viseme::E) > gap(Viseme::I));
  CHECK(gap(Viseme::SS) > gap(Viseme::FF) && gap(Viseme::FF) > gap(Viseme::PP));
  const auto mouth_width = [&](Viseme v) {
    std::vector<PointF> points(rig.point_count());
    pose_points(rig, 0, pose_of(v), points);
    const PointF a = points[rig.contours.outer_upper_lip.front()], b = points[rig.contours.outer_upper_lip.back()];
    return std::hypot(b.x - a.x, b.y - a.y) / rig.px_per_mm;
  };
  CHECK(mouth_width(Viseme::U) < mouth_width(Viseme::aa) - 8);
  CHECK(mouth_width(Viseme::O) < mouth_width(Viseme::aa) - 6);
  CHECK(mouth_width(Viseme::I) > mouth_width(Viseme::aa) + 2);
}

CHECK_CASE("eyes, nose and the picture's surroundings stay where they are") {
  const test::TempDir dir;
  const auto avatar = build(256, 256, Expression::kSmiling, dir);
  const Rig& rig = avatar->rig();
  const std::vector<char> moves = face::moving_points(rig);
  for (const int id : {1, 2, 4, 5, 6, 33, 133, 159, 145, 263, 362, 386, 374, 10, 9, 468, 473}) CHECK(moves[id] == 0);
  for (std::size_t i = kLandmarkCount + 36; i < rig.point_count(); ++i) CHECK(moves[i] == 0);
}

CHECK_CASE("no pose folds the mesh in any frame") {
  for (const Expression expression : {Expression::kNeutral, Expression::kSmiling}) {
    const test::TempDir dir;
    const auto avatar = build(320, 320, expression, dir);
    const Rig& rig = avatar->rig();
    const std::vector<Triangle> among = face::moving_triangles(rig);
    CHECK(among.size() > 200);
    for (int frame = 0; frame < rig.frame_count; frame += check::kSanitized ? 10 : 1) {
      for (std::size_t v = 1; v < kVisemeCount; ++v) {
        for (const float loudness : {0.0f, 1.0f}) {
          CHECK(face::folded(rig, among, frame, pose_of(static_cast<Viseme>(v), 1, loudness)).empty());
        }
      }
    }
    std::mt19937 random(99);
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < (check::kSanitized ? 150 : 1500); ++i) {
      MouthPose pose;
      float sum = unit(random);
      for (std::size_t v = 1; v < kVisemeCount; ++v) sum += pose.weights[v] = std::pow(unit(random), 4.0f);
      for (float& weight : pose.weights) weight /= sum;
      pose.loudness = unit(random);
      CHECK(face::folded(rig, among, i % rig.frame_count, pose).empty());
    }
  }
}

CHECK_CASE("the same seed gives the same avatar, another seed another loop") {
  const test::DrawnFace face = test::draw_face(160, 160);
  const auto build_with = [&](std::uint64_t seed) {
    const test::TempDir dir;
    BuildOptions options = test::options_for(face, dir.path());
    options.seed = seed;
    build_avatar(options);
    return Rig::load(dir.path() / "rig.vvr").serialize();
  };
  CHECK(build_with(4) == build_with(4));
  CHECK(build_with(4) != build_with(5));
}

CHECK_CASE("a tilted and turned face is accepted") {
  test::DrawnFace face = test::draw_face(256, 256);
  const float c = std::cos(0.3f), s = std::sin(0.3f), cy = std::cos(0.35f), sy = std::sin(0.35f);
  for (std::size_t i = 0; i < face.landmarks.size(); i += 3) {
    float x = face.landmarks[i] - 128, y = face.landmarks[i + 1] - 128, z = face.landmarks[i + 2];
    const float turned = x * cy + z * sy;
    z = z * cy - x * sy;
    face.landmarks[i] = 128 + turned * c - y * s;
    face.landmarks[i + 1] = 128 + turned * s + y * c;
    face.landmarks[i + 2] = z;
  }
  const test::TempDir dir;
  build_avatar(test::options_for(face, dir.path()));
  const Rig rig = Rig::load(dir.path() / "rig.vvr");
  CHECK(inner_gap_mm(rig, 0, pose_of(Viseme::PP)) < 0.2f);
  CHECK(inner_gap_mm(rig, 0, pose_of(Viseme::aa)) > 6.0f);
}

CHECK_CASE("unusable landmarks are refused with a reason") {
  const test::DrawnFace good = test::draw_face(256, 256);
  const test::TempDir dir;
  const auto refuses = [&](const char* word, auto spoil) {
    test::DrawnFace face = good;
    spoil(face.landmarks);
    const std::string why = refusal(test::options_for(face, dir.path()));
    if (why.find(word) == std::string::npos) std::fprintf(stderr, "expected '%s' in '%s'\n", word, why.c_str());
    CHECK(why.find(word) != std::string::npos);
  };
  refuses("478", [](auto& l) { l.pop_back(); });
  refuses("478", [](auto& l) { l.clear(); });
  refuses("not a number", [](auto& l) { l[100] = std::numeric_limits<float>::quiet_NaN(); });
  refuses("not a number", [](auto& l) { l[7] = std::numeric_limits<float>::infinity(); });
  refuses("outside", [](auto& l) {
    for (std::size_t i = 0; i < l.size(); i += 3) l[i] += 200;
  });
  refuses("mirrored", [](auto& l) {
    for (std::size_t i = 0; i < l.size(); i += 3) l[i] = 256 - l[i];
  });
  refuses("too small", [](auto& l) {
    for (float& v : l) v *= 0.2f;
  });
  refuses("depth", [](auto& l) {
    for (std::size_t i = 2; i < l.size(); i += 3) l[i] = 0;
  });
  refuses("fold", [](auto& l) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> anywhere(60, 200);
    for (std::size_t i = 0; i < 468 * 3; i += 3) {
      if (random() % 3 == 0) l[i] = anywhere(random), l[i + 1] = anywhere(random);
    }
  });
  refuses("upright", [](auto& l) {
    for (std::size_t i = 0; i < l.size(); i += 3) {
      const float x = l[i] - 128, y = l[i + 1] - 128;
      l[i] = 128 - y;
      l[i + 1] = 128 + x;
    }
  });
  CHECK(!std::filesystem::exists(dir.path() / "rig.vvr"));
  CHECK(!std::filesystem::exists(dir.path() / "loop.i420"));
}

CHECK_CASE("a rig that could not be loaded again is never made: the landmarks are to blame, not a file") {
  const test::TempDir dir;
  build_avatar(test::options_for(test::draw_face(160, 160), dir.path()));
  const Rig sound = Rig::load(dir.path() / "rig.vvr");
  const auto refuses = [&](const char* word, auto spoil) {
    Rig rig = sound;
    spoil(rig);
    std::string why;
    try {
      face::finish_rig(rig);
    } catch (const BuildError& error) {
      why = error.what();
    }
    CHECK(why.find("do not look like a face") != std::string::npos && why.find(word) != std::string::npos);
  };
  refuses("no extent", [](Rig& rig) {
    // Sheared until all of it lies along one line.
    for (PointF& p : rig.rest) p.x += 200 * p.y;
    for (PointF& p : rig.rest) p = {p.x / 200, p.y / 200};
  });
  refuses("movement", [](Rig& rig) {
    std::fill_n(rig.tracks.begin() + static_cast<std::ptrdiff_t>(3 * rig.point_count()), rig.point_count(),
                PointF{80, 80});
  });
  refuses("track", [](Rig& rig) { rig.tracks.back().x = std::numeric_limits<float>::quiet_NaN(); });
  refuses("track", [](Rig& rig) { rig.tracks.front().y = 2 * face::kMaxCoordinate; });
  Rig rig = sound;
  face::finish_rig(rig);
  CHECK(rig.boxes.size() == static_cast<std::size_t>(rig.frame_count));
}

CHECK_CASE("unusable options are refused with a reason") {
  const test::DrawnFace face = test::draw_face(256, 256);
  const test::TempDir dir;
  const auto refused = [&](auto spoil) {
    BuildOptions options = test::options_for(face, dir.path());
    spoil(options);
    return !refusal(options).empty();
  };
  CHECK(refused([](BuildOptions& o) { o.rgb = o.rgb.first(100); }));
  CHECK(refused([](BuildOptions& o) { o.output_width = 255; }));
  CHECK(refused([](BuildOptions& o) { o.output_height = 512; }));
  CHECK(refused([](BuildOptions& o) { o.fps = 24; }));
  CHECK(refused([](BuildOptions& o) { o.loop_seconds = 0.1; }));
  CHECK(refused([](BuildOptions& o) { o.loop_seconds = std::numeric_limits<double>::quiet_NaN(); }));
  CHECK(refused([](BuildOptions& o) { o.motion = 2; }));
  CHECK(refused([](BuildOptions& o) { o.out_dir = "/nonexistent/folder"; }));
}

}  // namespace
}  // namespace visavis

CHECK_MAIN
