// The wire between a Stage's thread and the JavaScript thread that owns it.
#pragma once

#include <napi.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "visavis/stage/outbox.h"
#include "visavis/stage/stage.h"

namespace visavis::binding {

// Alive until the last queued wake-up has run. Everything but the Stage's sink and join() belongs to the JavaScript
// thread.
class StageLink {
 public:
  // Starts the Stage. Throws what Stage::create() throws.
  static std::shared_ptr<StageLink> open(Napi::Env env, StageConfig config, Napi::Function on_packets,
                                         Napi::Function on_event);

  StageLink(int fps, Napi::Function on_packets, Napi::Function on_event);
  ~StageLink() = default;
  StageLink(const StageLink&) = delete;
  StageLink& operator=(const StageLink&) = delete;

  // Null once closed.
  Stage* stage() { return closed_ ? nullptr : stage_.get(); }

  // Silences the callbacks; returns the Stage's last figures. Only the first call does anything.
  StageStats close();
  bool closed() const { return closed_; }

  // Loads the loop of a tone, on whatever thread. Throws what is wrong with it, and where the Stage is gone.
  void add_tone(const std::string& tone, const std::filesystem::path& avatar_dir);

  // Ends the Stage's thread, on whatever thread. After close().
  void join();

  // Lets go of JavaScript. After join().
  void release();

 private:
  struct Keep;
  static void wake(Napi::Env env, Napi::Function, Keep* keep, void*);
  using Waker = Napi::TypedThreadSafeFunction<Keep, void, &StageLink::wake>;

  void deliver(Napi::Env env);

  Outbox outbox_;
  Waker waker_;
  Napi::FunctionReference on_packets_;
  Napi::FunctionReference on_event_;
  bool closed_ = false;
  bool released_ = false;
  StageStats last_stats_;
  std::mutex joining_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace visavis::binding
