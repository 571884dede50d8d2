// The lower face of a tone: lips, jaw, chin and cheeks.
#pragma once

#include "expression.h"

namespace visavis::face {

// Fills in `lower`, `parting`, `smile`, `jaw_mm` and `paints_mouth`, and adds to `steady`.
void shape_lower_face(const ToneTarget& tone, const Face& face, const RestMouth& rest, Expression& out);

}  // namespace visavis::face
