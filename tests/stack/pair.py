"""A PostgreSQL and a Kafka in a temporary folder, for the tests and for use by hand."""

import os
import pathlib
import re
import shutil
import tempfile

from .kafka import Kafka
from .postgres import Postgres

MEMORY = pathlib.Path("/dev/shm")
ENOUGH = 8 << 30  # bytes; the servers of a check held 0.9 GB when looked at


def in_memory():
    """Where a server's files cost no disk; None if there is too little memory."""
    if not os.access(MEMORY, os.W_OK):
        return None
    there = os.statvfs(MEMORY)
    available = int(re.search(r"MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text())[1]) << 10
    return MEMORY if min(there.f_bavail * there.f_frsize, available) >= ENOUGH else None


def new_folder(prefix, on_disk=False):
    """ON_DISK: for what is measured."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=None if on_disk else in_memory()))
    folder.chmod(0o755)  # PostgreSQL may run as another user
    return folder


class Pair:
    # Environment variables with the addresses (support/places.py reads them).
    POSTGRES, KAFKA = "TEST_POSTGRES_URL", "TEST_KAFKA"

    def __init__(self, outlive_us=False, lasts=False):
        """LASTS: see Kafka."""
        self.folder = new_folder("pruned-stack-")
        try:
            self.kafka = Kafka(self.folder / "kafka", outlive_us, lasts=lasts)
            self.kafka.launch()
            self.postgres = Postgres(self.folder / "postgres", outlive_us)
            self.postgres.start()
            self.kafka.wait_ready()
        except BaseException:
            self.close()
            raise

    @property
    def servers(self):
        return [s for s in (getattr(self, "postgres", None), getattr(self, "kafka", None)) if s]

    def tell(self):
        """Sets the addresses in the environment, for children of this process."""
        os.environ[self.POSTGRES], os.environ[self.KAFKA] = self.postgres.url(), self.kafka.bootstrap

    def close(self):
        for server in self.servers:
            server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
