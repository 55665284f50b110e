#!/usr/bin/env bash
# The image of deploy/container/Containerfile, as root: built by buildah from a base that debootstrap
# makes, measured, and started without a writable root and as its own user. Where buildah cannot run,
# the same steps are done in a plain folder; it says which of the two was run.
#
#   container.sh BASE      a tar file with Debian 12's base, as check.sh makes it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
base=$(realpath "$1")
most_mb=60
folder=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container= root=
end() {
  [ -z "$container" ] || buildah umount "$container" >/dev/null
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf --one-file-system "$folder"
}
trap end EXIT
say() { printf 'container: %s\n' "$*"; }

with_buildah() {
  local from
  command -v buildah >/dev/null || return 1
  from=$(buildah from scratch) && buildah add -q "$from" "$base" / >/dev/null || return 1
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    buildah copy -q "$from" /usr/local/share/ca-certificates /usr/local/share/ca-certificates >/dev/null
    buildah run "$from" update-ca-certificates >/dev/null 2>&1
  fi
  buildah commit -q "$from" docker.io/library/debian:bookworm-slim >/dev/null && buildah rm "$from" >/dev/null
  mkdir "$folder/tree" && git archive HEAD | tar -x -C "$folder/tree"
  buildah bud -q --pull-never -f "$folder/tree/deploy/container/Containerfile" -t pruned:test "$folder/tree" >"$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log"; return 1; }
  container=$(buildah from --pull-never pruned:test)
  root=$(buildah mount "$container")
  say "built by buildah $(buildah --version | awk '{print $3}')"
}

in_a_folder() {
  make all && deploy/container/image-root.sh build/release/pruned "$folder/image"
  root=$folder/image
  say "buildah cannot run here: the same steps were done in a plain folder"
}

# As a runtime starts it: a root that nothing can write to, devices, and the user of the image.
start() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount --make-rprivate / && mount --bind "$0" /mnt && mount -o remount,bind,ro /mnt &&
    mount -t tmpfs tmpfs /mnt/tmp && mount --rbind /dev /mnt/dev && mount -t proc proc /mnt/proc &&
    exec chroot --userspec=65532:65532 --groups=65532 /mnt "$@"' "$root" "$@"
}

expect() { # WORDS COMMAND...: it succeeds
  local words=$1
  shift
  "$@" || { say "not so: $words"; exit 1; }
  say "$words"
}
says() { local said; said=$("${@:2}" 2>&1) || true; grep -q -- "$1" <<<"$said"; }

with_buildah || in_a_folder
mkdir -p "$root/dev" "$root/proc"
size=$(du -smx "$root" | cut -f1)
expect "it has $size MB, below $most_mb" [ "$size" -lt "$most_mb" ]
expect 'it has no shell' [ ! -e "$root/bin/sh" ]
expect 'the program is that of this tree' says "^pruned[[:space:]]*$(cat VERSION)$" start /usr/bin/pruned version
expect 'zones are known' says 'it was read' start /usr/bin/pruned doctor -s jobs.members.remove_expired.time_zone=Europe/Berlin
expect 'a server that is away is named' says 'cannot connect' start /usr/bin/pruned doctor
