#include "tone_loop.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "baked_mouth.h"
#include "expression.h"
#include "idle_timeline.h"
#include "mesh.h"
#include "motion.h"
#include "mouth_shapes.h"
#include "rig_start.h"
#include "tone.h"
#include "visavis/face/builder.h"
#include "whole_file.h"

namespace visavis::face {

namespace {

// How much of a tone is tried; less where the whole of it would fold this face.
constexpr std::array<float, 4> kStrengths = {1.0f, 0.85f, 0.7f, 0.5f};
constexpr float kBakedSeam = 0.01f, kPartedSeam = 0.45f;

// What a tone makes of the face, ready to be drawn.
struct Worn {
  Expression expression;
  Face shown;  // With the expression.
};

// Lays the tone over the face and gives the rig the shapes of the face that wears it.
Worn wear(const ToneTarget& tone, const Face& face, const RestMouth& mouth, float strength, Rig& rig) {
  Worn worn{make_expression(tone, face, mouth, strength), {}};
  Expression& expression = worn.expression;
  const Face laid = expressed(face, expression, true);
  worn.shown = laid;
  settle(worn.shown);
  for (std::size_t i = 0; i < laid.points.size(); ++i) {
    expression.steady[i] = expression.steady[i] + worn.shown.points[i] - laid.points[i];
  }
  Face shut = expressed(face, expression, false);
  const std::vector<PointF> unsettled = shut.points;
  settle(shut);
  for (std::size_t i = 0; i < unsettled.size(); ++i) {
    // What the lips' parting leaves alone must not move when they speak.
    const PointF p = expression.parting[i];
    if (p.x == 0 && p.y == 0) shut.points[i] = unsettled[i];
  }
  MouthShapes shapes = make_mouth_shapes(shut, measure_mouth(shut));
  // Visemes begin at lips that the tone may have parted.
  for (std::size_t v = 1; v < kVisemeCount; ++v) {
    for (std::size_t i = 0; i < shut.points.size(); ++i) {
      const PointF p = expression.parting[i];
      if (p.x == 0 && p.y == 0) continue;
      shapes.shapes[v][i] = shapes.shapes[v][i] + shut.points[i] - worn.shown.points[i];
    }
  }
  rig.rest = worn.shown.points;
  rig.shapes = std::move(shapes.shapes);
  rig.jaw = std::move(shapes.jaw);
  rig.jaw_mm = shapes.jaw_mm;
  rig.tongue_mm = shapes.tongue_mm;
  return worn;
}

// Where every point goes in every frame, and the shapes bent until none of them folds. Throws BuildError.
void track(MotionRenderer& motion, const std::vector<IdlePose>& poses, std::size_t tried_frames, Rig& rig) {
  std::vector<PointF> points;
  rig.tracks.clear();
  for (const IdlePose& pose : poses) {
    motion.place(pose, points);
    rig.tracks.insert(rig.tracks.end(), points.begin(), points.end());
  }
  finish_rig(rig, tried_frames);
}

void write_loop(MotionRenderer& motion, const std::vector<IdlePose>& poses, BakedMouth* mouth,
                const Rig& rig, const std::filesystem::path& dir) {
  WholeFile loop(dir / "loop.i420");
  I420Frame frame(rig.width, rig.height);
  std::vector<PointF> points;
  for (const IdlePose& pose : poses) {
    motion.render(pose, frame.view(), points);
    if (mouth != nullptr) mouth->draw(points, frame);
    loop.write(frame.bytes());
  }
  rig.save(dir / "rig.vvr");
  loop.commit();
}

// Throws BuildError where this much of the tone folds the face; nothing is written then.
void build_tone(const ToneTarget& tone, const Face& face, const RestMouth& mouth, const I420View& still,
                const std::vector<IdlePose>& poses, float strength, Rig rig, const LoopOptions& options) {
  const Worn worn = wear(tone, face, mouth, strength, rig);
  MotionRenderer motion(face, still, worn.expression, worn.shown);
  track(motion, poses, options.tried_frames, rig);
  std::optional<BakedMouth> baked;
  if (worn.expression.paints_mouth) {
    baked.emplace(rig, worn.expression.jaw_mm);
    // Lips that the tone parted carry a rim of what is between them when they shut. A loop whose lips it shut has the
    // line between them already, and speech must not draw it a second time.
    if (worn.expression.jaw_mm > 0) {
      rig.mouth.seam_shade = kPartedSeam;
    } else if (rig.mouth.seam_shade > 0) {
      rig.mouth.seam_shade = kBakedSeam;
    }
  }
  write_loop(motion, poses, baked ? &*baked : nullptr, rig, options.dir);
}

}  // namespace

void build_loop(const Face& face, const I420View& still, Rig rig, const LoopOptions& options) {
  const ToneTarget* tone = find_tone(options.tone);
  if (tone == nullptr) throw BuildError("there is no such tone");
  std::vector<IdlePose> poses = idle_timeline(rig.fps, rig.frame_count, options.motion, options.seed);
  if (tone->name == "neutral") {
    MotionRenderer motion(face, still);
    track(motion, poses, kFewFrames, rig);
    write_loop(motion, poses, nullptr, rig, options.dir);
    return;
  }
  wear_tone(*tone, rig.fps, options.seed, poses);
  const RestMouth mouth = measure_mouth(face);
  for (const float strength : kStrengths) {
    try {
      return build_tone(*tone, face, mouth, still, poses, strength, rig, options);
    } catch (const BuildError&) {
      if (strength == kStrengths.back()) throw;
    }
  }
}

}  // namespace visavis::face
