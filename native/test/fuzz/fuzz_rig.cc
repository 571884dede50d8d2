// Avatar::load lets nothing in that a Stage could stumble over. An input is a list of changes to the sound rig of a
// face, some made to its fields, so that every count still agrees, and some to the bytes of its file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "drawn_face.h"
#include "recipe.h"
#include "sealed.h"
#include "shown.h"
#include "visavis/errors.h"

namespace visavis::fuzz {
namespace {

constexpr int kLargestDrawn = 256;  // Pixels a side; larger frames only take longer.
constexpr int kMostChanges = 64;
constexpr int kSide = 128;

// Built once: faces of a photograph, with and without teeth, and of tones that part the lips, shut them and bake a
// mouth.
const std::vector<Rig>& sound_rigs() {
  static const std::vector<Rig> rigs = [] {
    std::vector<Rig> made;
    const auto build = [&](test::Expression expression, const char* tone) {
      const test::TempDir dir;
      const test::DrawnFace face = test::draw_face(kSide, kSide, expression);
      BuildOptions options = test::options_for(face, dir.path());
      options.tone = tone;
      build_avatar(options);
      Rig rig = Rig::load(dir.path() / "rig.vvr");
      rig.frame_count = 2;
      rig.tracks.resize(2 * rig.point_count());
      made.push_back(std::move(rig));
    };
    build(test::Expression::kNeutral, "neutral");
    build(test::Expression::kNeutral, "surprised");
    build(test::Expression::kSmiling, "neutral");
    build(test::Expression::kSmiling, "serious");
    return made;
  }();
  return rigs;
}

// Every pixel differs from its neighbours, so that one sampled elsewhere is seen.
std::vector<std::uint8_t> loop_of(const Rig& rig) {
  static const std::vector<std::uint8_t> kNoise = [] {
    std::vector<std::uint8_t> noise(1 << 16);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 13);
    return noise;
  }();
  std::vector<std::uint8_t> bytes(i420_bytes(rig.width, rig.height) * static_cast<std::size_t>(rig.frame_count));
  for (std::size_t at = 0; at < bytes.size(); at += kNoise.size()) {
    std::copy_n(kNoise.begin(), std::min(kNoise.size(), bytes.size() - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

void write(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::shared_ptr<const Avatar> stored(std::span<const std::uint8_t> rig, std::span<const std::uint8_t> loop) {
  const test::TempDir dir;
  write(dir.path() / "rig.vvr", rig);
  write(dir.path() / "loop.i420", loop);
  return Avatar::load(dir.path());
}

const std::shared_ptr<const Avatar>& sound_avatar(std::size_t which) {
  static const std::vector<std::shared_ptr<const Avatar>> avatars = [] {
    std::vector<std::shared_ptr<const Avatar>> made;
    for (const Rig& rig : sound_rigs()) made.push_back(stored(rig.serialize(), loop_of(rig)));
    return made;
  }();
  return avatars[which];
}

std::vector<PointF>& points_of(Rig& rig, std::size_t which) {
  if (which == 0) return rig.rest;
  if (which == 1) return rig.tracks;
  if (which == 2) return rig.jaw;
  return rig.shapes[(which - 3) % kVisemeCount];
}

void change_points(Rig& rig, Recipe& recipe) {
  std::vector<PointF>& points = points_of(rig, recipe.below(3 + kVisemeCount));
  const std::size_t from = recipe.below(points.size()), step = 1 + recipe.below(4);
  const std::uint8_t run = recipe.byte();
  const std::size_t count = run > 250 ? points.size() : 1 + run % 64;
  const int how = static_cast<int>(recipe.below(4));
  const float x = recipe.number(), y = recipe.number();
  for (std::size_t i = from, done = 0; i < points.size() && done < count; i += step, ++done) {
    PointF& p = points[i];
    if (how == 0) p = {x, y};
    if (how == 1) p = {p.x + x, p.y + y};
    if (how == 2) p = {p.x * x, p.y * y};
    if (how == 3) std::swap(p.x, p.y);
  }
}

// The head of one frame is moved, turned and stretched.
void change_head(Rig& rig, Recipe& recipe) {
  const std::size_t row = rig.point_count(), frame = recipe.below(static_cast<std::size_t>(rig.frame_count));
  const Affine move = {recipe.number(), recipe.number(), recipe.number(),
                       recipe.number(), recipe.number(), recipe.number()};
  for (std::size_t i = frame * row; i < std::min((frame + 1) * row, rig.tracks.size()); ++i) {
    rig.tracks[i] = move.apply(rig.tracks[i]);
  }
}

void change_scalar(Rig& rig, Recipe& recipe) {
  const std::size_t which = recipe.below(11);
  const auto side = [&] { return static_cast<int>(recipe.below(300)) - 4; };
  if (which == 0) rig.width = side();
  if (which == 1) rig.height = side();
  if (which == 2) rig.fps = recipe.pick(std::array<int, 4>{25, 30, 0, -25});
  if (which == 3) rig.px_per_mm = recipe.number();
  if (which == 4) {
    // Most are of unit length.
    const float angle = recipe.number();
    rig.down = {std::sin(angle), std::cos(angle)};
    if (recipe.below(4) == 0) rig.down = {recipe.number(), recipe.number()};
  }
  if (which == 5) rig.mouth.origin = {recipe.number(), recipe.number()};
  if (which == 6) rig.mouth.lip_shadow = recipe.number();
  if (which == 7) rig.mouth.seam_shade = recipe.number();
  if (which == 8) rig.jaw_mm[recipe.below(kVisemeCount)] = recipe.number();
  if (which == 9) rig.tongue_mm[recipe.below(kVisemeCount)] = recipe.number();
  if (which == 10) {
    rig.width = side() & ~1;
    rig.height = side() & ~1;
  }
}

void change_indices(Rig& rig, Recipe& recipe) {
  const std::size_t which = recipe.below(12);
  const auto id = [&] { return static_cast<std::uint16_t>(recipe.below(rig.point_count() + 2)); };
  if (which >= 8) {
    if (which == 8) rig.triangles.resize(recipe.below(rig.triangles.size() + 8));
    if (rig.triangles.empty()) return;
    const std::size_t at = recipe.below(rig.triangles.size());
    rig.triangles[at] = {id(), id(), id()};
    return;
  }
  auto& c = rig.contours;
  std::array<std::vector<std::uint16_t>*, 8> contours = {
      &c.inner_upper_lip, &c.inner_lower_lip, &c.outer_upper_lip, &c.outer_lower_lip,
      &c.left_upper_lid,  &c.left_lower_lid,  &c.right_upper_lid, &c.right_lower_lid};
  std::vector<std::uint16_t>& contour = *contours[which];
  if (const std::uint8_t length = recipe.byte(); length < 70) {
    contour.resize(length);
    // The inner lips must stay of one length to be let in.
    if (which == 0) c.inner_lower_lip.resize(length);
    if (which == 1) c.inner_upper_lip.resize(length);
  }
  if (!contour.empty()) contour[recipe.below(contour.size())] = id();
}

void change_mouth(Rig& rig, Recipe& recipe) {
  MouthInterior& mouth = rig.mouth;
  mouth.width = static_cast<int>(recipe.below(70)) - 2;
  mouth.height = static_cast<int>(recipe.below(70)) - 2;
  const std::size_t luma = static_cast<std::size_t>(std::max(mouth.width, 0)) * std::max(mouth.height, 0);
  const std::uint8_t fill = recipe.byte();
  for (MouthLayer* layer : {&mouth.cavity, &mouth.tongue, &mouth.lower_teeth, &mouth.upper_teeth}) {
    layer->y.resize(luma, fill);
    layer->alpha.resize(luma, fill);
    layer->u.resize(luma / 4, fill);
    layer->v.resize(luma / 4, fill);
  }
}

void resize(Rig& rig, Recipe& recipe) {
  const std::size_t before = rig.point_count();
  if (recipe.below(2) == 0) {
    rig.frame_count = static_cast<int>(recipe.below(6));
    std::vector<PointF> tracks;
    for (int f = 0; f < rig.frame_count; ++f) {
      for (std::size_t i = 0; i < before; ++i) tracks.push_back(i < rig.tracks.size() ? rig.tracks[i] : PointF{});
    }
    rig.tracks = std::move(tracks);
    return;
  }
  const std::size_t count = recipe.pick(std::array<std::size_t, 5>{478, 480, 700, 2048, 2049});
  const PointF added = {recipe.number(), recipe.number()};
  std::vector<PointF> tracks;
  for (int f = 0; f < rig.frame_count; ++f) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = static_cast<std::size_t>(f) * before + i;
      tracks.push_back(i < before && at < rig.tracks.size() ? rig.tracks[at] : added);
    }
  }
  rig.tracks = std::move(tracks);
  rig.rest.resize(count, added);
  rig.jaw.resize(count);
  for (auto& shape : rig.shapes) shape.resize(count);
}

void change_bytes(std::vector<std::uint8_t>& bytes, Recipe& recipe) {
  if (bytes.empty()) return;
  // Headers and counts lie at the start more often than anywhere else.
  const bool early = recipe.below(2) == 0;
  const std::size_t at = recipe.word() % (early ? std::min<std::size_t>(bytes.size(), 64) : bytes.size());
  const std::size_t count = 1 + recipe.below(8);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (recipe.below(4)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes.insert(place, count, recipe.byte());
      break;
    case 2:
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(std::min(count, bytes.size() - at)));
      break;
    default:
      for (std::size_t i = at; i < std::min(at + count, bytes.size()); ++i) bytes[i] = recipe.byte();
  }
}

void seal(std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < sizeof(std::uint32_t)) return;
  const std::size_t body = bytes.size() - sizeof(std::uint32_t);
  const std::uint32_t crc = crc32({bytes.data(), body});
  std::memcpy(bytes.data() + body, &crc, sizeof(crc));
}

void run(std::span<const std::uint8_t> input) {
  Recipe recipe(input);
  const std::size_t which = recipe.below(sound_rigs().size());
  Rig rig = sound_rigs()[which];
  MouthPose pose = talking_pose();
  std::vector<std::uint8_t> bytes;
  const bool is_sealed = recipe.byte() != 255;
  const int loop_error = recipe.byte() == 255 ? static_cast<int>(recipe.byte()) - 128 : 0;
  for (int changes = 0; changes < kMostChanges && !recipe.empty(); ++changes) {
    const std::size_t what = recipe.below(10);
    // The fields first: what stands in the file is not read back until the end.
    if (what < 3 && bytes.empty()) change_points(rig, recipe);
    if (what == 3 && bytes.empty()) change_head(rig, recipe);
    if (what == 4 && bytes.empty()) change_scalar(rig, recipe);
    if (what == 5 && bytes.empty()) change_indices(rig, recipe);
    if (what == 6 && bytes.empty()) change_mouth(rig, recipe);
    if (what == 7 && bytes.empty()) resize(rig, recipe);
    if (what == 8) pose.weights[recipe.below(kVisemeCount)] = recipe.number();
    if (what == 9) {
      if (bytes.empty()) bytes = rig.serialize();
      change_bytes(bytes, recipe);
    }
  }
  if (bytes.empty()) bytes = rig.serialize();
  if (is_sealed) seal(bytes);
  const Rig parsed = Rig::parse(bytes);
  if (std::max(parsed.width, parsed.height) > kLargestDrawn || parsed.frame_count > 8) return;
  std::vector<std::uint8_t> loop = loop_of(parsed);
  loop.resize(loop.size() + static_cast<std::size_t>(std::max(loop_error, 0)));
  loop.resize(loop.size() - static_cast<std::size_t>(std::max(-loop_error, 0)));
  const auto avatar = stored(bytes, loop);
  show(avatar, pose);
  // One way or the other: half of the work.
  if (input.size() % 2 == 0) {
    change_tone(sound_avatar(which), avatar, pose);
  } else {
    change_tone(avatar, sound_avatar(which), pose);
  }
}

}  // namespace
}  // namespace visavis::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  visavis::fuzz::sound_avatar(0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    visavis::fuzz::run({data, size});
  } catch (const visavis::FormatError&) {
    // What a damaged file deserves.
  }
  return 0;
}
