// JavaScript values to C++ ones, with an error that names what is wrong.
#pragma once

#include <napi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace visavis::binding {

// Each throws a JavaScript TypeError where the value is of the wrong type and a RangeError where it is out of range;
// `name` is how the message calls it.
double to_number(const Napi::Value& value, const std::string& name, double min, double max);
int to_int(const Napi::Value& value, const std::string& name, int min, int max);
std::uint64_t to_count(const Napi::Value& value, const std::string& name);  // 0..2^53 - 1.
std::string to_text(const Napi::Value& value, const std::string& name);     // Not empty, without NUL.
Napi::Function to_function(const Napi::Value& value, const std::string& name);
std::span<const std::int16_t> to_pcm(const Napi::Value& value, const std::string& name);
std::span<const std::uint8_t> to_bytes(const Napi::Value& value, const std::string& name);
std::span<const float> to_floats(const Napi::Value& value, const std::string& name);
Napi::Object to_object(const Napi::Value& value, const std::string& name);

// The named member of an options object, or nothing where it is undefined.
std::optional<Napi::Value> member(const Napi::Object& options, const char* name);

// As above, but its absence is a TypeError.
Napi::Value required(const Napi::Object& options, const char* name);

}  // namespace visavis::binding
