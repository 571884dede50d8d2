// Everything an avatar knows about its face: the mesh, how each viseme moves it, what is inside the mouth, and where
// every point is in every frame of the idle loop.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "visavis/errors.h"
#include "visavis/image.h"
#include "visavis/viseme.h"

namespace visavis {

// MediaPipe's face mesh: 468 points of the surface and 5 for each iris.
inline constexpr int kMeshPointCount = 468;
inline constexpr int kLandmarkCount = 478;

// A position or a displacement in luma pixels; pixel (i, j) has its centre at (i + 0.5, j + 0.5).
struct PointF {
  float x = 0;
  float y = 0;
};

struct Triangle {
  std::uint16_t a = 0, b = 0, c = 0;
};

// Position p of the still goes to (xx * p.x + xy * p.y + x0, yx * p.x + yy * p.y + y0) of a frame.
struct Affine {
  float xx = 1, xy = 0, x0 = 0;
  float yx = 0, yy = 1, y0 = 0;

  PointF apply(PointF p) const { return {xx * p.x + xy * p.y + x0, yx * p.x + yy * p.y + y0}; }
  PointF turn(PointF d) const { return {xx * d.x + xy * d.y, yx * d.x + yy * d.y}; }
};

// One layer of the mouth's inside, in pixels of the still: I420 and an opacity for each luma pixel.
struct MouthLayer {
  std::vector<std::uint8_t> y, u, v, alpha;
};

// The mouth's inside, drawn from back to front: cavity, tongue, lower teeth, upper teeth. All layers have one even size
// and begin at `origin` in the still. Lower teeth and tongue are stored as with the jaw shut and sink as it opens.
struct MouthInterior {
  PointF origin;
  int width = 0;
  int height = 0;
  MouthLayer cavity, tongue, lower_teeth, upper_teeth;
  float lip_shadow = 0;  // 0..1: how much the upper lip darkens what lies right under it.
  float seam_shade = 0;  // 0..1: how much the line between shut lips is darkened; 0 where the photograph has that line.
};

// Closed or open polylines over the mesh, as point numbers, from the picture's left to its right.
struct FaceContours {
  std::vector<std::uint16_t> inner_upper_lip, inner_lower_lip;  // Same length; share their first and last point.
  std::vector<std::uint16_t> outer_upper_lip, outer_lower_lip;
  std::vector<std::uint16_t> left_upper_lid, left_lower_lid;  // Left and right as in the picture.
  std::vector<std::uint16_t> right_upper_lid, right_lower_lid;
};

struct Rig {
  int width = 0;  // Of the frames, in luma pixels; even.
  int height = 0;
  int fps = 25;
  int frame_count = 0;

  float px_per_mm = 1;              // Scale of the face in the still, from 63 mm between pupils.
  PointF down;                      // Unit vector from the nose to the chin in the still.
  std::vector<PointF> rest;         // Points in the still: 478 landmarks, then the rings around the face.
  std::vector<PointF> tracks;       // frame_count rows of rest.size() points.
  std::vector<Triangle> triangles;  // Skin, all of one orientation; the mouth's opening is left out.
  FaceContours contours;

  // Displacement of every point at weight 1, in pixels of the still, without the jaw's share.
  std::array<std::vector<PointF>, kVisemeCount> shapes;
  std::vector<PointF> jaw;                      // Displacement of every point for each millimetre the jaw opens.
  std::array<float, kVisemeCount> jaw_mm{};     // How far each viseme opens the jaw.
  std::array<float, kVisemeCount> tongue_mm{};  // How far each viseme lifts the tongue against the jaw.
  MouthInterior mouth;

  // Derived by finish().
  std::vector<Affine> head;  // Per frame: the movement of the skull.
  std::vector<Box> boxes;    // Per frame: see face_box().

  std::size_t point_count() const { return rest.size(); }
  std::span<const PointF> track(int frame) const {
    return std::span(tracks).subspan(static_cast<std::size_t>(frame) * rest.size(), rest.size());
  }

  // Even-aligned, inside the picture; a moving mouth changes nothing outside of it. 0 <= frame < frame_count.
  const Box& face_box(int frame) const { return boxes[static_cast<std::size_t>(frame)]; }

  // Checks every count, index and number against the others and computes what is derived. Throws FormatError.
  void finish();

  // Reads or writes rig.vvr (little-endian, versioned). Reading never trusts a count and finishes the rig; writing goes
  // to a temporary name beside `path` first. Both throw FormatError.
  static Rig load(const std::filesystem::path& path);
  static Rig parse(std::span<const std::uint8_t> bytes);
  void save(const std::filesystem::path& path) const;
  std::vector<std::uint8_t> serialize() const;
};

// The mouth pose applied to a frame: where every point of the mesh goes. `out` has rig.point_count() elements; what it
// says of points that no viseme moves is their track. Loudness 0..1 scales the jaw from 0.6 to 1.25, but neither a
// closure nor a bite. From half of the weight on, PP shuts the lips and FF brings the lower one to the upper teeth,
// whatever the rest of the weights asks for.
void pose_points(const Rig& rig, int frame, const MouthPose& pose, std::span<PointF> out);

// How far `pose` opens the jaw, in millimetres.
float jaw_opening_mm(const Rig& rig, const MouthPose& pose);

}  // namespace visavis
