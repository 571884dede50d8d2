#!/bin/sh
# FFmpeg's libraries with clang's address sanitizer and libFuzzer's coverage, with the demuxers and decoders that
# box/media lets in and nothing else:
#   ffmpeg.sh SOURCE PREFIX
# SOURCE is FFmpeg's unpacked source, as `apt-get source ffmpeg` gives it. Then
#   PKG_CONFIG_PATH=PREFIX/lib/pkgconfig run.sh 10 media
set -eu
[ $# -eq 2 ] || { echo "usage: $0 SOURCE PREFIX" >&2; exit 2; }
pcm=pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_u8,pcm_s8
cd "$1"
./configure --prefix="$2" --cc=clang --cxx=clang++ --optflags=-O1 --disable-debug --disable-asm --disable-autodetect \
  --extra-cflags="-fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link" --extra-ldflags=-fsanitize=address \
  --disable-everything --disable-programs --disable-doc --disable-avdevice --disable-avfilter --disable-postproc \
  --disable-network --disable-pthreads --enable-zlib --enable-protocol=file \
  --enable-demuxer=mov,matroska,wav,mp3,ogg,flac \
  --enable-decoder=h264,hevc,vp8,vp9,av1,mpeg4,prores,aac,mp3,mp3float,opus,vorbis,flac,alac \
  --enable-decoder=$pcm,pcm_mulaw,pcm_alaw,mjpeg,png,movtext,ac3,eac3,amrnb,amrwb \
  --enable-parser=h264,hevc,vp8,vp9,av1,mpeg4video,aac,aac_latm,mpegaudio,opus,vorbis,flac,ac3,amr,mjpeg,png
make -j "${JOBS:-1}"
make install
