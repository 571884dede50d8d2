// What the recogniser's thread asks of a decoder; all calls come from that thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "visavis/hearing/recogniser.h"

namespace visavis {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Throw HearingError.
  virtual void accept(std::span<const std::int16_t> pcm) = 0;  // The first call begins an utterance.
  virtual std::string words() = 0;                             // Of the utterance so far.
  virtual std::string finish() = 0;                            // Ends the utterance; empty where none had begun.
  virtual void abandon() = 0;
  virtual void forget_speaker() = 0;
};

bool have_decoder();

// Throws HearingError.
std::unique_ptr<Decoder> load_decoder(const std::filesystem::path& model_dir);

// Recogniser::open with a decoder of the caller's; `load` runs on the recogniser's thread, and the recogniser may end
// meanwhile.
std::unique_ptr<Recogniser> recognise_with(std::function<std::unique_ptr<Decoder>()> load,
                                           std::function<void(RecogniserEvent&&)> sink);

}  // namespace visavis
