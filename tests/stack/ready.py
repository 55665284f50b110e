"""Formatted storage and an archive of classes, made once instead of at the start of each broker.
With both a broker is ready after a quarter of the processor time. They are kept beside Kafka's
libraries, by the Java and the libraries that made them."""

import base64
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import tempfile

from . import found


def new_id():
    return base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=").replace("-", "a")


@contextlib.contextmanager
def alone(path):
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Ready:
    def __init__(self, make):
        """MAKE fills a folder with `data` and `classes.jsa`. It is called if nobody has done it
        yet."""
        kafka, java = found.kafka(), found.java().resolve()
        made_by = [str(java), java.stat().st_mtime_ns, *sorted(path.name for path in (kafka / "libs").iterdir())]
        self.folder = kafka / f"ready-{hashlib.sha1(repr(made_by).encode()).hexdigest()[:12]}"
        if self.folder.is_dir():
            return
        with alone(kafka / "ready.lock"):
            if not self.folder.is_dir():
                making = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=kafka))
                making.chmod(0o755)
                make(making)
                making.rename(self.folder)

    @property
    def options(self):
        """Java's, to read the archive. A Java that makes no archive does without."""
        archive = self.folder / "classes.jsa"
        return [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []

    def copy_storage(self, to, **properties):
        """The storage of a new cluster, or of a node with these properties."""
        shutil.copytree(self.folder / "data", to)
        fresh = {"cluster.id": new_id(), "directory.id": new_id()} | properties
        path = to / "meta.properties"
        lines = [line.partition("=") for line in path.read_text().splitlines()]
        path.write_text("".join(f"{name}{sign}{fresh.get(name, value)}\n" for name, sign, value in lines))
