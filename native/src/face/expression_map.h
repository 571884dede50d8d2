// An expression as a picture: where each pixel of the face that wears it comes from in the still.
#pragma once

#include <cstdint>
#include <vector>

#include "expression.h"

namespace visavis::face {

class ExpressionMap {
 public:
  // All are kept by reference; `shown` is the face that wears the expression.
  ExpressionMap(const Face& face, const Expression& expression, const Face& shown);

  // Recomputes the map for how far the expression has swollen.
  void set(float brow_swell, float mouth_swell);

  // What position p of the face with the expression shows: the still at p + offset, darkened by `shade` (0..1).
  struct Source {
    PointF offset;
    float shade = 0;
  };
  Source source(PointF p) const;

  // Nothing outside of it is moved.
  const Box& box() const { return box_; }

 private:
  // A triangle between lids: each corner's share of the way from the upper lid (0) to the lower one (1).
  struct EyeTriangle {
    Triangle ids;
    float down[3];
    bool right;
  };
  struct Iris {
    PointF center;
    float radius = 0;
  };

  void add_skin(const Triangle& ids);
  void add_eye(const EyeTriangle& eye);
  float keep_round(const Iris& iris, PointF p, float dy) const;

  const Face& face_;
  const Expression& expression_;
  std::vector<Triangle> opening_, skin_;
  std::vector<EyeTriangle> eyes_;
  std::vector<PointF> moved_;
  Box box_;
  std::vector<PointF> map_;
  std::vector<float> shade_;
  Iris irises_[2];
};

}  // namespace visavis::face
