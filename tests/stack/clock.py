"""A wall clock of a process's own, which can be set while it runs (shifted_clock.c)."""

import shutil
import struct


class Clock:
    """LIBRARY: shifted_clock, built. FOLDER: where whoever is to run on this clock may read."""

    def __init__(self, folder, library, name="clock", seconds=0):
        self.library = folder / f"{name}.so"
        shutil.copy(library, self.library)
        self.library.chmod(0o755)
        self.file = folder / name
        self.file.write_bytes(bytes(8))
        self.file.chmod(0o644)
        self.set(seconds)

    def set(self, seconds):
        """Wrong by so much, from now on, in all processes that run on it."""
        with open(self.file, "r+b") as shared:
            shared.write(struct.pack("q", seconds))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "SHIFTED_CLOCK_FILE": str(self.file)}
