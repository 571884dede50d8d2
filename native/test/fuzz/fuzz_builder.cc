// build_avatar and build_footage make an avatar that can be shown, or say what is wrong: whatever a broken landmark
// model or a hostile caller of the binding hands them. An input is a list of changes to a sound picture, film and
// landmarks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <vector>

#include "drawn_face.h"
#include "face/color.h"
#include "face/landmarks.h"
#include "face/rig_start.h"
#include "face/tone_loop.h"
#include "recipe.h"
#include "shown.h"
#include "visavis/face/builder.h"
#include "visavis/face/footage.h"

namespace visavis::fuzz {
namespace {

using test::DrawnFace;
using test::Expression;

constexpr int kSide = 128;
constexpr int kMostChanges = 32;
constexpr int kLongestDrawn = 2;  // Seconds of loop; longer ones only take longer.
constexpr int kShortFrames = 12;  // Of a loop that the door is not asked for: a blink has room in it.
constexpr std::array<const char*, 10> kTones = {"neutral", "warm",    "happy", "excited",   "concerned",
                                                "serious", "curious", "sad",   "surprised", ""};

const DrawnFace& sound_face(std::size_t which) {
  static const std::array<DrawnFace, 4> faces = {
      test::draw_face(kSide, kSide, Expression::kNeutral), test::draw_face(kSide, kSide, Expression::kSmiling, 0.6f),
      test::draw_face(kSide, kSide, Expression::kMaya, 0.5f), test::draw_face(kSide, kSide, Expression::kTheo, 0.7f)};
  return faces[which % faces.size()];
}

// Which points a change is made to: lips, eyes, outline, a run of any, or all of them.
std::vector<std::size_t> chosen(Recipe& recipe, std::size_t points) {
  static constexpr std::array<std::size_t, 20> kLips = {61, 291, 13,  14,  78,  308, 0,   17, 82,  312,
                                                        87, 317, 185, 409, 146, 375, 191, 95, 324, 415};
  static constexpr std::array<std::size_t, 12> kEyes = {33, 133, 159, 145, 362, 263, 386, 374, 468, 473, 470, 475};
  static constexpr std::array<std::size_t, 10> kOutline = {10, 152, 234, 454, 93, 323, 58, 288, 148, 377};
  std::vector<std::size_t> ids;
  switch (recipe.below(5)) {
    case 0:
      ids.assign(kLips.begin(), kLips.end());
      break;
    case 1:
      ids.assign(kEyes.begin(), kEyes.end());
      break;
    case 2:
      ids.assign(kOutline.begin(), kOutline.end());
      break;
    case 3: {
      const std::size_t from = recipe.below(points), count = 1 + recipe.below(64);
      for (std::size_t i = from; i < std::min(from + count, points); ++i) ids.push_back(i);
      break;
    }
    default:
      for (std::size_t i = 0; i < points; ++i) ids.push_back(i);
  }
  std::erase_if(ids, [&](std::size_t id) { return id >= points; });
  return ids;
}

// A pixel or two, and a quarter at most, unless the number is one that breaks sums: what is refused at once teaches
// little.
float small(Recipe& recipe) { return recipe.below(12) == 0 ? recipe.number() : (recipe.byte() - 128.0f) / 64.0f; }
float factor(Recipe& recipe) { return recipe.below(12) == 0 ? recipe.number() : 0.75f + recipe.byte() / 512.0f; }

void change_landmarks(std::span<float> landmarks, Recipe& recipe) {
  const std::size_t points = landmarks.size() / 3;
  if (points == 0) return;
  const std::vector<std::size_t> ids = chosen(recipe, points);
  // Seldom to a number of its own, whatever that is.
  const std::size_t how = recipe.below(24) == 0 ? 0 : 1 + recipe.below(6);
  const float a = how == 0 ? recipe.number() : how == 2 ? factor(recipe) : small(recipe);
  const float b = how == 0 ? recipe.number() : how == 2 ? factor(recipe) : small(recipe);
  const std::size_t axis = recipe.below(3);
  std::uint32_t noise = 1u + recipe.byte();
  float x = 0, y = 0;
  for (const std::size_t id : ids) {
    x += landmarks[id * 3] / static_cast<float>(ids.size());
    y += landmarks[id * 3 + 1] / static_cast<float>(ids.size());
  }
  for (const std::size_t id : ids) {
    float* const p = landmarks.data() + id * 3;
    const float dx = p[0] - x, dy = p[1] - y;
    if (how == 0) p[axis] = a;
    if (how == 1) {
      p[0] += a;
      p[1] += b;
    }
    if (how == 2) {
      p[0] = x + dx * a;
      p[1] = y + dy * b;
      p[2] *= a;
    }
    if (how == 3) {
      // Turned by up to a fifth of a radian.
      p[0] = x + dx * std::cos(a / 10) - dy * std::sin(a / 10);
      p[1] = y + dx * std::sin(a / 10) + dy * std::cos(a / 10);
    }
    if (how == 4) p[0] += dy * a / 8;
    if (how == 5) p[axis] = 2 * (axis == 0 ? x : y) - p[axis];
    if (how == 6) {
      for (int i = 0; i < 2; ++i) {
        noise = noise * 1664525u + 1013904223u;
        p[i] += a * (static_cast<float>(noise >> 16) / 65536.0f - 0.5f);
      }
    }
  }
}

void change_picture(std::vector<std::uint8_t>& bytes, Recipe& recipe) {
  if (bytes.empty()) return;
  const std::size_t from = recipe.word() % bytes.size();
  const std::size_t count = std::min<std::size_t>(bytes.size() - from, recipe.word() % (bytes.size() + 1));
  std::uint32_t noise = recipe.byte();
  const bool plain = recipe.below(2) == 0;
  for (std::size_t i = from; i < from + count; ++i) {
    if (!plain) noise = noise * 1664525u + 1013904223u;
    bytes[i] = static_cast<std::uint8_t>(plain ? noise : noise >> 24);
  }
}

// What was built can be loaded and shown.
void check_built(const std::filesystem::path& dir, const AvatarInfo& info, const MouthPose& pose) {
  const auto avatar = Avatar::load(dir);
  if (avatar->width() != info.width || avatar->height() != info.height || avatar->fps() != info.fps ||
      avatar->frame_count() != info.frames) {
    __builtin_trap();
  }
  show(avatar, pose);
  change_tone(avatar, avatar, pose);
}

// build_avatar() behind its door: what it does with options that are sound, in a loop too short to be asked for.
AvatarInfo build_shortly(const BuildOptions& o) {
  face::Face face = face::fit_face(o.landmarks, o.width, o.height, o.output_width, o.output_height);
  const I420Frame still = face::rgb_to_i420(o.rgb, o.width, o.height, o.output_width, o.output_height);
  const Rig rig = face::start_rig(face, still.view(), o.fps, kShortFrames);
  face::LoopOptions loop;
  loop.tone = o.tone;
  loop.motion = o.motion;
  loop.seed = o.seed;
  loop.dir = o.out_dir;
  loop.tried_frames = 2;
  face::build_loop(face, still.view(), rig, loop);
  return {rig.width, rig.height, rig.fps, rig.frame_count};
}

void photograph(Recipe& recipe) {
  const test::TempDir dir;
  DrawnFace face = sound_face(recipe.byte());
  BuildOptions options = test::options_for(face, dir.path());
  MouthPose pose = talking_pose();
  options.tone = recipe.pick(kTones);
  options.seed = recipe.byte();
  options.motion = recipe.pick(std::array<float, 4>{0.5f, 0, 1, 0.2f});
  options.fps = recipe.pick(std::array<int, 2>{25, 30});
  bool doubtful = recipe.byte() == 255;
  for (int changes = 0; changes < kMostChanges && !recipe.empty(); ++changes) {
    const std::size_t what = recipe.below(16);
    doubtful = doubtful || (what >= 1 && what <= 4);
    switch (what) {
      case 0:
      case 5:
        change_picture(face.rgb, recipe);
        break;
      case 1:
        options.output_width = static_cast<int>(recipe.below(300));
        options.output_height = recipe.below(4) == 0 ? static_cast<int>(recipe.below(300)) : options.output_width;
        break;
      case 2:
        options.loop_seconds = recipe.below(2) == 0 ? recipe.number() : 2 + recipe.byte() / 200.0;
        break;
      case 3:
        options.motion = recipe.number();
        break;
      case 4:
        if (recipe.byte() > 250) face.landmarks.resize(recipe.below(2000));
        if (recipe.byte() > 250) face.rgb.resize(recipe.word() % 100'000);
        if (recipe.byte() > 250) options.width = static_cast<int>(recipe.below(20'000)) - 100;
        if (recipe.byte() > 250) options.fps = static_cast<int>(recipe.below(40)) - 5;
        break;
      default:
        change_landmarks(face.landmarks, recipe);
    }
  }
  pose.weights[recipe.below(kVisemeCount)] = recipe.number();
  options.rgb = face.rgb;
  options.landmarks = face.landmarks;
  if (options.loop_seconds > kLongestDrawn && options.loop_seconds <= 60) options.loop_seconds = kLongestDrawn;
  // Whoever doubts the options of a tone only takes longer, too: half a minute of it.
  if (doubtful && !options.tone.empty()) options.tone = "neutral";
  if (!doubtful && !options.tone.empty()) return check_built(dir.path(), build_shortly(options), pose);
  check_built(dir.path(), build_avatar(options), pose);
}

const std::vector<std::uint8_t>& film_of(std::size_t which) {
  static std::array<std::vector<std::uint8_t>, 2> films;
  std::vector<std::uint8_t>& film = films[which % films.size()];
  if (film.empty()) {
    const test::TempDir dir;
    build_avatar(test::options_for(sound_face(which % films.size()), dir.path()));
    std::ifstream in(dir.path() / "loop.i420", std::ios::binary);
    film.assign(std::istreambuf_iterator<char>(in), {});
  }
  return film;
}

void footage(Recipe& recipe) {
  const test::TempDir dir;
  const std::size_t which = recipe.below(2);
  const DrawnFace& face = sound_face(which);
  std::vector<std::uint8_t> film = film_of(which);
  FootageOptions options;
  options.width = options.height = kSide;
  options.frames = 50;
  options.fps = 25;
  options.frames_path = dir.path() / "film.i420";
  options.out_dir = dir.path();
  options.still = static_cast<int>(recipe.below(50));
  MouthPose pose = talking_pose();
  const std::size_t row = face.landmarks.size();
  std::vector<float> landmarks;
  const std::uint8_t sway = recipe.byte();
  for (int f = 0; f < options.frames; ++f) {
    const float shift = 0.02f * sway * std::sin(0.12f * static_cast<float>(f));
    for (std::size_t i = 0; i < row; ++i) landmarks.push_back(face.landmarks[i] + (i % 3 == 0 ? shift : 0));
  }
  for (int changes = 0; changes < kMostChanges && !recipe.empty(); ++changes) {
    const std::size_t first = recipe.below(50), count = std::min<std::size_t>(50 - first, 1 + recipe.byte() % 50);
    switch (recipe.below(8)) {
      case 0:
        change_picture(film, recipe);
        break;
      case 1:
        if (recipe.byte() > 250) film.resize(recipe.word() % 3'000'000);
        if (recipe.byte() > 250) options.still = static_cast<int>(recipe.below(300)) - 100;
        if (recipe.byte() > 250) options.fps = static_cast<int>(recipe.below(40)) - 5;
        if (recipe.byte() > 250) options.frames = static_cast<int>(recipe.below(4000)) - 100;
        if (recipe.byte() > 250) options.width = static_cast<int>(recipe.below(5000)) - 100;
        break;
      case 2:
        // A mouth that opens and shuts, frame by frame.
        for (std::size_t f = first; f < first + count && (f + 1) * row <= landmarks.size(); ++f) {
          Recipe copy = recipe;
          const float wide = small(copy) * std::sin(0.6f * static_cast<float>(f));
          for (const std::size_t id : {13, 14, 17, 82, 87, 312, 317, 152, 84, 314}) {
            landmarks[f * row + id * 3 + 1] += id == 13 || id == 82 || id == 312 ? -wide : wide;
          }
        }
        small(recipe);
        break;
      default: {
        // The same change to every frame of a stretch.
        Recipe after = recipe;
        for (std::size_t f = first; f < first + count && (f + 1) * row <= landmarks.size(); ++f) {
          after = recipe;
          change_landmarks(std::span(landmarks).subspan(f * row, row), after);
        }
        recipe = after;
      }
    }
  }
  pose.weights[recipe.below(kVisemeCount)] = recipe.number();
  options.landmarks = landmarks;
  std::ofstream(options.frames_path, std::ios::binary)
      .write(reinterpret_cast<const char*>(film.data()), static_cast<std::streamsize>(film.size()));
  check_built(dir.path(), build_footage(options), pose);
}

}  // namespace
}  // namespace visavis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  visavis::fuzz::Recipe recipe({data, size});
  try {
    if (recipe.below(8) == 0) {
      visavis::fuzz::footage(recipe);
    } else {
      visavis::fuzz::photograph(recipe);
    }
  } catch (const visavis::BuildError&) {
    // What landmarks of no face deserve. Anything else that is thrown is a fault.
  }
  return 0;
}
