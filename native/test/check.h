// A test runner small enough to carry to a machine that has nothing but a compiler.
//
//   CHECK_CASE("name") { CHECK(a == b); CHECK_NEAR(x, y, 1e-6); CHECK_THROWS(SomeError, f()); }
//   CHECK_MAIN
//
// A binary runs all its cases, or those whose name contains argv[1], and exits 1 if any failed or none ran.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace visavis::check {

// A build under sanitizers runs ten times slower: what a test repeats over many faces, tones or poses it may thin out
// there, as the plain build's figures are the judge and only memory, undefined behaviour and races are looked for.
#ifdef VISAVIS_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// All of a list; under sanitizers every `step`th of it, the last one among them.
template <typename List>
std::vector<typename List::value_type> some_of(const List& list, std::size_t step) {
  std::vector<typename List::value_type> some;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!kSanitized || (list.size() - 1 - i) % step == 0) some.push_back(list[i]);
  }
  return some;
}

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

inline bool add(const char* name, void (*body)()) {
  cases().push_back({name, body});
  return true;
}

inline void fail(const char* file, int line, const std::string& what) {
  ++failures();
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

inline int run(int argc, char** argv) {
  int ran = 0;
  int failed_cases = 0;
  for (const Case& test : cases()) {
    if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) continue;
    const int before = failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("threw: ") + error.what());
    }
    ++ran;
    const bool ok = failures() == before;
    failed_cases += ok ? 0 : 1;
    std::printf("%s %s\n", ok ? "ok  " : "FAIL", test.name);
  }
  std::printf("%d passed, %d failed\n", ran - failed_cases, failed_cases);
  return ran > 0 && failed_cases == 0 ? 0 : 1;
}

}  // namespace visavis::check

#define VISAVIS_JOIN2(a, b) a##b
#define VISAVIS_JOIN(a, b) VISAVIS_JOIN2(a, b)

#define CHECK_CASE(title)                                                                                \
  static void VISAVIS_JOIN(case_, __LINE__)();                                                           \
  [[maybe_unused]] static const bool VISAVIS_JOIN(added_, __LINE__) =                                    \
      ::visavis::check::add(title, &VISAVIS_JOIN(case_, __LINE__));                                      \
  static void VISAVIS_JOIN(case_, __LINE__)()

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) ::visavis::check::fail(__FILE__, __LINE__, "failed: " #condition);  \
  } while (false)

#define CHECK_NEAR(actual, expected, tolerance)                                                             \
  do {                                                                                                      \
    const double check_a = (actual), check_b = (expected);                                                  \
    if (!(std::fabs(check_a - check_b) <= (tolerance)))                                                     \
      ::visavis::check::fail(__FILE__, __LINE__, std::string(#actual) + " is " + std::to_string(check_a) +  \
                                                     ", expected " + std::to_string(check_b));              \
  } while (false)

#define CHECK_THROWS(Type, expression)                                                                    \
  do {                                                                                                    \
    bool check_threw = false;                                                                             \
    try {                                                                                                 \
      (void)(expression);                                                                                 \
    } catch (const Type&) {                                                                               \
      check_threw = true;                                                                                 \
    }                                                                                                     \
    if (!check_threw) ::visavis::check::fail(__FILE__, __LINE__, #expression " did not throw " #Type);    \
  } while (false)

#define CHECK_MAIN \
  int main(int argc, char** argv) { return ::visavis::check::run(argc, argv); }
