// The addon's own state, one for each environment (the main thread's and every worker's).
#pragma once

#include <napi.h>

#include <memory>
#include <string>

#include "visavis/speech/lip_sync.h"

namespace visavis::binding {

class Addon final : public Napi::Addon<Addon> {
 public:
  Addon(Napi::Env env, Napi::Object exports);

  // The net at `path`, or the one that ships with the addon where it is empty. Kept, so that sessions share one.
  // Throws FormatError.
  std::shared_ptr<const VisemeNet> net(const std::string& path);

 private:
  void configure(const Napi::CallbackInfo& info);

  std::string default_net_path_;
  std::string loaded_path_;
  std::shared_ptr<const VisemeNet> loaded_;
};

}  // namespace visavis::binding
