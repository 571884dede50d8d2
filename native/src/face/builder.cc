#include "visavis/face/builder.h"

#include <cmath>
#include <string>

#include "color.h"
#include "landmarks.h"
#include "rig_start.h"
#include "tone.h"
#include "tone_loop.h"

namespace visavis {

namespace {

void check(const BuildOptions& o) {
  const auto refuse = [](const std::string& why) { throw BuildError(why); };
  if (o.width < 64 || o.height < 64 || o.width > 8192 || o.height > 8192)
    refuse("the picture must be 64 to 8192 pixels a side");
  if (o.rgb.size() != static_cast<std::size_t>(o.width) * o.height * 3)
    refuse("the picture's bytes do not match its size");
  for (const int side : {o.output_width, o.output_height}) {
    if (side < 128 || side > 4096 || side % 2 != 0) refuse("the avatar's size must be even, 128 to 4096 pixels a side");
  }
  const double source = static_cast<double>(o.width) / o.height,
               target = static_cast<double>(o.output_width) / o.output_height;
  if (std::fabs(source / target - 1) > 0.02) refuse("the picture and the avatar must have the same shape");
  if (o.fps != 25 && o.fps != 30) refuse("the frame rate must be 25 or 30");
  if (!(o.loop_seconds >= 2 && o.loop_seconds <= 60)) refuse("the loop must last 2 to 60 seconds");
  if (!(o.motion >= 0 && o.motion <= 1)) refuse("motion must be between 0 and 1");
  if (face::find_tone(o.tone) == nullptr) refuse("there is no tone \"" + o.tone + "\"");
  if (!std::filesystem::is_directory(o.out_dir)) refuse("the folder to write into does not exist");
}

}  // namespace

AvatarInfo build_avatar(const BuildOptions& options) {
  check(options);
  face::Face face =
      face::fit_face(options.landmarks, options.width, options.height, options.output_width, options.output_height);
  const I420Frame still =
      face::rgb_to_i420(options.rgb, options.width, options.height, options.output_width, options.output_height);
  const Rig rig = face::start_rig(face, still.view(), options.fps,
                                  static_cast<int>(std::lround(options.loop_seconds * options.fps)));
  face::LoopOptions loop;
  loop.tone = options.tone;
  loop.motion = options.motion;
  loop.seed = options.seed;
  loop.dir = options.out_dir;
  face::build_loop(face, still.view(), rig, loop);
  return {rig.width, rig.height, rig.fps, rig.frame_count};
}

}  // namespace visavis
