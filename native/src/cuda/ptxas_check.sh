#!/bin/sh
# `ptxas_check.sh FOLDER "75-real;80-real;..." KERNEL.cu...`: every kernel was compiled for every target, and ptxas
# spilled no register of any. Prints one line a kernel and target.
set -eu
folder=$1 targets=$2
shift 2
status=0
for kernel; do
  report=$folder/$kernel.txt
  if [ ! -s "$report" ]; then
    echo "$kernel: ptxas said nothing (no $report)"
    status=1
    continue
  fi
  for target in $(echo "$targets" | tr ';' ' '); do
    case $target in *-virtual) continue ;; esac
    awk -v kernel="$kernel" -v target="sm_${target%-real}" '
      /Compiling entry function/ { here = index($0, "\047" target "\047") > 0; entries += here; next }
      here && /spill stores/ {
        checked++
        if ($0 !~ /(^|[^0-9])0 bytes spill stores, 0 bytes spill loads/) spilled = 1
      }
      here && /Used [0-9]+ registers/ { used = used " " $0; sub(/.*Used/, "", used) }
      END {
        printf "%s %s: %d kernels, last uses%s%s\n", kernel, target, entries, used, spilled ? " SPILLS" : ""
        exit !(entries > 0 && checked >= entries && !spilled)
      }' "$report" || status=1
  done
done
exit $status
