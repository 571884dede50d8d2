// A mouth that talks: the weights wander from viseme to viseme.
#pragma once

#include <cstddef>

#include "visavis/viseme.h"

namespace visavis::bench {

inline MouthPose talking_pose(int i) {
  MouthPose pose;
  const std::size_t from = 1 + static_cast<std::size_t>(i / 4) % (kVisemeCount - 1);
  const std::size_t to = 1 + static_cast<std::size_t>(i / 4 + 1) % (kVisemeCount - 1);
  const float t = static_cast<float>(i % 4) / 4;
  pose.weights[from] = 1 - t;
  pose.weights[to] = t;
  pose.loudness = 0.7f;
  return pose;
}

}  // namespace visavis::bench
