#include "words.h"

#include <algorithm>

namespace visavis {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

// <s>, <sil>, [NOISE], ++BREATH++.
bool filler(std::string_view word) { return word.front() == '<' || word.front() == '[' || word.starts_with("++"); }

std::string spelled(std::string_view word) {
  // "read(2)" is the second way to say "read".
  const std::size_t bracket = word.rfind('(');
  if (bracket != std::string_view::npos && bracket > 0 && word.ends_with(')')) word = word.substr(0, bracket);
  // The dictionary writes letters and abbreviations with a full stop: "b.", "dr.".
  if (word.size() > 1 && word.ends_with('.')) word.remove_suffix(1);
  std::string spelling(word);
  std::transform(spelling.begin(), spelling.end(), spelling.begin(), lower);
  if (spelling == "i" || spelling.starts_with("i'")) spelling.front() = 'I';
  return spelling;
}

}  // namespace

std::string plain_words(std::string_view hypothesis) {
  std::string words;
  while (!hypothesis.empty()) {
    const std::size_t space = std::min(hypothesis.find(' '), hypothesis.size());
    const std::string_view word = hypothesis.substr(0, space);
    hypothesis.remove_prefix(std::min(space + 1, hypothesis.size()));
    if (word.empty() || filler(word)) continue;
    if (!words.empty()) words += ' ';
    words += spelled(word);
  }
  return words;
}

}  // namespace visavis
