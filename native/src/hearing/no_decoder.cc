// Stands in where PocketSphinx was not found at build time.
#include "decoder.h"

namespace visavis {

bool have_decoder() { return false; }

std::unique_ptr<Decoder> load_decoder(const std::filesystem::path&) {
  throw HearingError("this build has no speech recogniser: PocketSphinx was not found when it was built");
}

}  // namespace visavis
