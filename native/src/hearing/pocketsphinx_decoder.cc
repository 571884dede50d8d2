#include <pocketsphinx.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/feat.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <vector>

#include "decoder.h"
#include "words.h"

namespace visavis {
namespace {

// What PocketSphinx last complained of on this thread.
thread_local std::string last_complaint;

void listen_to_complaints(void*, err_lvl_t level, const char* format, ...) {
  if (level < ERR_ERROR) return;
  std::array<char, 512> line{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  last_complaint = line.data();
  while (!last_complaint.empty() && last_complaint.back() == '\n') last_complaint.pop_back();
}

// PocketSphinx writes its settings and complaints to stderr otherwise. Both are the whole process's and hold no state.
void silence() {
  static std::once_flag once;
  std::call_once(once, [] {
    err_set_logfp(nullptr);
    err_set_callback(listen_to_complaints, nullptr);
  });
}

// Samples of a speaker's first utterance at which it is heard anew, and how many frames (10 ms) of their speech the
// model's own means count for. Without either a first utterance has half as many wrong words again.
constexpr std::array<std::size_t, 2> kLessons = {12'800, 32'000};
constexpr int kFirstMeansFrames = 30;

struct ConfigFree {
  void operator()(cmd_ln_t* config) const { cmd_ln_free_r(config); }
};
struct DecoderFree {
  void operator()(ps_decoder_t* decoder) const { ps_free(decoder); }
};

std::filesystem::path existing(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw HearingError("the speech model lacks " + path.string());
  return path;
}

// A missing part of the acoustic model would end the process inside PocketSphinx.
std::filesystem::path acoustic_model(const std::filesystem::path& model_dir) {
  const std::filesystem::path dir = existing(model_dir / "en-us");
  for (const char* part : {"feat.params", "mdef", "means", "noisedict", "transition_matrices", "variances"}) {
    existing(dir / part);
  }
  return dir;
}

class PocketSphinx final : public Decoder {
 public:
  explicit PocketSphinx(const std::filesystem::path& model_dir) {
    silence();
    last_complaint.clear();
    const std::string acoustic = acoustic_model(model_dir).string();
    const std::string language = existing(model_dir / "en-us.lm.bin").string();
    const std::string dictionary = existing(model_dir / "cmudict-en-us.dict").string();
    // The listener before it passes on speech alone, so nothing is to be cut from it. The second pass over the whole
    // utterance (fwdflat) costs ten times the time at its end and gains nothing on our recordings; so do more than
    // these many states and words at once. The best path through the lattice is cheap and does gain.
    const std::unique_ptr<cmd_ln_t, ConfigFree> config(cmd_ln_init(
        nullptr, ps_args(), TRUE, "-hmm", acoustic.c_str(), "-lm", language.c_str(), "-dict", dictionary.c_str(),
        "-remove_silence", "no", "-fwdflat", "no", "-bestpath", "yes", "-maxhmmpf", "3000", "-maxwpf", "20", nullptr));
    if (config != nullptr) decoder_.reset(ps_init(config.get()));
    if (decoder_ == nullptr) {
      throw HearingError("the speech model in " + model_dir.string() + " does not load" +
                         (last_complaint.empty() ? "" : ": " + last_complaint));
    }
    const cmn_t* const means = ps_get_feat(decoder_.get())->cmn_struct;
    if (means != nullptr) first_means_.assign(means->cmn_mean, means->cmn_mean + means->veclen);
    forget_speaker();
  }

  void accept(std::span<const std::int16_t> pcm) override {
    // A lesson comes at its sample, however the sound is cut, so that the same speech gives the same words.
    while (lessons_ > 0 && !pcm.empty()) {
      const std::size_t lesson = kLessons[kLessons.size() - lessons_];
      const auto before = pcm.first(std::min(pcm.size(), lesson - kept_.size()));
      pcm = pcm.subspan(before.size());
      decode(before);
      kept_.insert(kept_.end(), before.begin(), before.end());
      if (kept_.size() == lesson) learn();
    }
    decode(pcm);
  }

  std::string words() override {
    const char* const hypothesis = begun_ ? ps_get_hyp(decoder_.get(), nullptr) : nullptr;
    return hypothesis == nullptr ? "" : plain_words(hypothesis);
  }

  std::string finish() override {
    if (!begun_) return "";
    if (lessons_ == kLessons.size() && !kept_.empty()) learn();
    // What follows has the means of this one.
    lessons_ = 0;
    end();
    const char* const hypothesis = ps_get_hyp(decoder_.get(), nullptr);
    return hypothesis == nullptr ? "" : plain_words(hypothesis);
  }

  void abandon() override {
    if (begun_) end();
  }

  void forget_speaker() override {
    abandon();
    // And of their room's noise.
    ps_start_stream(decoder_.get());
    lessons_ = kLessons.size();
    if (first_means_.empty()) return;
    cmn_t* const means = ps_get_feat(decoder_.get())->cmn_struct;
    cmn_live_set(means, first_means_.data());
    // They count as five seconds of speech otherwise, and the speaker's own hardly matter.
    const mfcc_t share = static_cast<mfcc_t>(kFirstMeansFrames) / static_cast<mfcc_t>(means->nframe);
    for (int i = 0; i < means->veclen; ++i) means->sum[i] *= share;
    means->nframe = kFirstMeansFrames;
  }

 private:
  void decode(std::span<const std::int16_t> pcm) {
    if (pcm.empty()) return;
    if (!begun_ && ps_start_utt(decoder_.get()) < 0) throw HearingError("the speech recogniser does not start");
    begun_ = true;
    if (ps_process_raw(decoder_.get(), pcm.data(), pcm.size(), FALSE, FALSE) < 0) {
      throw HearingError("the speech recogniser failed");
    }
  }

  // The means are only brought up to date between utterances, and the first of a speaker would be heard with a
  // stranger's: so it begins again, twice at most, with what has been learnt of it.
  void learn() {
    --lessons_;
    const std::vector<std::int16_t> again = kept_;
    end();
    decode(again);
    if (lessons_ > 0) kept_ = again;
  }

  // An utterance too short to hold a frame ends with an error that means nothing.
  void end() {
    begun_ = false;
    kept_.clear();
    ps_end_utt(decoder_.get());
  }

  std::unique_ptr<ps_decoder_t, DecoderFree> decoder_;
  std::vector<mfcc_t> first_means_;  // Of the cepstra, as the model's maker gives them.
  std::vector<std::int16_t> kept_;   // The utterance so far, while there are lessons to come.
  std::size_t lessons_ = 0;
  bool begun_ = false;
};

}  // namespace

bool have_decoder() { return true; }

std::unique_ptr<Decoder> load_decoder(const std::filesystem::path& model_dir) {
  return std::make_unique<PocketSphinx>(model_dir.empty() ? VISAVIS_SPEECH_MODELS "/en-us" : model_dir);
}

}  // namespace visavis
