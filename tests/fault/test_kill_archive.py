"""Rows that a file of an archive has first: a process that dies between file and row, or that
sleeps there and writes late, and one that starts again."""

import gzip
import json

import pytest

from support.places import fault_points
from support.scene import now
from support.sentences import house  # noqa: F401


def reached():
    return [name for name in fault_points() if name == "archive.part_written" or name.startswith(("errand.", "step.", "publish."))
            and name not in ("errand.open_transaction", "errand.acted_on_one", "step.after_fence")]


@pytest.fixture
def archive(house, tmp_path):  # noqa: F811
    house.pruned.with_faults(at_once=2)
    house.folder_of_files = tmp_path / "archive"
    house.folder_of_files.mkdir(mode=0o700)
    house.sql("CREATE TABLE old (id bigint PRIMARY KEY, gone boolean); INSERT INTO old SELECT g, g < 6 FROM generate_series(1, 6) g")
    house.say("old", f"table = old\nwhere = gone\nbatch = 2\ndelay_ms = 0\nmax_share = off\naudit = keys\narchive = file:{house.folder_of_files}")
    house.start()
    return house


def in_files(archive):
    return {json.loads(line)["key"] for path in archive.folder_of_files.rglob("*.gz") for line in gzip.decompress(path.read_bytes()).splitlines()}


def all_back(archive, run):
    assert archive.rows("old", "id") == [(6,)]
    assert sorted(key for _, _, key, _ in archive.audit(run)) == [1, 2, 3, 4, 5]
    assert archive.pruned.run_row(run)["result"]["removed"] == 5
    archive.restore(run)
    assert archive.rows("old", "id, gone") == [(id_, id_ < 6) for id_ in range(1, 7)]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("point, passage", [
    ("archive.part_written", 1), ("errand.before_settle", 2), *[(point, passage) for point in reached() for passage in (1, 2)]])
def test_killed_there_no_row_is_less_and_at_most_one_file_more(archive, point, passage):
    run = archive.pruned.run("tick", "old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    killed = archive.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    assert {1, 2, 3, 4, 5} - {id_ for id_, in archive.rows("old", "id")} <= in_files(archive)
    archive.work()
    # three pages; the page that died can have left its file under the same name, or a part of it
    assert len(list(archive.folder_of_files.rglob("*.gz"))) == 3
    assert len(list(archive.folder_of_files.rglob(".*.part"))) == (point == "archive.part_written")
    all_back(archive, run)


@pytest.mark.check_all
def test_a_process_that_sleeps_and_writes_late_replaces_no_other_content(archive):
    """Its run went on elsewhere, with a row that had changed: both files stay."""
    archive.pruned.settings["kafka.session.timeout.ms"] = 6000
    run = archive.pruned.run("tick", "old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    zombie = archive.pruned.start(environment={"PRUNED_FAULT": "archive.part_written:stop"})
    zombie.wait_stopped()
    archive.database.execute("ALTER TABLE old ADD COLUMN n int DEFAULT 7")
    archive.pruned.start()
    archive.pruned.wait_run(run, deadline_s=60)
    before = {path: path.read_bytes() for path in archive.folder_of_files.rglob("*.gz")}
    zombie.thaw()
    zombie.stop()
    after = {path: path.read_bytes() for path in archive.folder_of_files.rglob("*.gz")}
    # the late one can have been written just before it slept
    assert before.items() <= after.items() and len(after) == 4
    all_back(archive, run)
