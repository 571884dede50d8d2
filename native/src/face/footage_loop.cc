#include "footage_loop.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "mesh.h"
#include "visavis/face/builder.h"

namespace visavis::face {

namespace {

constexpr double kLeastSeconds = 2;
constexpr double kWantedSeconds = 5;
constexpr double kWantedShare = 0.5;
constexpr double kFadeSeconds = 0.4;
// Faces that lie further apart than this are not faded into each other.
constexpr float kAlikeMm = 2.5f;
constexpr float kPaceWeight = 2.0f;        // Millimetres for each millimetre a frame by which they move differently.
constexpr float kLookMm = 1.0f / 6;        // For each step of brightness.
constexpr float kOpenFromMm = 0.8f;        // From here on a mouth is seen to be open.
constexpr float kOpenWeight = 4.0f;        // Were it open all the time.
constexpr float kShortWeight = 1.2f;       // Were the loop of no length.

// At a frame and its neighbours: how far the face moves to the next.
PointF pace(const std::vector<FilmMoment>& film, int frame, std::size_t id) {
  const int last = static_cast<int>(film.size()) - 1;
  const int before = std::max(frame - 1, 0), after = std::min(frame + 1, last);
  const PointF way =
      film[static_cast<std::size_t>(after)].points_mm[id] - film[static_cast<std::size_t>(before)].points_mm[id];
  return way * (1.0f / static_cast<float>(std::max(after - before, 1)));
}

struct Difference {
  float apart_mm = 0, all = 0;
};

Difference difference(const std::vector<FilmMoment>& film, int a, int b) {
  const FilmMoment &one = film[static_cast<std::size_t>(a)], &other = film[static_cast<std::size_t>(b)];
  float apart = 0, paces = 0;
  for (std::size_t id = 0; id < one.points_mm.size(); ++id) {
    apart += length(one.points_mm[id] - other.points_mm[id]);
    paces += length(pace(film, a, id) - pace(film, b, id));
  }
  int look = 0;
  for (std::size_t i = 0; i < one.small.size(); ++i) look += std::abs(int{one.small[i]} - int{other.small[i]});
  const float count = static_cast<float>(one.points_mm.size());
  return {apart / count, apart / count + kPaceWeight * paces / count + kLookMm * static_cast<float>(look) / 256.0f};
}

float speed(const std::vector<FilmMoment>& film, int frame) {
  float sum = 0;
  for (std::size_t id = 0; id < film.front().points_mm.size(); ++id) sum += length(pace(film, frame, id));
  return sum / static_cast<float>(film.front().points_mm.size()) +
         (film[static_cast<std::size_t>(frame)].open_mm > kOpenFromMm ? 1.0f : 0.0f);
}

LoopPlan there_and_back(const std::vector<FilmMoment>& film, int least, int most) {
  const int frames = static_cast<int>(film.size());
  const auto calmest = [&](int from, int to) {
    int best = from;
    for (int f = from; f < to; ++f) {
      if (speed(film, f) < speed(film, best)) best = f;
    }
    return best;
  };
  const int margin = std::min(frames / 5, (2 * (frames - 1) - least) / 4);
  const int first = calmest(0, std::max(margin, 1));
  const int end = std::min(frames, first + most / 2);
  const int last = calmest(std::max(end - std::max(margin, 1), first + 1), end);
  LoopPlan plan;
  plan.there_and_back = true;
  for (int f = first; f <= last; ++f) plan.frames.push_back({f});
  for (int f = last - 1; f > first; --f) plan.frames.push_back({f});
  return plan;
}

}  // namespace

std::array<std::uint8_t, 256> small_picture(const I420View& picture) {
  std::array<std::uint8_t, 256> small{};
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      const int x0 = picture.width * column / 16, x1 = picture.width * (column + 1) / 16;
      const int y0 = picture.height * row / 16, y1 = picture.height * (row + 1) / 16;
      std::uint64_t sum = 0;
      for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) sum += picture.y[static_cast<std::ptrdiff_t>(y) * picture.stride_y + x];
      }
      const auto count = static_cast<std::uint64_t>(x1 - x0) * static_cast<std::uint64_t>(y1 - y0);
      small[static_cast<std::size_t>(row * 16 + column)] = static_cast<std::uint8_t>(sum / count);
    }
  }
  return small;
}

LoopPlan plan_loop(const std::vector<FilmMoment>& film, int fps) {
  const int frames = static_cast<int>(film.size());
  const int least = static_cast<int>(std::lround(kLeastSeconds * fps)), most = 60 * fps;
  if (frames < least) throw BuildError("the footage is too short: at least two seconds are needed");
  // A short loop is seen to be one, however well it closes.
  const int wanted = std::max(least, std::min(static_cast<int>(std::lround(kWantedSeconds * fps)),
                                              static_cast<int>(std::lround(kWantedShare * frames))));
  const int fade = static_cast<int>(std::lround(kFadeSeconds * fps));
  std::vector<int> opened(film.size() + 1, 0);  // Frames with an open mouth before each.
  for (std::size_t f = 0; f < film.size(); ++f) opened[f + 1] = opened[f] + (film[f].open_mm > kOpenFromMm ? 1 : 0);

  int start = -1, end = -1;
  float best = std::numeric_limits<float>::max();
  for (int s = fade; s + wanted <= frames; ++s) {
    for (int e = s + wanted; e <= frames; ++e) {
      const int open = opened[static_cast<std::size_t>(e)] - opened[static_cast<std::size_t>(s)];
      const float share = static_cast<float>(open) / static_cast<float>(e - s);
      const float rest = kOpenWeight * share + kShortWeight * static_cast<float>(least) / static_cast<float>(e - s);
      if (rest >= best) continue;
      // In the middle of the fade.
      const Difference d = difference(film, s - fade / 2, e - fade / 2);
      if (d.apart_mm > kAlikeMm || d.all + rest >= best) continue;
      best = d.all + rest;
      start = s;
      end = e;
    }
  }
  if (start < 0) return there_and_back(film, least, most);
  LoopPlan plan;
  for (int f = start; f < end; ++f) {
    LoopFrame frame = {f};
    if (const int left = end - f; left <= fade) {
      const float t = static_cast<float>(fade + 1 - left) / static_cast<float>(fade + 1);
      frame.other = f - (end - start);
      frame.share = t * t * (3 - 2 * t);
    }
    plan.frames.push_back(frame);
  }
  return plan;
}

}  // namespace visavis::face
