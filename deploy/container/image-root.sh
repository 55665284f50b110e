#!/bin/sh
# Makes the root of the image: PROGRAM with each library that it is linked with, and what these read.
#
#   image-root.sh PROGRAM FOLDER
#
# FOLDER must not exist. Needs a Debian system on which PROGRAM runs, with ca-certificates and tzdata.
set -eu

program=$1 root=$2
[ ! -e "$root" ] || { echo "image-root.sh: $root is there already" >&2; exit 1; }
for needed in /etc/ssl/certs/ca-certificates.crt /usr/share/zoneinfo/UTC; do
  [ -e "$needed" ] || { echo "image-root.sh: $needed is missing: install ca-certificates and tzdata" >&2; exit 1; }
done

mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64" "$root/etc/pruned/jobs.d" "$root/etc/ssl/certs" \
  "$root/usr/share/doc" "$root/usr/lib/locale" "$root/tmp"
chmod 1777 "$root/tmp"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"

strip -o "$root/usr/bin/pruned" "$program"
ldd "$program" | grep -o '/[^ ]*' | sort -u | while read -r library; do
  mkdir -p "$root${library%/*}"
  cp -L "$library" "$root$library"
  # its licence
  package=$(dpkg -S "$(readlink -f "$library")" "$library" 2>/dev/null | head -n 1 | sed 's/[:,].*//')
  [ -z "$package" ] || [ ! -e "/usr/share/doc/$package/copyright" ] ||
    { mkdir -p "$root/usr/share/doc/$package" && cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"; }
done

cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -a /usr/share/zoneinfo "$root/usr/share/"
rm -rf "$root/usr/share/zoneinfo/right" "$root/usr/share/zoneinfo/posix"
[ ! -d /usr/lib/locale/C.utf8 ] || cp -a /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
echo 'pruned:x:65532:65532::/:/nonexistent' >"$root/etc/passwd"
echo 'pruned:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
