"""A daemon whose metrics are read over HTTP, and objects for it to delete."""

import pytest

from stack.process import wait_until

from .exposition import Listening

OBJECTS, SLOT = "ci.schedule_delete_objects", "ci.delete_objects"
HOUR, DAY = 3600, 86400


@pytest.fixture
def http():
    one = Listening()
    yield one
    one.close()


def ready(http, code=200):
    """The text of /readyz, once it answers with this code."""
    return wait_until(lambda: (answer := http.ask("/readyz")).status_code == code and answer.text, 30, f"readiness {code}")


def counted(http, n, name, **labels):
    """The metrics, once this one has reached N: a row, or a line about a failure, may appear before
    it is counted."""
    return wait_until(lambda: (seen := http.metrics()).of(name, **labels) >= n and seen, 30, f"{n} of {name} {labels}")


def start(scene, http, **settings):
    scene.settings["http.listen"] = http.listen
    daemon = scene.start(settings=settings)
    daemon.wait_line("Partitions assigned")
    ready(http)
    return daemon


def add_object(scene, root, name, age):
    if name is not None:
        (root / name).write_text("artifact")
    scene.database.execute(
        "INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at, created_at)"
        " VALUES (1, '', %s, now() - interval '1 h', now() - %s::interval)", [name or "folder", age])
