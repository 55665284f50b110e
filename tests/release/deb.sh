#!/usr/bin/env bash
# The Debian package in a bare root (check.sh), as root: built, read by lintian, installed, upgraded
# over a configuration that was edited while the package brought another one, removed, purged.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
conf=/etc/pruned/pruned.conf
export DEBIAN_FRONTEND=noninteractive

expect() { # WORDS COMMAND...: it succeeds
  local words=$1
  shift
  "$@" || { echo "deb: not so: $words" >&2; exit 1; }
  echo "deb: $words"
}
same() { [ "$1" = "$2" ] || { echo "deb: '$1' is not '$2'" >&2; return 1; }; }
install() { apt-get -qq -y -o Dpkg::Options::=--force-confold install "$(realpath "$1")" </dev/null >/dev/null; }
gone() { ! [ -e "$1" ]; }
reads() { setpriv --reuid=pruned --regid=pruned --init-groups pruned config >/dev/null; }
no_user() { ! getent passwd pruned >/dev/null; }
calls_no() { ! grep -rE "$1" "${@:2}"; }

rm -f build/pruned_*.deb
make deb
first=$(echo build/pruned_*.deb)
lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs "$first"
dpkg-deb -e "$first" build/deb-scripts
expect 'no script of the package starts or restarts a daemon' calls_no 'deb-systemd-invoke|systemctl.*start' build/deb-scripts/postinst

expect 'it is installed' install "$first"
expect 'the configuration is read by its group only' same "$(stat -c '%a %U %G' $conf)" '640 root pruned'
expect 'jobs.d is there' [ -d /etc/pruned/jobs.d ]
expect 'the user reads the configuration' reads
expect 'another user does not' bash -c "! setpriv --reuid=nobody --regid=nogroup --clear-groups cat $conf 2>/dev/null"
expect 'the program is that of this tree' same "$(pruned version | awk '$1 == "pruned" { print $2 }')" "$(cat VERSION)"
for file in man/man1/pruned.1.gz man/man1/pruned-tick.1.gz man/man5/pruned.conf.5.gz man/man5/pruned-jobs.5.gz \
  bash-completion/completions/pruned zsh/vendor-completions/_pruned fish/vendor_completions.d/pruned.fish \
  pruned/alerts.yml pruned/schemas/Tick.avsc; do
  dpkg -L pruned | grep -q "^/usr/share/$file\$" || { echo "deb: no $file" >&2; exit 1; }
done
unit=$(dpkg -L pruned | grep '/systemd/system/pruned.service$')
expect 'the unit runs the program as the user' grep -qx 'ExecStart=/usr/bin/pruned run' "$unit"
expect 'the unit names the user' grep -qx 'User=pruned' "$unit"

printf '[log]\nlevel = debug\n' >>$conf
echo '[retention]' >/etc/pruned/jobs.d/mine.conf
echo '# a line of the next version' >>deploy/pruned.conf
sed -i '1s/(\(.*\))/(\1+next)/' debian/changelog
make deb
expect 'the next version is installed over it' install build/pruned_*+next_*.deb
expect 'the edited configuration stays' grep -q '^level = debug' $conf
expect 'the new one lies beside it' grep -q 'a line of the next version' $conf.dpkg-dist
expect 'rights and owner stay' same "$(stat -c '%a %U %G' $conf)" '640 root pruned'
git checkout -q debian/changelog deploy/pruned.conf

apt-get -qq -y remove pruned >/dev/null
expect 'a removal keeps the configuration' [ -e $conf ]
apt-get -qq -y purge pruned >/dev/null
expect 'a purge removes it' gone $conf
expect 'the job of the operator stays' [ -e /etc/pruned/jobs.d/mine.conf ]
expect 'the user is gone' no_user
expect 'the binary is gone' gone /usr/bin/pruned
echo 'deb: all as it should be'
