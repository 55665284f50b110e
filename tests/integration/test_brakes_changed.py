"""Limits that are changed while a run goes on, by a reload or at a restart."""

import pytest

from stack.process import wait_until
from support.scene import configure, fill, now, result, send_tick, start, tick_id
from support.sentences import house  # noqa: F401

JOB, PAUSE, NEVER = "scratch.remove", 3600000, "2999-01-01"


def section(pause=PAUSE, **settings):
    lines = {"batch": 100, "delay_ms": pause, "min_rows": 0, "max_rows": "off"} | settings
    return f"[jobs.{JOB}]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items())


class Chain:
    """A run that waits behind its first page, of 100 rows. The table has 1,000."""

    def __init__(self, scene, usual=False, due=500, **settings):
        self.scene = scene
        configure(scene, section(0, **settings))
        [self.daemon] = start(scene)
        if usual:
            self.work_as_usual()
        self.configure(**settings)
        fill(scene.database, due, first=10001)
        fill(scene.database, 1000 - due, day=NEVER, first=20001)
        self.run_id = send_tick(scene, seconds=-1)
        scene.wait_run(self.run_id, "waiting")
        assert self.left() == due - 100

    def work_as_usual(self):
        """Five runs of 50 rows each."""
        for number in range(5):
            fill(self.scene.database, 50, first=1 + number * 50)
            at = now(seconds=-60 + number)
            self.scene.topics.tick(JOB, at)
            self.scene.wait_run(tick_id(JOB, at))

    def configure(self, restarts=False, **settings):
        if restarts:
            self.daemon.stop()
            configure(self.scene, section(**settings))
            [self.daemon] = start(self.scene)
        else:
            configure(self.scene, section(**settings), self.daemon)

    def left(self):
        return self.scene.database.value("SELECT count(*) FROM scratch WHERE day < %s", [NEVER])

    def page(self):
        """The next page may go. Returns the run behind it."""
        step = self.scene.run_row(self.run_id)["step"]
        self.scene.database.execute("UPDATE pruned.runs SET due_at = clock_timestamp() WHERE state = 'waiting' AND run_id = %s", [self.run_id])
        return wait_until(lambda: (row := self.scene.run_row(self.run_id)) and (row["step"] > step or row["state"] == "held") and row, 30, "a page")

    def end(self):
        """All pages may go."""
        row = self.page()
        while row["state"] in ("waiting", "ready"):
            row = self.page()
        return row


@pytest.mark.check_all
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("limit, before, after, words", [
    ("max_rows", "900", "150", "held: 500 rows are above max_rows 150"),
    ("max_share", "90 %", "15 %", "held: 500 rows are 55.6 % of scratch, above max_share 15 %"),
    ("max_share", "off", "15 %", "held: 500 rows are 55.6 % of scratch, above max_share 15 %"),
    ("max_ratio", "90", "3", "held: 500 rows are 10.0 times the usual 50, above max_ratio 3"),
])
def test_a_limit_that_is_lowered_holds_before_the_page_that_would_exceed(new_scene, limit, before, after, words, restarts):
    chain = Chain(new_scene({}), limit == "max_ratio", **{"max_share": "off", limit: before})
    chain.configure(restarts, **{"max_share": "off", limit: after})
    row = chain.page()
    assert (row["state"], row["error"], row["rows_done"], chain.left()) == ("held", words, 100, 400)


@pytest.mark.check_all
@pytest.mark.parametrize("restarts", [False, True])
def test_an_unchanged_limit_holds_nobody_at_a_later_page(new_scene, restarts):
    """The table is smaller by then. Half of it may go, and does."""
    chain = Chain(new_scene({}), max_share="50 %")
    for _ in range(3):
        assert chain.page()["state"] == "waiting"
    assert chain.left() == 100
    chain.configure(restarts, max_share="50 %")
    assert (result(chain.end())["removed"], chain.left()) == (500, 0)


@pytest.mark.check_all
@pytest.mark.parametrize("others", [{}, {"max_ratio": 2}])
def test_a_limit_that_is_taken_away_holds_nobody(new_scene, others):
    """The run grows beyond what it could change when it began. It may be held by nothing else:
    there were too few runs for a usual one."""
    chain = Chain(new_scene({}), max_share="60 %", **others)
    fill(chain.scene.database, 300, first=1001)
    chain.configure(max_share="off", **others)
    assert (result(chain.end())["removed"], chain.left()) == (800, 0)


def go_on(house, run):  # noqa: F811
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    house.pruned.run("retry", str(run))  # wakes the dispatcher, unless it is there already


def test_another_table_under_the_name_is_judged_anew(house):  # noqa: F811
    """A migration puts it there between two pages. Its rows are no more than the first table
    allowed, and too many for itself."""
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, dead boolean); INSERT INTO items SELECT n, n <= 1500 FROM generate_series(1, 10000) n; ANALYZE items")
    house.say("items", "table = items\nwhere = dead\nbatch = 100\ndelay_ms = 3600000\nranges = 1")
    house.start()
    house.pruned.start()
    at = now(minutes=-1)
    house.pruned.topics.tick("items", at)
    run = tick_id("items", at)
    house.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s AND state = 'waiting'", [run], until=1)
    house.sql("""BEGIN; ALTER TABLE items RENAME TO items_before; CREATE TABLE items (id bigint PRIMARY KEY, dead boolean);
        INSERT INTO items SELECT n, true FROM generate_series(1001, 2000) n; COMMIT; ANALYZE items""")
    go_on(house, run)
    house.database.wait("SELECT rows_done FROM pruned.runs WHERE run_id = %s", [run], until=200)
    go_on(house, run)
    row = house.pruned.wait_run(run, "held", "finished")
    assert row["state"] == "held" and "max_share" in row["error"], row
    assert house.database.value("SELECT count(*) FROM items") == 900
