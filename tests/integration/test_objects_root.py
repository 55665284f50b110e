"""The folder of the local store when its disk is not mounted: absent objects do not count as
gone."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

TICK, SLOT = "ci.schedule_delete_objects", "ci.delete_objects"


@pytest.fixture
def store(pruned_with_slots, database, tmp_path):
    return Store(pruned_with_slots, database, tmp_path / "store")


@pytest.fixture
def elsewhere(tmp_path):
    """A folder on another file system than the tests' own."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    assert os.stat(folder).st_dev != os.stat(tmp_path).st_dev
    yield folder
    shutil.rmtree(folder)


class Store:
    def __init__(self, pruned, database, root):
        self.pruned, self.database, self.root = pruned, database, root
        self.settings = {"store.local.root": root}
        root.mkdir()

    def add(self, file):
        self.database.execute("INSERT INTO ci_deleted_objects (store_dir, file, pick_up_at) VALUES ('', %s, now() - interval '1 hour')", [file])

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.pruned.run_until_idle(settings=self.settings | settings)

    def rows(self):
        return self.database.rows("SELECT file, pick_up_at FROM ci_deleted_objects ORDER BY file")

    def check_nothing_is_believed(self, daemon, before, words):
        run = self.database.row("SELECT * FROM pruned.runs WHERE job = %s AND state = 'waiting'", [SLOT])
        assert run["attempts"] == 0 and words in run["error"] and run["error"].startswith(f"[store.local] root {self.root}: ")
        assert words in daemon.wait_line("The store cannot be used; the slot waits", level="warning")["error"]
        assert self.rows() == before and self.database.value("SELECT count(*) FROM pruned.quarantine") == 0

    def again(self, **settings):
        self.pruned.run("retry", self.database.value("SELECT run_id FROM pruned.runs WHERE state = 'waiting'")).ok()
        self.pruned.run_until_idle(settings=self.settings | settings)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("beneath", [[], ["lost+found"]])
def test_an_empty_folder_is_accepted_with_a_warning(store, beneath):
    for name in beneath:
        (store.root / name).mkdir()
    store.add("file")
    found = store.pruned.run("doctor", "--json", settings=store.settings)
    [line] = [line for line in found.json() if line["check"] == "local store"]
    assert line["level"] == "warning" and "is it mounted?" in line["detail"] and "marker" in line["remedy"]
    daemon = store.delete()
    daemon.wait_line("The local store is empty, so every object counts as gone: is it mounted? See [store.local] marker", level="warning")
    assert store.rows() == []


def test_an_empty_folder_with_a_marker_is_accepted_silently(store):
    (store.root / ".artifacts").touch()
    store.add("file")
    daemon = store.delete(**{"store.local.marker": ".artifacts"})
    assert store.rows() == [] and not any("is it mounted?" in line["message"] for line in daemon.lines())


def test_without_its_marker_no_object_counts_as_gone(store):
    (store.root / "what lay beneath").write_text("stays")
    store.add("file")
    before, marker = store.rows(), {"store.local.marker": ".artifacts"}
    store.check_nothing_is_believed(store.delete(**marker), before, "is it mounted? [store.local] marker .artifacts: No such file")
    (store.root / ".artifacts").touch()
    store.again(**marker)
    assert store.rows() == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", [".artifacts", "./.artifacts", "marked/.//.artifacts"])
def test_the_marker_itself_is_never_deleted_by_whatever_name(store, name):
    (store.root / ".artifacts").touch()
    (store.root / "marked").mkdir()
    (store.root / "marked" / ".artifacts").hardlink_to(store.root / ".artifacts")
    store.add(name)
    store.delete(**{"store.local.marker": ".artifacts"})
    assert (store.root / ".artifacts").exists() and (store.root / "marked" / ".artifacts").exists()
    assert store.database.value("SELECT reason FROM pruned.quarantine") == "is the store's marker"


def test_a_marker_that_is_not_a_file_name_is_an_error_of_the_configuration(store):
    done = store.pruned.run("run", "--until-idle", settings=store.settings | {"store.local.marker": "../.artifacts"})
    assert done.code == 2 and "[store.local] marker: '../.artifacts' is not a name beneath the root" in done.stderr


@pytest.mark.check_first(1)
@pytest.mark.parametrize("marker, words", [(".artifacts", "is a link"), ("beneath/.artifacts", "is behind a link")])
def test_a_marker_that_is_a_link_does_not_count(store, tmp_path, marker, words):
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / ".artifacts").touch()
    (store.root / ".artifacts").symlink_to(disk / ".artifacts")
    (store.root / "beneath").symlink_to(disk)
    store.add("file")
    before = store.rows()
    store.check_nothing_is_believed(store.delete(**{"store.local.marker": marker}), before, f"is it mounted? [store.local] marker {marker}: {words}")


def test_a_marker_in_a_folder_counts_for_the_root(store):
    (store.root / "beneath").mkdir()
    (store.root / "beneath" / ".artifacts").touch()
    store.add("file")
    store.delete(**{"store.local.marker": "beneath/.artifacts"})
    assert store.rows() == []


def test_a_root_that_cannot_be_listed_is_used_with_a_warning(store, preload):
    library = preload("odd_files")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    store.pruned.environment |= {"LD_PRELOAD": library, "NO_CAPABILITIES": "yes"}
    (store.root / "file").write_text("artifact")
    store.root.chmod(0o311)
    store.add("file")
    found = store.pruned.run("doctor", "--json", settings=store.settings)
    [line] = [line for line in found.json() if line["check"] == "local store"]
    assert line["level"] == "warning" and line["detail"] == f"{store.root} cannot be read, so it is not known whether it is mounted: set a marker"
    daemon = store.delete()
    daemon.wait_line("The local store's root cannot be read, so pruned cannot check whether it is mounted. See [store.local] marker", level="warning")
    assert store.rows() == [] and not (store.root / "file").exists()


@pytest.mark.check_all
@pytest.mark.parametrize("marked", [False, True])
def test_on_another_file_system_no_object_counts_as_gone(store, elsewhere, marked):
    """The root is replaced while the process runs, as when its disk is unmounted; the folder
    beneath has files, too."""
    disk = store.root.rename(store.root.with_name("disk"))
    store.root.symlink_to(disk)
    for name in ("first", "second", ".artifacts"):
        (disk / name).write_text("artifact")
    (elsewhere / "what lay beneath").write_text("stays")
    store.add("first")
    settings = store.settings | ({"store.local.marker": ".artifacts"} if marked else {})
    store.pruned.run("tick", TICK).ok()
    daemon = store.pruned.start(settings=settings)
    store.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    store.root.unlink()
    store.root.symlink_to(elsewhere)
    store.add("second")
    before = store.rows()
    store.pruned.run("tick", TICK).ok()
    store.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'waiting' AND error IS NOT NULL")
    store.check_nothing_is_believed(daemon, before, "marker .artifacts" if marked else "on another file system than before")
    store.root.unlink()
    store.root.symlink_to(disk)
    store.pruned.run("retry", store.database.value("SELECT run_id FROM pruned.runs WHERE state = 'waiting'")).ok()
    store.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    assert not (disk / "second").exists()
