#!/bin/sh
# Ends what up.sh (with the same argument) has started, and removes its data.
exec python3 "$(dirname "$0")/stack.py" down "$@"
