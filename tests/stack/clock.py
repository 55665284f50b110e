"""A wall clock for one process, which can be set while the process runs (shifted_clock.c)."""

import shutil
import struct


class Clock:
    """LIBRARY: the built shifted_clock. FOLDER: must be readable by the process."""

    def __init__(self, folder, library, name="clock", seconds=0):
        self.library = folder / f"{name}.so"
        shutil.copy(library, self.library)
        self.library.chmod(0o755)
        self.file = folder / name
        self.file.write_bytes(bytes(8))
        self.file.chmod(0o644)
        self.set(seconds)

    def set(self, seconds):
        """From now on the clock is wrong by so much, in all processes that use it."""
        with open(self.file, "r+b") as shared:
            shared.write(struct.pack("q", seconds))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "SHIFTED_CLOCK_FILE": str(self.file)}
