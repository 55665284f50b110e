#!/bin/sh
# Ends the servers that up.sh (with the same argument) started, and removes their data.
exec python3 "$(dirname "$0")/stack.py" down "$@"
