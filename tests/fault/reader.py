"""A reader of a process's log, which may stall: its pipe is small and soon full."""

import fcntl
import os
import threading

F_SETPIPE_SZ = 1031
SMALL = 4096


class Reader(threading.Thread):
    """Copies what is written to `writer` into the file LOG, until the last writer has closed it."""

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
        """Returns when everything has been copied: the process has ended."""
        self.going.set()
        self.join(60)
