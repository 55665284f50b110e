"""A terminal, for what is written otherwise there."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

from stack.process import wait_until

from .pruned import clean_environment


class Screen:
    """What was written to it is `text()`. `typed` is what is read from it."""

    def __init__(self, typed=None, columns=0):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.said = b""
        if typed is not None:
            os.write(self.ours, typed.encode() + b"\n")
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        try:
            while chunk := os.read(self.ours, 4096):
                self.said += chunk
        except OSError:
            pass  # its other end is closed

    def text(self):
        return self.said.decode(errors="replace")

    def wait(self, pattern, deadline_s=30):
        """Waits until it shows what PATTERN finds."""
        return wait_until(lambda: pattern.search(self.text()), deadline_s, lambda: f"{pattern.pattern!r} on a terminal that shows {self.text()[-2000:]!r}")

    def close(self):
        """Once nobody else writes to it any more."""
        if self.theirs is not None:
            os.close(self.theirs)
            self.theirs = None
            self.reader.join()
            os.close(self.ours)


def on_a_terminal(pruned, answer, *arguments, columns=0, **streams):
    """The command with a terminal of COLUMNS (0: it does not say), on which ANSWER (None: nothing)
    is typed. STREAMS: those that are none. Returns (exit code, what the terminal shows, the rest of
    its output)."""
    screen = Screen(answer, columns)
    own = {"stdin": screen.theirs, "stdout": screen.theirs, "stderr": screen.theirs} | streams
    done = subprocess.run(pruned.argv(*arguments), env=clean_environment(), cwd=pruned.folder, timeout=60, **own)
    screen.close()
    return done.returncode, screen.text(), done.stdout
