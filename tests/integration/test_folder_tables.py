"""What a folder says of its tables is held to: its own table, what it needs, whose rows its files
are about, and how many rows a page has. Other names: unit/cli/check/test_check_folder.c."""

import pytest

from support.own_job import CONF, JOB, NOTES, OWN, PAGE, REMOVED, counts, goes_well, own, tick, without_notes, write  # noqa: F401
from support.places import ROLE
from support.scene import result


def said(scene, code, level="error"):
    done = scene.run("check", JOB, "--json")
    assert done.code == code, done
    return [one["detail"] for one in done.json() if one["level"] == level]


@pytest.fixture
def made(own, tmp_path):  # noqa: F811
    """Makes a job whose job.conf has OLD replaced by NEW, of these files."""
    def make(old="", new="", files=None):
        scene = own(files or {"apply/removed/05-scratch_notes": NOTES, "apply/removed/10-scratch": OWN})
        conf = tmp_path / "jobs" / JOB / "job.conf"
        assert old in conf.read_text()
        conf.write_text(conf.read_text().replace(old, new, 1))
        return scene
    return make


def blocked(scene):
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], counts(scene)) == ("finished", "blocked", 1000), row
    return run_id, result(row)["reason"]


def test_a_table_that_is_none_refuses_the_job(made):
    scene, why = made("table = scratch\n", "table = scratch s\n"), "table: there is no table scratch s"
    assert any(why in one for one in said(scene, 2))
    assert why in blocked(scene)[1]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["public.scratch", '"scratch"', "SCRATCH"])
def test_a_table_is_named_as_in_sql(made, table):
    scene = without_notes(made("table = scratch\n", f"table = {table}\n", {f"apply/removed/10-{table}": OWN}))
    assert said(scene, 0) == []
    assert goes_well(scene)["removed"] == 1000


def test_a_file_named_after_no_table_refuses_the_job(made):
    scene = made(files={"apply/removed/05-scratch notes": NOTES, "apply/removed/10-scratch": OWN})
    found = said(scene, 2)
    assert any(one.startswith("a file of apply/ is named after scratch notes: there is no such table") for one in found), found


@pytest.mark.check_all
@pytest.mark.parametrize("needs, why", [
    ("nope.id", "there is no table nope"), ("scratch.id; scratch_notes.scratchid", "there is no column scratchid of scratch_notes")])
def test_what_a_job_needs_blocks_it_until_it_is_there(made, needs, why):
    scene = made("table = scratch\n", f"table = scratch\nneeds = {needs}\n")
    assert any(one.startswith("needs: there is no ") for one in said(scene, 2))
    run_id, reason = blocked(scene)
    assert reason == f"needs: {why}"
    scene.database.connection.execute("ALTER TABLE scratch ADD nope int; CREATE TABLE nope (id int); ALTER TABLE scratch_notes ADD scratchid int")
    scene.run("retry", str(run_id)).ok()
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], counts(scene)) == ("finished", "completed", 0), row


def test_what_is_there_is_all_that_is_needed(made):
    scene = made("table = scratch\n", 'table = scratch\nneeds = scratch.id; "scratch"."note"; public.scratch_notes.scratch_id; scratch\n')
    assert said(scene, 0) == []
    assert goes_well(scene)["removed"] == 1000


def test_rows_that_count_as_removed_and_stay_are_warned_of(made):
    scene = made(files={"apply/removed/05-scratch_notes": NOTES})
    assert any("no file of apply/removed is about rows of scratch: they stay as they are, and count as removed" == one
               for one in said(scene, 0, "warning"))


def test_a_page_of_a_fixed_size_is_warned_of(made):
    scene = made(files={"page": PAGE.replace(":limit::int", "100"), "apply/removed/05-scratch_notes": NOTES, "apply/removed/10-scratch": OWN})
    assert any(one.startswith("page.sql has no LIMIT :limit::int") for one in said(scene, 0, "warning"))
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    assert any("page.sql has no LIMIT" in line["detail"] for line in daemon.lines("Check of a job found a problem", job=JOB))


@pytest.mark.check_all
def test_a_right_that_a_daemon_lacks_is_granted_to_its_role(made):
    """`doctor` runs as another role than the daemon that was refused."""
    scene = made()
    scene.database.connection.execute(f"REVOKE DELETE ON scratch FROM {ROLE}")
    scene.start().wait_line("Partitions assigned")
    run_id = tick(scene)
    scene.wait_run(run_id)
    assert "permission denied" in result(scene.run_row(run_id))["reason"]
    findings = scene.run("doctor", "--json", settings={"postgres.url": scene.database.url}).json()
    [found] = [one for one in findings if one["check"] == "blocked jobs"]
    assert not found["ok"] and f"pruned grants --role {ROLE} " in found["remedy"], found
