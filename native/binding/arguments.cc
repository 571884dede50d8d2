#include "arguments.h"

#include <cmath>

namespace visavis::binding {
namespace {

constexpr double kMaxSafeInteger = 9'007'199'254'740'991.0;

[[noreturn]] void wrong_type(const Napi::Value& value, const std::string& what) {
  throw Napi::TypeError::New(value.Env(), what);
}

std::string plain(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

template <typename T>
std::span<const T> to_array(const Napi::Value& value, const std::string& name, napi_typedarray_type type,
                            const char* kind) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    wrong_type(value, name + " must be " + kind);
  }
  const auto array = value.As<Napi::TypedArrayOf<T>>();
  return {array.Data(), array.ElementLength()};
}

}  // namespace

double to_number(const Napi::Value& value, const std::string& name, double min, double max) {
  if (!value.IsNumber()) wrong_type(value, name + " must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= min && number <= max)) {
    throw Napi::RangeError::New(value.Env(), name + " must be within " + plain(min) + ".." + plain(max));
  }
  return number;
}

int to_int(const Napi::Value& value, const std::string& name, int min, int max) {
  const double number = to_number(value, name, min, max);
  if (number != std::floor(number)) throw Napi::RangeError::New(value.Env(), name + " must be a whole number");
  return static_cast<int>(number);
}

std::uint64_t to_count(const Napi::Value& value, const std::string& name) {
  const double number = to_number(value, name, 0, kMaxSafeInteger);
  if (number != std::floor(number)) throw Napi::RangeError::New(value.Env(), name + " must be a whole number");
  return static_cast<std::uint64_t>(number);
}

std::string to_text(const Napi::Value& value, const std::string& name) {
  if (!value.IsString()) wrong_type(value, name + " must be a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.empty() || text.find('\0') != std::string::npos) {
    throw Napi::RangeError::New(value.Env(), name + " must not be empty nor hold NUL");
  }
  return text;
}

Napi::Function to_function(const Napi::Value& value, const std::string& name) {
  if (!value.IsFunction()) wrong_type(value, name + " must be a function");
  return value.As<Napi::Function>();
}

std::span<const std::int16_t> to_pcm(const Napi::Value& value, const std::string& name) {
  return to_array<std::int16_t>(value, name, napi_int16_array, "an Int16Array");
}

std::span<const std::uint8_t> to_bytes(const Napi::Value& value, const std::string& name) {
  return to_array<std::uint8_t>(value, name, napi_uint8_array, "a Uint8Array");
}

std::span<const float> to_floats(const Napi::Value& value, const std::string& name) {
  return to_array<float>(value, name, napi_float32_array, "a Float32Array");
}

Napi::Object to_object(const Napi::Value& value, const std::string& name) {
  if (!value.IsObject() || value.IsFunction()) wrong_type(value, name + " must be an object");
  return value.As<Napi::Object>();
}

std::optional<Napi::Value> member(const Napi::Object& options, const char* name) {
  const Napi::Value value = options.Get(name);
  if (value.IsUndefined()) return std::nullopt;
  return value;
}

Napi::Value required(const Napi::Object& options, const char* name) {
  const std::optional<Napi::Value> value = member(options, name);
  if (!value) throw Napi::TypeError::New(options.Env(), std::string(name) + " is missing");
  return *value;
}

}  // namespace visavis::binding
