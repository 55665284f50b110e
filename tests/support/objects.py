"""Objects that are listed for deletion, and the runs (one a slot) that delete them."""

import pytest

TICK, SLOT = "ci.schedule_delete_objects", "ci.delete_objects"


def waits_for_its_store(run):
    """Whether the run waits without a charged attempt. Its pause may have ended together with the
    process: then it is ready, but not stepped."""
    waits = run["state"] == "waiting" or run["state"] == "ready" and run["due_at"] <= run["published_at"]
    return waits and run["attempts"] == 0


class ListedObjects:
    """PRUNED deletes what DATABASE lists; ROOT is its local store."""

    def __init__(self, pruned, database, root):
        self.pruned, self.database, self.root = pruned, database, root

    def add(self, number, *, store, age="2 hours", apart="1 ms", name="file"):
        """Lists NUMBER objects, the first one AGE old. Those of the local store exist as files."""
        for i in range(1, number + 1 if store == 1 else 0):
            (self.root / f"{name} {i}").write_text("artifact")
        self.database.execute(
            "INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
            " SELECT %s, '', %s || ' ' || i, now() - %s::interval + i * %s::interval FROM generate_series(1, %s::int) i",
            [store, name, age, apart, number])

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.again(**settings)

    def again(self, **settings):
        for run in self.runs():
            if run["state"] == "waiting":
                self.pruned.run("retry", run["run_id"]).ok()
        return self.pruned.run_until_idle(settings={"store.local.root": self.root} | settings)

    def rows(self):
        return self.database.rows("SELECT id, pick_up_at FROM ci_deleted_objects ORDER BY id")

    def runs(self):
        return self.database.rows("SELECT * FROM pruned.runs WHERE job = %s ORDER BY slot", [SLOT])


class LocalObjects:
    """Objects of a local store, one by one; ROOT is its folder."""

    def __init__(self, pruned, database, root):
        self.pruned, self.database, self.root = pruned, database, root
        self.settings = {"store.local.root": root}

    def add(self, dir_, file, *, store=1, make=True, age="2 hours"):
        if make:
            (self.root / dir_).mkdir(parents=True, exist_ok=True)
            (self.root / dir_ / file).write_text("artifact")
        return self.database.value(
            "INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)"
            " VALUES (%s, %s, %s, 7, now() - %s::interval, now() - %s::interval) RETURNING id",
            [store, dir_, file, age, age])

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.pruned.run_until_idle(settings=self.settings | settings)

    def left(self):
        return self.database.column("SELECT id FROM ci_deleted_objects ORDER BY id")

    def results(self):
        return self.database.column(
            "SELECT result FROM pruned.runs WHERE job = 'ci.delete_objects' ORDER BY slot")

    def quarantine(self):
        return {row["item"]: row for row in self.database.rows("SELECT * FROM pruned.quarantine")}


@pytest.fixture
def local_objects(pruned_with_slots, database, tmp_path):
    """With `outside/precious` beside the store."""
    root = tmp_path / "store"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("keep me")
    return LocalObjects(pruned_with_slots, database, root)
