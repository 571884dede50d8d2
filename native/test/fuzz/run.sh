#!/bin/sh
# Fuzzes every target with libFuzzer, one after another, and adds to the corpus here what covers something new:
#   run.sh [minutes a target, 10] [targets, all]
# Needs clang; JOBS is how many compilers run at once. What breaks a target is left in native/build/fuzz/findings, all
# that was found on the way in native/build/fuzz/corpus.
# The media target sees as deep into FFmpeg as that was compiled for it: PKG_CONFIG_PATH may name a build of its
# libraries by ffmpeg.sh.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
native=$(CDPATH='' cd -- "$here/../.." && pwd)
minutes=${1:-10}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- rig weights builder media
build=$native/build/fuzz
cmake -S "$native" -B "$build" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g1" \
  -DVISAVIS_FUZZ=ON -DVISAVIS_SANITIZE="address;undefined;float-cast-overflow"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"

# One small file of each container and codec that the box takes in.
media_seeds() {
  make_one() { out=$1 && shift && { [ -e "$out" ] || ffmpeg -v error -nostdin -y "$@" "$out" || rm -f "$out"; }; }
  picture="-f lavfi -i testsrc2=s=64x48:r=10:d=0.4"
  sound="-f lavfi -i sine=frequency=330:sample_rate=16000:d=0.2"
  x264="-c:v libx264 -preset ultrafast -pix_fmt yuv420p"
  # The options are words.
  # shellcheck disable=SC2086
  {
    make_one "$1/h264.mp4" $picture $sound $x264 -c:a aac
    make_one "$1/fragments.mp4" $picture $sound $x264 -c:a aac -movflags frag_keyframe+empty_moov
    make_one "$1/phone.mov" $picture $sound $x264 -bf 0 -c:a pcm_s16le
    make_one "$1/alac.mov" $sound -c:a alac
    make_one "$1/hevc.mp4" $picture -c:v libx265 -preset ultrafast -x265-params log-level=none
    make_one "$1/mpeg4.mp4" $picture -c:v mpeg4
    make_one "$1/prores.mov" $picture -c:v prores_ks -profile:v 0 -bits_per_mb 200
    make_one "$1/mjpeg.mov" $picture -c:v mjpeg -pix_fmt yuvj420p
    make_one "$1/browser.webm" $picture $sound -c:v libvpx -deadline realtime -b:v 60k -c:a libopus
    make_one "$1/vp9.webm" $picture -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 60k
    make_one "$1/av1.mp4" $picture -c:v libaom-av1 -cpu-used 8 -b:v 60k
    make_one "$1/flac.mkv" $picture $sound $x264 -c:a flac
    make_one "$1/vorbis.ogg" $sound -c:a libvorbis
    make_one "$1/opus.ogg" $sound -c:a libopus
    make_one "$1/mp3.mp3" $sound -c:a libmp3lame
    make_one "$1/flac.flac" $sound
    make_one "$1/ac3.mkv" $sound -c:a ac3
    make_one "$1/pcm.wav" $sound
    make_one "$1/float.wav" $sound -c:a pcm_f32le
    make_one "$1/mulaw.wav" $sound -c:a pcm_mulaw
  }
}

for name in "$@"; do
  cmake --build "$build" --parallel "${JOBS:-1}" --target "fuzz_$name"
  fuzzer=$build/test/fuzz/fuzz_$name
  corpus=$build/corpus/$name
  mkdir -p "$corpus" "$build/findings" "$here/corpus/$name"
  [ "$name" != media ] || media_seeds "$corpus"
  # Lists of changes are short, and need no growing.
  case $name in
    rig | builder) lengths="-max_len=160 -len_control=0" ;;
    *) lengths="-max_len=16384" ;;
  esac
  # shellcheck disable=SC2086
  "$fuzzer" $lengths -max_total_time=$((minutes * 60)) -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" "$corpus" "$here/corpus/$name"
  # Into the repository goes what reaches code that nothing there reaches; how often it is reached does not count.
  "$fuzzer" -merge=1 -use_counters=0 "$here/corpus/$name" "$corpus"
done
