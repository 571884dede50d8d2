#include "stage_link.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace visavis::binding {
namespace {

// Below this a copy is cheaper than a buffer that V8 must hand back.
constexpr std::size_t kCopyBelow = 2'048;

Napi::Buffer<std::uint8_t> to_buffer(Napi::Env env, std::vector<std::uint8_t>&& data) {
  if (data.size() < kCopyBelow) return Napi::Buffer<std::uint8_t>::Copy(env, data.data(), data.size());
  auto owner = std::make_unique<std::vector<std::uint8_t>>(std::move(data));
  std::vector<std::uint8_t>* const bytes = owner.release();
  const auto free = [](Napi::Env, std::uint8_t*, std::vector<std::uint8_t>* owned) {
    const std::unique_ptr<std::vector<std::uint8_t>> gone(owned);
  };
  return Napi::Buffer<std::uint8_t>::NewOrCopy(env, bytes->data(), bytes->size(), free, bytes);
}

Napi::Object to_object(Napi::Env env, MediaPacket&& packet) {
  const bool audio = packet.kind == MediaPacket::Kind::kAudio;
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", audio ? "audio" : "video");
  object.Set("data", to_buffer(env, std::move(packet.data)));
  object.Set("timestamp", packet.rtp_timestamp);
  object.Set("keyframe", packet.keyframe);
  object.Set("speech", packet.speech);
  return object;
}

Napi::Object to_object(Napi::Env env, const StageEvent& event) {
  Napi::Object object = Napi::Object::New(env);
  if (event.kind == StageEvent::Kind::kFailed || event.kind == StageEvent::Kind::kLeftGpu) {
    object.Set("type", event.kind == StageEvent::Kind::kFailed ? "failed" : "left_gpu");
    object.Set("message", event.message);
    return object;
  }
  const bool started = event.kind == StageEvent::Kind::kUtteranceStarted;
  const bool mark = event.kind == StageEvent::Kind::kMark;
  object.Set("type", started ? "utterance_started" : mark ? "mark" : "utterance_ended");
  object.Set("utterance", static_cast<double>(event.utterance));
  object.Set("mediaTimeMs", event.media_time_ms);
  if (mark) object.Set("mark", static_cast<double>(event.mark));
  if (!started && !mark) {
    object.Set("playedMs", event.played_ms);
    object.Set("interrupted", event.interrupted);
  }
  return object;
}

}  // namespace

// What the thread-safe function holds on to until its last call has run.
struct StageLink::Keep {
  std::shared_ptr<StageLink> link;
};

StageLink::StageLink(int fps, Napi::Function on_packets, Napi::Function on_event)
    : outbox_(fps), on_packets_(Napi::Persistent(on_packets)), on_event_(Napi::Persistent(on_event)) {}

std::shared_ptr<StageLink> StageLink::open(Napi::Env env, StageConfig config, Napi::Function on_packets,
                                           Napi::Function on_event) {
  auto link = std::make_shared<StageLink>(config.fps, on_packets, on_event);
  auto keep = std::make_unique<Keep>(Keep{link});
  // At most one wake-up waits at any time (Outbox::put says when one is due); the second place is never taken.
  link->waker_ = Waker::New(env, "visavis.Stage", 2, 1, keep.get(),
                            [](Napi::Env, void*, Keep* kept) { const std::unique_ptr<Keep> gone(kept); });
  keep.release();
  link->waker_.Unref(env);

  // The link outlives the Stage's thread: join() comes before release().
  StageLink* const raw = link.get();
  StageSink sink;
  sink.on_packet = [raw](MediaPacket&& packet) {
    if (raw->outbox_.put(std::move(packet))) raw->waker_.NonBlockingCall();
  };
  sink.on_event = [raw](const StageEvent& event) {
    if (raw->outbox_.put(event)) raw->waker_.NonBlockingCall();
  };
  try {
    link->stage_ = Stage::create(std::move(config), std::move(sink));
  } catch (...) {
    link->close();
    link->release();
    throw;
  }
  return link;
}

void StageLink::wake(Napi::Env env, Napi::Function, Keep* keep, void*) {
  if (env != nullptr) keep->link->deliver(env);
}

void StageLink::deliver(Napi::Env env) {
  const Napi::HandleScope scope(env);
  Outbox::Batch batch = outbox_.take();
  if (batch.keyframe_needed && stage() != nullptr) stage()->request_keyframe();
  std::optional<Napi::Error> first_error;
  Napi::Array packets = Napi::Array::New(env);
  const auto call = [&](Napi::FunctionReference& callback, Napi::Value argument) {
    try {
      callback.Call({argument});
    } catch (const Napi::Error& error) {
      if (!first_error) first_error = error;
    }
  };
  const auto flush = [&] {
    if (packets.Length() == 0 || closed_) return;
    call(on_packets_, std::exchange(packets, Napi::Array::New(env)));
  };
  // A callback may close the Stage; nothing follows then.
  for (Outbox::Item& item : batch.items) {
    if (closed_) break;
    if (auto* packet = std::get_if<MediaPacket>(&item)) {
      packets.Set(packets.Length(), to_object(env, std::move(*packet)));
    } else {
      flush();
      if (!closed_) call(on_event_, to_object(env, std::get<StageEvent>(item)));
    }
  }
  flush();
  // Becomes an uncaught exception, as from any callback.
  if (first_error) first_error->ThrowAsJavaScriptException();
}

StageStats StageLink::close() {
  if (!closed_) {
    closed_ = true;
    if (stage_ != nullptr) last_stats_ = stage_->stats();
    outbox_.close();
  }
  return last_stats_;
}

void StageLink::add_tone(const std::string& tone, const std::filesystem::path& avatar_dir) {
  std::shared_ptr<const Avatar> avatar = Avatar::load(avatar_dir);
  const std::lock_guard lock(joining_);
  if (stage_ == nullptr) throw std::runtime_error("the stage is closed");
  stage_->add_tone(tone, std::move(avatar));
}

void StageLink::join() {
  const std::lock_guard lock(joining_);
  stage_.reset();
}

void StageLink::release() {
  if (std::exchange(released_, true)) return;
  on_packets_.Reset();
  on_event_.Reset();
  waker_.Release();
}

}  // namespace visavis::binding
