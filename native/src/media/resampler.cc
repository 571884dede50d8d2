#include "visavis/media/resampler.h"

#include <string>

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

namespace visavis {

void Resampler::Free::operator()(SwrContext* context) const { swr_free(&context); }

Resampler::Resampler(int in_rate, int out_rate) : in_rate_(in_rate), out_rate_(out_rate) {
  for (const int rate : {in_rate, out_rate}) {
    if (rate < kMinRate || rate > kMaxRate) {
      throw MediaError("resampler: " + std::to_string(rate) + " Hz is outside 8000..48000 Hz");
    }
  }
  if (in_rate == out_rate) return;

  AVChannelLayout mono{};
  av_channel_layout_default(&mono, 1);
  SwrContext* context = nullptr;
  int error =
      swr_alloc_set_opts2(&context, &mono, AV_SAMPLE_FMT_FLT, out_rate, &mono, AV_SAMPLE_FMT_S16, in_rate, 0, nullptr);
  context_.reset(context);
  if (error >= 0) error = swr_init(context);
  if (error < 0) {
    throw MediaError("resampler: libswresample refused " + std::to_string(in_rate) + " to " + std::to_string(out_rate) +
                     " Hz");
  }
}

void Resampler::convert(const std::uint8_t* data, int count, std::vector<float>& out) {
  const int room = swr_get_out_samples(context_.get(), count);
  if (room < 0) throw MediaError("resampler: libswresample cannot size its output");
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(room));
  auto* target = reinterpret_cast<std::uint8_t*>(out.data() + before);
  const int made = swr_convert(context_.get(), &target, room, data == nullptr ? nullptr : &data, count);
  if (made < 0) throw MediaError("resampler: libswresample failed");
  out.resize(before + static_cast<std::size_t>(made));
  out_count_ += made;
}

void Resampler::push(std::span<const std::int16_t> samples, std::vector<float>& out) {
  if (samples.empty()) return;
  in_count_ += static_cast<std::int64_t>(samples.size());
  if (context_ == nullptr) {
    for (const std::int16_t sample : samples) out.push_back(static_cast<float>(sample) / 32768.0f);
    return;
  }
  convert(reinterpret_cast<const std::uint8_t*>(samples.data()), static_cast<int>(samples.size()), out);
}

void Resampler::flush(std::vector<float>& out) {
  if (context_ == nullptr || in_count_ == 0) return;
  convert(nullptr, 0, out);
  // The filter's tail rings on past the last input sample; what lies there is not speech any more.
  const std::int64_t wanted = (in_count_ * out_rate_ + in_rate_ - 1) / in_rate_;
  if (out_count_ > wanted) {
    out.resize(out.size() - static_cast<std::size_t>(std::min<std::int64_t>(out_count_ - wanted, out.size())));
    out_count_ = wanted;
  }
}

}  // namespace visavis
