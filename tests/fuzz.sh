#!/bin/sh
# fuzz.sh FOLDER SECONDS: runs each fuzz program of FOLDER for SECONDS, starting with the inputs of
# tests/fuzz/corpus/<program>. New inputs are kept in FOLDER/corpus. Stops at the first crash.
build=$1 seconds=$2
here=$(dirname "$0")
for program in "$build"/fuzz_*; do
  case $program in *.d|*.o) continue ;; esac
  name=$(basename "$program")
  found=$build/corpus/$name kept=$here/fuzz/corpus/$name
  mkdir -p "$found"
  [ -d "$kept" ] || kept=
  echo "$name: $seconds s"
  "$program" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -print_funcs=0 \
    -artifact_prefix="$build/" "$found" $kept || exit
done
