#pragma once

#include <string>
#include <string_view>

namespace visavis {

// A decoder's hypothesis as a person would write it: no sentence marks, fillers nor numbers of pronunciations, lower
// case but for "I".
std::string plain_words(std::string_view hypothesis);

}  // namespace visavis
