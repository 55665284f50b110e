"""A row that another session holds is passed over after a bounded wait: the others go, the run
looks at it again at its end, the next one tries it. `doctor` names who holds it."""

import pytest

from stack.process import wait_until
from support.instance import Instance
from support.locked import busy, held
from support.scene import fill, now, result, tick_id
from support.sentences import house  # noqa: F401

JOB = "members.remove_expired"
DOCS = """
CREATE TABLE docs (id bigint PRIMARY KEY, gone boolean NOT NULL DEFAULT true);
CREATE TABLE pages (id bigint PRIMARY KEY, doc_id bigint REFERENCES docs (id) ON DELETE CASCADE);
CREATE INDEX ON pages (doc_id);
INSERT INTO docs SELECT g FROM generate_series(1, {rows}) g;
INSERT INTO pages SELECT g, g FROM generate_series(1, {rows}) g
"""


def docs(house, rows, more="where = gone"):
    house.sql(DOCS.format(rows=rows))
    house.say("docs.purge", f"table = docs\nchildren = pages\n{more}\nmax_rows = 10000\nmax_share = 100 %")


@pytest.mark.check_all
def test_a_forgotten_transaction_holds_its_row_and_no_other(house):
    docs(house, 2000)
    name = f"forgotten {house.database.name}"
    with held(house.database, "SELECT FROM docs WHERE id = 700 FOR UPDATE", forgotten=name):
        counters, _ = house.done("docs.purge")
        assert (counters["removed"], counters["busy"]) == (1999, 1) and "failed" not in counters
        assert house.rows("docs", "id") == [(700,)]
        assert busy(house.database) == [{"item": "docs:700", "parked": False}]
        (line,) = house.daemons[-1].lines(level="warning", message="Rows that other sessions hold were passed over; the next run tries them again")
        assert (line["job"], line["rows"]) == ("docs.purge", 1)
        assert house.daemons[-1].lines(level="error") == []
        (found,) = [f for f in house.pruned.run("doctor", "--json").json() if f["check"] == "rows held" and not f["ok"]]
        assert f"'{name}'" in found["detail"] and "docs:700" in found["detail"], found
        assert "ROLLBACK PREPARED" in found["remedy"] and name in found["remedy"]
    counters, _ = house.done("docs.purge")
    assert counters["removed"] == 1 and "busy" not in counters
    assert busy(house.database) == []


@pytest.mark.check_all
def test_rows_below_and_rows_of_one_transaction_are_passed_over_alike(house):
    docs(house, 40)
    with held(house.database, "UPDATE pages SET id = id WHERE id <= 3", "SELECT FROM docs WHERE id = 40 FOR UPDATE"):
        counters, _ = house.done("docs.purge")
        (found,) = [f for f in house.pruned.run("doctor", "--json").json() if f["check"] == "rows held"]
        # the oldest has only a row below it
        assert not found["ok"] and "held by session" in found["detail"], found
        # of a superuser's session this role may see no more
        assert "whose statement and age are hidden from this role, which would need pg_read_all_stats" in found["detail"], found
    assert counters["busy"] == 4
    assert house.rows("docs", "id") == [(1,), (2,), (3,), (40,)]


def test_the_end_of_the_run_looks_again_and_removes_only_what_is_due_by_then(house):
    docs(house, 3)
    house.start()
    daemon = house.pruned.start()
    with held(house.database, "UPDATE docs SET gone = false WHERE id = 1", "SELECT FROM docs WHERE id = 2 FOR UPDATE") as connection:
        run_id = house.pruned.run("tick", "docs.purge", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        wait_until(lambda: "2 rows are held" in ((house.pruned.run_row(run_id) or {}).get("error") or ""), 30, "rows that are passed over")
        connection.execute("COMMIT")
    row = wait_until(lambda: (r := house.pruned.run_row(run_id))["finished_at"] and r, 30, "the end of the run")
    assert (row["state"], row["attempts"]) == ("finished", 0)
    assert (result(row)["removed"], result(row).get("busy")) == (2, None)
    assert house.rows("docs", "id") == [(1,)]
    assert busy(house.database) == []
    assert not daemon.lines(level="warning", message="Rows that other sessions hold were passed over; the next run tries them again")


@pytest.mark.check_all
def test_a_run_looks_again_at_no_row_of_another_runs_arguments(new_scene):
    """Only the page of this folder asks for them; its decision takes any key."""
    scene = new_scene()
    fill(scene.database, 9)

    def ran(first, last):
        scene.topics.tick("scratch.named", at := now(minutes=-first), args={"first": first, "last": last})
        scene.run_until_idle()
        return result(scene.run_row(tick_id("scratch.named", at, f'{{"first":{first},"last":{last}}}')))

    with held(scene.database, "SELECT FROM scratch WHERE id IN (2, 6) FOR UPDATE"):
        assert ran(1, 3)["busy"] == 1
    with held(scene.database, "SELECT FROM scratch WHERE id = 6 FOR UPDATE"):
        assert ran(5, 7)["busy"] == 1
    assert scene.database.column("SELECT id FROM scratch ORDER BY 1") == [2, 4, 6, 8, 9]
    assert ran(2, 2)["removed"] == 1


@pytest.mark.built_in
@pytest.mark.check_all
def test_a_held_membership_stops_no_other(new_scene):
    scene = new_scene()
    there = Instance(scene.database)
    there.user(user_type=5, username="ghost")
    group = there.group()
    there.owner(there.user(), group)
    members = [there.member(there.user(), group, expires_at=there.day(-1)) for _ in range(30)]
    with held(scene.database, f"SELECT FROM members WHERE id = {members[17]} FOR UPDATE"):
        scene.topics.tick(JOB, at := now(minutes=-1))
        scene.run_until_idle()
    row = scene.run_row(tick_id(JOB, at))
    assert (row["state"], row["attempts"], result(row)["busy"], result(row)["updated_rows"]) == ("finished", 0, 1, 29)
    assert scene.database.column(f"SELECT id FROM members WHERE id = ANY (ARRAY{members})") == [members[17]]
