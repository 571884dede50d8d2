#!/bin/sh
# A compiler launcher: `ptxas_report.sh FOLDER nvcc ...`. Runs the compiler and keeps what ptxas said of a kernel's
# registers, memory and spills in FOLDER/<source>.txt; anything else goes to stderr as it would have.
set -u
folder=$1
shift
source=
for argument; do
  case $argument in *.cu) source=$(basename -- "$argument") ;; esac
done
[ -n "$source" ] || exec "$@"
mkdir -p "$folder"
report=$folder/$source.txt
"$@" 2>"$report.all"
status=$?
grep -E '^ptxas info|bytes (stack frame|spill)' "$report.all" >"$report"
grep -vE '^ptxas info|bytes (stack frame|spill)' "$report.all" >&2
rm -f "$report.all"
exit $status
