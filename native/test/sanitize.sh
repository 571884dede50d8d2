#!/bin/sh
# The native tests under sanitizers, each in a build folder of its own: `sanitize.sh` for memory and undefined behaviour
# (all tests), `sanitize.sh thread` for races (what has threads). CXX picks the compiler; clang++ without it.
# What third parties are forgiven, and why, stands in suppressions/.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
native=$(dirname -- "$here")
kind=${1:-memory}
: "${CXX:=clang++}"
case $kind in
  memory) sanitizers="address;undefined" only="." target=all ;;
  thread) sanitizers="thread" only="^(stage|media|hearing)\." target=threaded_tests ;;
  *) echo "usage: $0 [memory|thread]" >&2; exit 2 ;;
esac
build=$native/build/sanitize-$kind-$(basename -- "$CXX")
cmake -S "$native" -B "$build" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g1" \
  -DVISAVIS_SANITIZE="$sanitizers"
cmake --build "$build" --parallel "${JOBS:-1}" --target "$target"
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:halt_on_error=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=$here/suppressions/leak.txt${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$here/suppressions/thread.txt${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
ctest --test-dir "$build" --output-on-failure -R "$only"
