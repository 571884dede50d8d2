#include "words.h"

#include "check.h"

using visavis::plain_words;

CHECK_CASE("marks, fillers and numbers of pronunciations are left out") {
  CHECK(plain_words("<s> go(2) forward <sil> ten [NOISE] meters ++BREATH++ </s>") == "go forward ten meters");
  CHECK(plain_words("<s> <sil> </s>").empty());
  CHECK(plain_words("").empty());
  CHECK(plain_words("  two   spaces ") == "two spaces");
}

CHECK_CASE("no punctuation, but what is inside a word") {
  CHECK(plain_words("dr.(2) c. s. at ten a.m. isn't well-known") == "dr c s at ten a.m isn't well-known");
}

CHECK_CASE("lower case, but for I") {
  CHECK(plain_words("WHAT Am i TO do") == "what am I to do");
  CHECK(plain_words("i'm sure i'd(2) say i've it") == "I'm sure I'd say I've it");
  CHECK(plain_words("inn is it") == "inn is it");
}

CHECK_MAIN
