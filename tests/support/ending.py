"""Asks a daemon to end, and checks that it ends cleanly."""

import time

from .places import binary


def end(daemon, within_s, *numbers, meanwhile=lambda: None):
    """Sends the signals. The daemon must end with code 0 within WITHIN_S (with a sanitizer: 1.5
    times that)."""
    began = time.monotonic()
    for number in numbers:
        daemon.send(number)
    meanwhile()
    assert daemon.wait(within_s + 20) == 0
    assert time.monotonic() - began < within_s * (1.5 if binary().parent.name.startswith("san-") else 1)
