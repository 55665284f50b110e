#!/usr/bin/env bash
# The program before this one, built from the checkout's own history below build/older. Prints its
# path.
#
#   older.sh [COMMIT]      default: the newest tag `v*` before this commit, else NO_TAG
#   older.sh step          BEFORE_STEP: it lacks a step that a program has to know (no compatible_from)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
NO_TAG=d7491ba3      # no version was released yet: a commit with schema step 49
BEFORE_STEP=6cf72ad7 # schema step 40; 41 has to be known

commit=${1:-$(git describe --tags --match 'v*' --abbrev=0 HEAD^ 2>/dev/null || echo $NO_TAG)}
[ "$commit" != step ] || commit=$BEFORE_STEP
name=$(git rev-parse --short=8 --verify --quiet "$commit^{commit}") ||
  { echo "older.sh: $commit is not in this checkout's history: git fetch --unshallow --tags" >&2; exit 1; }
folder=build/older/$name
if [ ! -d "$folder" ]; then
  mkdir -p "$folder.new"
  git archive "$name" | tar -x -C "$folder.new"
  mv "$folder.new" "$folder"
fi
# Two versions are told apart by their numbers.
version=$(cat "$folder/VERSION")
[ "$version" != "$(cat VERSION)" ] || version=$version-$name
make -C "$folder" --no-print-directory -j"$(nproc)" NO_DEPS=1 VERSION="$version" all >"$folder.log" 2>&1 ||
  { tail -n 20 "$folder.log" >&2; exit 1; }
realpath "$folder/build/release/pruned"
