// FFmpeg's libraries, opened on a stranger's bytes as box/media opens them: the same demuxers, codecs and limits, no
// protocol, the pictures scaled and the sound resampled as there. What is looked for are faults of memory, endless work
// and results that break the limits. The first bytes decide on the demuxer as in box/media/container.ts; what has none
// of them is sound for the resampler.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "recipe.h"
#include "visavis/media/resampler.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace visavis::fuzz {
namespace {

// As box/media/input.ts has them.
constexpr const char* kFormats = "mov,matroska,webm,wav,mp3,ogg,flac";
constexpr const char* kCodecs =
    "h264,hevc,vp8,libvpx,vp9,libvpx-vp9,av1,libdav1d,mpeg4,prores,aac,mp3,mp3float,opus,libopus,vorbis,flac,alac,"
    "pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_u8,pcm_s8,"
    "pcm_mulaw,pcm_alaw,mjpeg,png,mov_text,ac3,eac3,amrnb,amrwb";
constexpr std::int64_t kProbeBytes = 5'000'000;
// Smaller than the box's, so that one input is soon done with.
constexpr std::int64_t kMostPixels = 512 * 512;
constexpr int kMostPackets = 400, kMostFrames = 12, kMostStreams = 8;
constexpr int kWidth = 64, kHeight = 48, kRate = 16'000;

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "a promise is broken: %s\n", what);
  std::abort();
}

struct Free {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(SwsContext* context) const { sws_freeContext(context); }
  void operator()(SwrContext* context) const { swr_free(&context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

// The bytes as a file that can be read and sought in.
class Memory {
 public:
  explicit Memory(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    constexpr int kBuffer = 4096;
    auto* const buffer = static_cast<unsigned char*>(av_malloc(kBuffer));
    context_ = avio_alloc_context(buffer, kBuffer, 0, this, read, nullptr, seek);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
  }
  AVIOContext* get() { return context_; }

 private:
  static int read(void* self, std::uint8_t* out, int size) {
    auto& memory = *static_cast<Memory*>(self);
    const std::size_t count = std::min(static_cast<std::size_t>(size), memory.bytes_.size() - memory.at_);
    if (count == 0) return AVERROR_EOF;
    std::memcpy(out, memory.bytes_.data() + memory.at_, count);
    memory.at_ += count;
    return static_cast<int>(count);
  }
  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    auto& memory = *static_cast<Memory*>(self);
    const auto size = static_cast<std::int64_t>(memory.bytes_.size());
    if ((whence & AVSEEK_SIZE) != 0) return size;
    whence &= ~AVSEEK_FORCE;
    const std::int64_t from = whence == SEEK_SET   ? 0
                              : whence == SEEK_CUR ? static_cast<std::int64_t>(memory.at_)
                                                   : size;
    if (offset < -from || offset > size - from) return AVERROR(EINVAL);
    memory.at_ = static_cast<std::size_t>(from + offset);
    return from + offset;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  AVIOContext* context_ = nullptr;
};

const char* demuxer_of(std::span<const std::uint8_t> head) {
  if (head.size() < 12) return nullptr;
  const auto text = [&](std::size_t from, std::size_t count) {
    return std::string_view(reinterpret_cast<const char*>(head.data()) + from, count);
  };
  for (const char* box : {"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"}) {
    if (text(4, 4) == box) return "mov";
  }
  if (head[0] == 0x1A && head[1] == 0x45 && head[2] == 0xDF && head[3] == 0xA3) return "matroska";
  if ((text(0, 4) == "RIFF" || text(0, 4) == "RF64") && text(8, 4) == "WAVE") return "wav";
  if (text(0, 4) == "OggS") return "ogg";
  if (text(0, 4) == "fLaC") return "flac";
  if (text(0, 3) == "ID3" || (head[0] == 0xFF && (head[1] & 0xE0) == 0xE0 && (head[1] & 0x06) != 0)) return "mp3";
  return nullptr;
}

// One track, decoded and brought to what the rest of the program takes.
class Track {
 public:
  explicit Track(const AVStream& stream) : frame_(av_frame_alloc()) {
    const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
    if (codec == nullptr) return;
    context_.reset(avcodec_alloc_context3(codec));
    av_opt_set(context_.get(), "codec_whitelist", kCodecs, 0);
    context_->max_pixels = kMostPixels;
    context_->thread_count = 1;
    context_->pkt_timebase = stream.time_base;
    if (avcodec_parameters_to_context(context_.get(), stream.codecpar) < 0 ||
        avcodec_open2(context_.get(), codec, nullptr) < 0) {
      context_.reset();
    }
  }

  // A null packet lets go what the decoder withholds.
  void decode(const AVPacket* packet) {
    if (context_ == nullptr || frames_ >= kMostFrames || avcodec_send_packet(context_.get(), packet) < 0) return;
    while (frames_ < kMostFrames && avcodec_receive_frame(context_.get(), frame_.get()) >= 0) {
      ++frames_;
      if (context_->codec_type == AVMEDIA_TYPE_VIDEO) scale();
      if (context_->codec_type == AVMEDIA_TYPE_AUDIO) resample();
      av_frame_unref(frame_.get());
    }
  }

 private:
  void scale() {
    promise(static_cast<std::int64_t>(frame_->width) * frame_->height <= kMostPixels, "pictures keep to max_pixels");
    const Owned<SwsContext> scaler(sws_getContext(frame_->width, frame_->height,
                                                  static_cast<AVPixelFormat>(frame_->format), kWidth, kHeight,
                                                  AV_PIX_FMT_YUV420P,
                                                  SWS_LANCZOS | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr,
                                                  nullptr));
    if (scaler == nullptr) return;
    sws_setColorspaceDetails(scaler.get(), sws_getCoefficients(frame_->colorspace),
                             frame_->color_range == AVCOL_RANGE_JPEG ? 1 : 0, sws_getCoefficients(SWS_CS_ITU709), 0, 0,
                             1 << 16, 1 << 16);
    std::vector<std::uint8_t> picture(kWidth * kHeight * 3 / 2 + 64);
    std::uint8_t* const planes[4] = {picture.data(), picture.data() + kWidth * kHeight,
                                     picture.data() + kWidth * kHeight * 5 / 4, nullptr};
    const int strides[4] = {kWidth, kWidth / 2, kWidth / 2, 0};
    sws_scale(scaler.get(), frame_->data, frame_->linesize, 0, frame_->height, planes, strides);
  }

  void resample() {
    AVChannelLayout mono{};
    av_channel_layout_default(&mono, 1);
    SwrContext* made = nullptr;
    const int error = swr_alloc_set_opts2(&made, &mono, AV_SAMPLE_FMT_S16, kRate, &frame_->ch_layout,
                                          static_cast<AVSampleFormat>(frame_->format), frame_->sample_rate, 0, nullptr);
    const Owned<SwrContext> resampler(made);
    // Beyond these the filter's bank alone would take seconds.
    if (error < 0 || frame_->sample_rate > 768'000 || swr_init(made) < 0) return;
    const int room = swr_get_out_samples(made, frame_->nb_samples);
    if (room <= 0 || room > 10'000'000) return;
    std::vector<std::int16_t> out(static_cast<std::size_t>(room));
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    const int count = swr_convert(made, &to, room, const_cast<const std::uint8_t**>(frame_->extended_data),
                                  frame_->nb_samples);
    promise(count <= room, "the resampler keeps to its room");
  }

  Owned<AVCodecContext> context_;
  Owned<AVFrame> frame_;
  int frames_ = 0;
};

void decode_file(std::span<const std::uint8_t> bytes, const char* demuxer) {
  Memory memory(bytes);
  AVFormatContext* format = avformat_alloc_context();
  format->pb = memory.get();
  AVDictionary* options = nullptr;
  av_dict_set(&options, "format_whitelist", kFormats, 0);
  av_dict_set(&options, "codec_whitelist", kCodecs, 0);
  // The box allows `file` for the file itself; this one is in memory, so that nothing may be opened.
  av_dict_set(&options, "protocol_whitelist", "none", 0);
  av_dict_set_int(&options, "probesize", kProbeBytes, 0);
  av_dict_set_int(&options, "analyzeduration", kProbeBytes, 0);
  const int opened = avformat_open_input(&format, nullptr, av_find_input_format(demuxer), &options);
  av_dict_free(&options);
  if (opened < 0) return;
  const struct Close {
    AVFormatContext*& format;
    ~Close() { avformat_close_input(&format); }
  } close{format};
  std::vector<AVDictionary*> each(format->nb_streams, nullptr);
  for (AVDictionary*& entry : each) {
    av_dict_set_int(&entry, "max_pixels", kMostPixels, 0);
    av_dict_set_int(&entry, "threads", 1, 0);
  }
  const int found = avformat_find_stream_info(format, each.data());
  for (AVDictionary*& entry : each) av_dict_free(&entry);
  if (found < 0) return;
  std::vector<Track> tracks;
  for (unsigned i = 0; i < std::min<unsigned>(format->nb_streams, kMostStreams); ++i) {
    tracks.emplace_back(*format->streams[i]);
  }
  const Owned<AVPacket> packet(av_packet_alloc());
  for (int count = 0; count < kMostPackets && av_read_frame(format, packet.get()) >= 0; ++count) {
    if (packet->stream_index < static_cast<int>(tracks.size())) {
      tracks[static_cast<std::size_t>(packet->stream_index)].decode(packet.get());
    }
    av_packet_unref(packet.get());
  }
  for (Track& track : tracks) track.decode(nullptr);
}

// A voice's sound in pieces, as utterances are fed.
void resample(std::span<const std::uint8_t> bytes) {
  Recipe recipe(bytes);
  const auto rate = [&] {
    const int any = static_cast<int>(recipe.below(65536));
    return recipe.pick(std::array<int, 8>{8'000, 11'025, 16'000, 22'050, 24'000, 44'100, 48'000, any});
  };
  const int from = rate(), to = rate();
  try {
    Resampler resampler(from, to);
    std::vector<float> out;
    std::size_t pushed = 0;
    while (!recipe.empty()) {
      std::vector<std::int16_t> piece(recipe.below(2000));
      for (std::int16_t& sample : piece) sample = static_cast<std::int16_t>(recipe.below(65536));
      pushed += piece.size();
      resampler.push(piece, out);
    }
    resampler.flush(out);
    const std::size_t wanted = (pushed * static_cast<std::size_t>(to) + static_cast<std::size_t>(from) - 1) /
                               static_cast<std::size_t>(from);
    promise(out.size() <= wanted, "no sound comes out that was not put in");
  } catch (const MediaError&) {
    // A rate that no voice has.
  }
}

}  // namespace
}  // namespace visavis::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  av_log_set_level(AV_LOG_QUIET);
  // As the limits of the processes, in effect: no single buffer is larger.
  av_max_alloc(256 << 20);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  if (const char* demuxer = visavis::fuzz::demuxer_of(bytes)) {
    visavis::fuzz::decode_file(bytes, demuxer);
  } else {
    visavis::fuzz::resample(bytes);
  }
  return 0;
}
