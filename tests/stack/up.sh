#!/bin/sh
# Starts a private PostgreSQL and Kafka, unless they run already, and prints their addresses:
#   set -a; eval "$(tests/stack/up.sh)"; set +a
# With a folder as argument: a separate pair in that folder instead of build/stack. They run until
# down.sh.
here=$(dirname "$0")
"$here/deps.sh" test python kafka pg >&2 || exit
exec python3 "$here/stack.py" up "$@"
