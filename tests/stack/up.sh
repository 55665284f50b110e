#!/bin/sh
# Starts a private PostgreSQL and Kafka (or finds them up) and prints where they are:
#   set -a; eval "$(tests/stack/up.sh)"; set +a
# With a folder as argument: another pair than that of build/stack. They stay until down.sh.
here=$(dirname "$0")
"$here/deps.sh" test python kafka pg >&2 || exit
exec python3 "$here/stack.py" up "$@"
