"""Deletes leave dead rows: `status` counts them, and `doctor` names the table that autovacuum does
not keep up with."""

import pytest

from stack.process import wait_until
from support.scene import fill

ROWS = 20000  # more than autovacuum would wait for twice, and more than `doctor` takes for little


def dead_rows(scene):
    return next(t for t in scene.run("status", "--json").json()[0]["dead_rows"] if t["table"] == "scratch")


def findings(scene):
    return [f for f in scene.run("doctor", "--json").json() if f["check"] == "dead rows"]


def leave_dead_rows(scene):
    fill(scene.database, ROWS)
    scene.database.execute("DELETE FROM scratch")
    scene.database.execute("SELECT pg_stat_force_next_flush()")
    wait_until(lambda: dead_rows(scene)["dead"] >= ROWS, 30, lambda: f"dead rows: {dead_rows(scene)}")


@pytest.mark.check_all
def test_a_table_whose_autovacuum_is_off(scene):
    scene.database.execute("ALTER TABLE scratch SET (autovacuum_enabled = off)")
    assert findings(scene)[0]["ok"] and dead_rows(scene) == {"table": "scratch", "dead": 0, "live": 0, "last_vacuum": None}
    leave_dead_rows(scene)
    [found] = findings(scene)
    assert not found["ok"] and "scratch" in found["detail"] and str(ROWS) in found["detail"]
    assert "ALTER TABLE public.scratch RESET (autovacuum_enabled)" in found["remedy"]
    assert "scratch 20000, vacuum never" in scene.run("status").ok().stdout
    scene.database.execute("VACUUM scratch")
    wait_until(lambda: dead_rows(scene)["dead"] == 0 and dead_rows(scene)["last_vacuum"], 30, "a vacuum in the statistics")
    assert findings(scene)[0]["ok"]


@pytest.mark.check_all
def test_a_table_whose_autovacuum_comes_to_no_end(scene):
    """An old snapshot is held, so that no vacuum can remove the rows."""
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        other.execute("SELECT count(*) FROM scratch")
        leave_dead_rows(scene)
        [found] = findings(scene)
        assert "ALTER TABLE public.scratch SET (autovacuum_vacuum_cost_delay = 0)" in found["remedy"]
        other.rollback()
