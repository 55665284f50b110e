"""Who reads what a process says, and may stall: then a small pipe is full soon."""

import fcntl
import os
import threading

F_SETPIPE_SZ = 1031
SMALL = 4096


class Reader(threading.Thread):
    """Puts into the file LOG what is written to `writer`, until all who could write are gone."""

    def __init__(self, log):
        super().__init__(daemon=True)
        self.log, self.going = log, threading.Event()
        log.touch()
        self.read, write = os.pipe()
        fcntl.fcntl(write, F_SETPIPE_SZ, SMALL)
        self.writer = os.fdopen(write, "wb")
        self.going.set()
        self.start()

    def run(self):
        with open(self.read, "rb", buffering=0) as pipe, open(self.log, "ab", buffering=0) as log:
            while data := pipe.read(65536):
                self.going.wait()
                log.write(data)

    def stall(self):
        self.going.clear()

    def go_on(self):
        self.going.set()

    def finish(self):
        """Everything that was said stands in the file: the process has ended."""
        self.going.set()
        self.join(60)
