"""Pages by keyset: equal dates, pages that shrink meanwhile, pauses, sums over the whole run."""

import collections
import itertools
import shutil

import pytest

from stack.process import wait_until
from support.scene import JOBS, fill, now, result, tick_id

JOB = "scratch.remove"


def tick(scene, **options):
    at = now(minutes=-1)
    scene.topics.tick(JOB, at, **options)
    return tick_id(JOB, at)


@pytest.mark.check_all
@pytest.mark.parametrize("rows, pages", [(0, 1), (9, 1), (10, 1), (11, 2), (20, 2), (35, 4)])
def test_pages_of_one_date_meet_every_row_once(busy_scene, rows, pages):
    scene = busy_scene
    fill(scene.database, rows)
    row = scene.wait_run(tick(scene))
    assert (row["state"], row["step"]) == ("finished", pages)
    assert result(row) == {"status": "completed", "updated_rows": rows, "removed": rows}
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    audited = scene.database.rows("SELECT step, jsonb_array_length(keys) AS n FROM pruned.deletions WHERE run_id = %s "
                                  "ORDER BY step", [row["run_id"]])
    assert [a["n"] for a in audited] == [min(10, rows - 10 * i) for i in range(pages) if rows]
    assert [a["step"] for a in audited] == list(range(pages if rows else 0))
    lines = [scene.daemons[0].wait_line("Finished", run_id=str(row["run_id"]), step=step) for step in range(pages)]
    assert [line["status"] for line in lines] == ["limit_reached"] * (pages - 1) + ["completed"]
    assert sum(line["updated_rows"] for line in lines) == rows
    assert all(line["duration_s"] >= 0 and line["started_at"] and line["scheduled_at"] for line in lines)
    assert len(scene.daemons[0].lines("Started", run_id=str(row["run_id"]))) == pages


def test_the_newest_day_goes_first(new_scene):
    scene = new_scene({"jobs.scratch.remove.delay_ms": 3600000})
    for n, day in enumerate(("2026-01-03", "2026-01-01", "2026-01-02")):
        fill(scene.database, 6, day=day, first=10 * n + 1)
    run_id = tick(scene)
    scene.start()
    row = scene.wait_run(run_id, "waiting")
    assert row["cursor"] == {"day": "2026-01-02", "id": 23}
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [11, 12, 13, 14, 15, 16, 21, 22]


def test_between_two_pages_the_run_waits_and_says_that_there_is_more(new_scene):
    scene = new_scene({"jobs.scratch.remove.delay_ms": 3600000})
    fill(scene.database, 25)
    run_id = tick(scene)
    scene.start()
    row = scene.wait_run(run_id, "waiting")
    assert result(row) == {"status": "limit_reached", "updated_rows": 10, "removed": 10}
    assert 3590 < (row["due_at"] - row["changed_at"]).total_seconds() <= 3600
    assert (row["unique_key"], row["error"], row["step"]) == (JOB, None, 1)
    assert scene.topics.outcomes("RunFinished") == []


def pause_ends(scene, run_id):
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run_id])


@pytest.mark.check_all
def test_a_page_that_shrinks_meanwhile_hides_no_row(new_scene):
    """Rows that others delete between two pages move nothing: the cursor is a key, not a
    position."""
    scene = new_scene({"jobs.scratch.remove.delay_ms": 3600000})
    fill(scene.database, 40)
    run_id = tick(scene)
    scene.start()
    scene.wait_run(run_id, "waiting")
    scene.database.execute("DELETE FROM scratch WHERE id IN (30, 29, 28, 5)")
    fill(scene.database, 2, day="2026-01-02", first=100)
    for step in (2, 3):
        pause_ends(scene, run_id)
        wait_until(lambda: scene.run_row(run_id)["step"] == step or scene.run_row(run_id)["state"] == "finished", 30, "a step")
    pause_ends(scene, run_id)
    row = scene.wait_run(run_id)
    assert result(row)["removed"] == 36
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [100, 101]


def test_a_row_that_others_delete_during_the_page_is_not_an_error(scene):
    """The row is gone when the page is applied: it is not in the audit, and not an error."""
    fill(scene.database, 5)
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("DELETE FROM scratch WHERE id = 3")
        run_id = tick(scene)
        scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        other.commit()
    row = scene.wait_run(run_id)
    assert row["state"] == "finished" and result(row)["removed"] == 4
    assert scene.database.column("SELECT id FROM scratch") == []
    assert sorted(scene.database.value("SELECT keys FROM pruned.deletions")) == [1, 2, 4, 5]


def test_a_row_whose_date_is_postponed_during_the_page_stays(scene):
    fill(scene.database, 5)
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("UPDATE scratch SET day = '2999-01-01' WHERE id = 3")
        run_id = tick(scene)
        scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        other.commit()
    assert result(scene.wait_run(run_id))["removed"] == 4
    assert scene.database.column("SELECT id FROM scratch") == [3]


def test_a_row_that_only_moves_the_cursor_makes_an_empty_page_go_on(scene):
    at = now(minutes=-1)
    scene.topics.tick("scratch.endless", at, {"last": 30})
    scene.run_until_idle()
    row = scene.run_row(tick_id("scratch.endless", at, '{"last":30}'))
    assert (row["state"], row["step"], row["cursor"]) == ("finished", 30, {"n": 29})
    assert result(row) == {"status": "completed", "updated_rows": 0, "failed": 0}


def has_done_its_part(lines):
    """A run in a batch has ended, has taken sixteen steps, or has used a tenth of a second."""
    return lines[-1]["status"] == "completed" or len(lines) == 16 or sum(line["duration_s"] for line in lines) >= 0.1


@pytest.mark.check_all
def test_empty_pages_of_a_batch_follow_each_other_and_every_step_is_logged(new_scene):
    """Runs of one batch whose pages have no row take several steps in one transaction. No step is
    left out, none comes twice, and the run continues through Kafka after the last of them."""
    scene = new_scene({"jobs.scratch.endless.capacity": 1})
    ids = []
    for n in range(12):
        args = {"last": 1} if n == 5 else {"last": 45 + n}
        scene.topics.tick("scratch.endless", at := now(hours=-1, minutes=-n), args)
        ids.append((tick_id("scratch.endless", at, '{"last":%d}' % args["last"]), args["last"]))
    daemon = scene.run_until_idle()
    transactions = collections.defaultdict(list)  # the lines of each run
    for run_id, last in ids:
        for began, lines in itertools.groupby(daemon.lines("Finished", run_id=run_id), key=lambda line: line["started_at"]):
            transactions[began].append(list(lines))
        row = scene.run_row(run_id)
        assert (row["state"], row["step"], row["attempts"]) == ("finished", last, 0)
        assert row["cursor"] == ({"n": last - 1} if last > 1 else None)
        assert result(row) == {"status": "completed", "updated_rows": 0, "failed": 0}
        for message in ("Started", "Finished"):
            assert [line["step"] for line in daemon.lines(message, run_id=run_id)] == list(range(last))
        assert [line["status"] for line in daemon.lines("Finished", run_id=run_id)] == ["limit_reached"] * (last - 1) + ["completed"]
    carried = list({m.headers["ce_id"]: m.value for m in scene.topics.read("work.scratch.endless")}.values())
    assert len(carried) == sum(map(len, transactions.values()))
    assert all(has_done_its_part(lines) for runs in transactions.values() if len(runs) > 1 for lines in runs)
    for message in carried:
        assert message["cursor"] == ('{"n":%d}' % message["step"] if message["step"] > 0 else None)
    assert len(scene.topics.outcomes("RunFinished")) == len(ids)


@pytest.mark.check_all
def test_each_page_of_a_batch_is_read_with_its_own_step(new_scene, tmp_path):
    shutil.copytree(JOBS, tmp_path / "jobs")
    (tmp_path / "jobs/scratch.endless/page.sql").write_text(
        "SELECT NULL::bigint AS key, :step::int + i AS n FROM generate_series(1, :limit::int) AS i "
        "WHERE :step::int + i <= (:args::jsonb->>'last')::bigint ORDER BY n\n")
    scene = new_scene({"run.jobs_dir": tmp_path / "jobs", "jobs.scratch.endless.capacity": 1})
    runs = {}
    for last in range(1, 6):
        scene.topics.tick("scratch.endless", at := now(minutes=-last), {"last": last})
        runs[last] = tick_id("scratch.endless", at, '{"last":%d}' % last)
    scene.run_until_idle()
    assert {last: scene.run_row(run_id)["step"] for last, run_id in runs.items()} == {last: last for last in runs}


@pytest.mark.check_all
def test_a_chain_goes_on_while_its_message_is_still_on_its_way(new_scene):
    """With a broker that delivers messages only every three seconds, ten pages do not take ten
    times as long. Still, each page has its message."""
    scene = new_scene({"kafka.fetch.min.bytes": 1000000, "kafka.fetch.wait.max.ms": 3000})
    fill(scene.database, 95)
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], row["step"], result(row)["removed"]) == ("finished", 10, 95)
    assert (row["finished_at"] - row["started_at"]).total_seconds() < 15
    assert [line["step"] for line in daemon.lines("Started", run_id=run_id)] == list(range(10))
    assert [m.value["step"] for m in scene.topics.read(f"work.{JOB}")] == list(range(10))
