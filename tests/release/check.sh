#!/usr/bin/env bash
# release-check: all tests in a bare root of each Debian release that README names, from a
# fresh clone of the committed tree. The root has only Debian's smallest base, git and make.
#
#   check.sh [SUITE ...]      default: bookworm trixie
#   RELEASE_ROOTS=FOLDER      where roots and logs are kept (default build/release-check)
#   RELEASE_COMMAND='...'     what is run in the clone instead of the tests, `make interop` and deb.sh
#
# Needs root (chroot, mount) and a network that reaches Debian's packages, PyPI, Maven Central and
# the Go module proxy. The base of each suite is fetched once; the root is created again each time.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

roots=$(realpath -m "${RELEASE_ROOTS:-build/release-check}")
command=${RELEASE_COMMAND:-bash .ci/run check-all && make interop && make two-versions && make two-versions OLDER=step && for v in 14 16 18; do make quick POSTGRES=$v || exit; done && make quick BROKER=3.9 && tests/release/deb.sh && tests/release/charts.sh}
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie)
mirror=${RELEASE_MIRROR:-http://deb.debian.org/debian}

say() { printf 'release-check: %s\n' "$*"; }
die() { printf 'release-check: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "wants root, for chroot and mount: sudo make release-check"
tests/stack/deps.sh release || exit 1
mkdir -p "$roots"

# The base of a suite, as a tar file that is fetched once.
base_of() {
  local suite=$1 folder
  [ -e "$roots/$suite.tar" ] && return 0
  say "$suite: fetching its base with debootstrap"
  folder=$(mktemp -d "$roots/$suite.XXXXXX") || return 1
  debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$folder" "$mirror" \
    >"$roots/$suite.debootstrap.log" 2>&1 ||
    { tail -n 20 "$roots/$suite.debootstrap.log" >&2; rm -rf "$folder"; return 1; }
  tar -C "$folder" -cf "$roots/$suite.tar.part" . && mv "$roots/$suite.tar.part" "$roots/$suite.tar"
  rm -rf "$folder"
}

# Certificates that this machine trusts in addition to Debian's are trusted in the root as well.
trust_the_same() {
  local root=$1
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null || return 0
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
  chroot "$root" update-ca-certificates >/dev/null 2>&1
}

# Processes in the root end with it: they have their own process namespace.
inside() {
  local root=$1
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CI=true ROOT="$root" COMMAND="$command" \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    unshare --mount --pid --fork --kill-child bash -c '
      mount --make-rprivate / &&
      mount -t proc proc "$ROOT/proc" &&
      mount --rbind /dev "$ROOT/dev" &&
      mount -t tmpfs tmpfs "$ROOT/dev/shm" || exit 1
      exec chroot "$ROOT" bash -c "cd /root/pruned && $COMMAND"' </dev/null
}

check_suite() {
  local suite=$1 root code last
  base_of "$suite" || return 1
  root=$(mktemp -d "$roots/$suite.XXXXXX") || return 1
  # "/" must be readable for all users: PostgreSQL runs as its own user.
  tar -C "$root" -xf "$roots/$suite.tar" && chmod 755 "$root" && trust_the_same "$root" &&
    git clone -q --no-local . "$root/root/pruned" || { rm -rf --one-file-system "$root"; return 1; }
  say "$suite: $(git -C "$root/root/pruned" rev-parse --short HEAD), $command (all of it in $roots/$suite.log)"
  inside "$root" >"$roots/$suite.log" 2>&1
  code=$?
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$roots/$suite.log" | tail -n 1)
  say "$suite: exit code $code, ${last:-no count}"
  [ "$code" = 0 ] || tail -n 40 "$roots/$suite.log" >&2
  rm -rf --one-file-system "$root"
  return "$code"
}

# What a release would be, and what keeps it from being one.
version=$(cat VERSION)
newest=$(git describe --tags --match 'v*' --abbrev=0 2>/dev/null || true)
say "if all is right: git tag v$version $(git rev-parse --short HEAD) (the newest tag: ${newest:-none})"
[ "$newest" != "v$version" ] || say "v$version is there already: raise VERSION"
grep -q "^## \[$version\]" CHANGELOG.md || say "CHANGELOG.md has no heading [$version]: Unreleased becomes it"
head -n 1 debian/changelog | grep -q "($version[-)]" || say "debian/changelog is of $(head -n 1 debian/changelog | sed 's/.*(\(.*\)).*/\1/')"
[ -z "$(git status --porcelain)" ] || say "what is not committed is not tried"

failed=0
for suite in "${suites[@]}"; do check_suite "$suite" || failed=1; done
exit $failed
