// An avatar is shown talking, on every device this machine has, and what the renderer promises is looked for.
#pragma once

#include <filesystem>
#include <memory>

#include "visavis/face/avatar.h"
#include "visavis/viseme.h"

namespace visavis::fuzz {

// A mouth wide open, with the lower lip on its way to the teeth.
MouthPose talking_pose();

// Ends the process where a frame is not what the renderer's header says of it: the loop's own at rest and outside of
// the face's box, and the same on every device.
void show(const std::shared_ptr<const Avatar>& avatar, const MouthPose& pose);

// One face wears the other, as a Stage that changes its tone. Ends the process where what is drawn between two loops
// depends on the device. Loops that do not go together are refused as the Stage refuses them.
void change_tone(const std::shared_ptr<const Avatar>& from, const std::shared_ptr<const Avatar>& to,
                 const MouthPose& pose);

}  // namespace visavis::fuzz
