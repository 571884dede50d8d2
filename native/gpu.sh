#!/bin/sh
# What this machine's NVIDIA GPU is shown to do, by CMake and nvcc alone (no Node, no FFmpeg):
#
#   native/gpu.sh                 builds, tests, compute-sanitizer where it is installed, measures
#   native/gpu.sh build           builds, and checks that no kernel spills, which needs no GPU
#
# Ends with a table for docs/gpu.md. Exits 0 where all of it held, 3 where there is no GPU to measure, 1 otherwise.
# JOBS: compilers at a time. BUILD: the build folder.
set -eu
native=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=${BUILD:-$native/build/gpu}
: "${JOBS:=$(nproc 2>/dev/null || echo 2)}"
kind=${1:-all}
case $kind in all | build) ;; *) echo "usage: $0 [build]" >&2; exit 2 ;; esac

# Tests that run kernels on the card, and benchmarks that print rows of the table, each with its arguments.
gpu_tests="cuda/cuda_device_test speech/speech_gpu_net_test face/face_frame_kernel_test face/face_gpu_renderer_test"
gpu_benches="gpu_net_bench gpu_warp_bench sessions_bench"
arguments_of() {
  case $1 in
    gpu_net_bench | sessions_bench) echo "$native/model/visemes.vvn" ;;
  esac
}

step() { printf '\n== %s\n' "$*"; }

command -v cmake >/dev/null 2>&1 || { echo "gpu.sh needs CMake 3.22 or newer" >&2; exit 1; }
step "build in $build"
cmake -S "$native" -B "$build" -DCMAKE_BUILD_TYPE=Release -DVISAVIS_CUDA=ON -DVISAVIS_MEDIA=OFF \
  -DVISAVIS_HEARING=OFF -DVISAVIS_TESTS=ON -DVISAVIS_BENCH=ON
cmake --build "$build" --parallel "$JOBS"

step "kernels: registers and memory, and no spills"
ctest --test-dir "$build" -R '^cuda_no_spills$' --verbose | sed -n 's/^[0-9]*: \(.*\.cu .*\)/\1/p'
ctest --test-dir "$build" -R '^cuda_no_spills$' --output-on-failure >/dev/null || {
  echo "a kernel spills, or was not compiled for every target"
  exit 1
}
[ "$kind" = all ] || exit 0

card=
if command -v nvidia-smi >/dev/null 2>&1; then
  card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader -i 0 2>/dev/null | head -n 1) || card=
fi
# Asked of our own code, not of nvidia-smi: what counts is whether it finds the card.
if VISAVIS_NEED_GPU=1 "$build/test/cuda/cuda_device_test" "why it has no GPU" >"$build/gpu.txt" 2>&1; then
  gpu=yes
  [ -n "$card" ] || card=$(sed -n 's/^on //p' "$build/gpu.txt" | head -n 1)
else
  gpu=no
  why=$(sed -n 's/^no GPU: //p' "$build/gpu.txt" | head -n 1)
fi

step "tests${card:+ on $card}"
if [ "$gpu" = yes ]; then export VISAVIS_NEED_GPU=1; fi
ctest --test-dir "$build" --output-on-failure

if [ "$gpu" = no ]; then
  step "no GPU: ${why:-the driver gave no reason}"
  echo "All tests passed on the host, where they run the kernels' arithmetic; nothing was measured."
  exit 3
fi

sanitized=
if command -v compute-sanitizer >/dev/null 2>&1; then
  for tool in memcheck racecheck synccheck initcheck; do
    for test in $gpu_tests; do
      step "compute-sanitizer $tool: $test"
      # Every call's result is looked at by our own code: an event that has not passed yet is no error.
      compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 1 "$build/test/$test"
    done
    sanitized="$sanitized $tool"
  done
fi

step "benchmarks"
rows=$build/gpu-rows.md
: >"$rows"
status=0
for bench in $gpu_benches; do
  [ -x "$build/bench/$bench" ] || continue
  # shellcheck disable=SC2046 # Its arguments are words.
  "$build/bench/$bench" $(arguments_of "$bench") >>"$rows" || { status=1; echo "$bench: missed what it should be"; }
done

step "for docs/gpu.md"
printf '### %s\n\n' "$card"
if [ -n "$sanitized" ]; then echo "compute-sanitizer:$sanitized clean."; else echo "compute-sanitizer: not installed."; fi
printf '\n'
printf '| what | measured | should be |\n| --- | --- | --- |\n'
cat "$rows"
exit $status
