"""A PostgreSQL and a Kafka in a temporary folder: what most tests want, and a developer by hand."""

import os
import pathlib
import shutil
import tempfile

from .kafka import Kafka
from .postgres import Postgres


def new_folder(prefix):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o755)  # PostgreSQL may be another user
    return folder


class Pair:
    # Where a test looks for the components (support/places.py).
    POSTGRES, KAFKA = "TEST_POSTGRES_URL", "TEST_KAFKA"

    def __init__(self, outlive_us=False):
        self.folder = new_folder("pruned-stack-")
        try:
            self.kafka = Kafka(self.folder / "kafka", outlive_us)
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
        """Puts the addresses where children of this process find them."""
        os.environ[self.POSTGRES], os.environ[self.KAFKA] = self.postgres.url(), self.kafka.bootstrap

    def close(self):
        for server in self.servers:
            server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
