"""A daemon that is asked to end."""

import time

from .places import binary


def end(daemon, within_s, *numbers, meanwhile=lambda: None):
    """Sends the signals; the exit code is 0 and comes in time (with a sanitizer: half as much again)."""
    began = time.monotonic()
    for number in numbers:
        daemon.send(number)
    meanwhile()
    assert daemon.wait(within_s + 20) == 0
    assert time.monotonic() - began < within_s * (1.5 if binary().parent.name.startswith("san-") else 1)
