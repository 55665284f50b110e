"""A row that is held stays, whatever path a run takes to it, with the row above whose removal would
take it; everything else of the run goes. Generated: each path with the row itself held, a row below
it, the row above it, and a row that is held while a run is under way."""

import threading

import pytest

from support.held import HELD, PATHS, ROWS, hold, ids, make_partitions, partitions, release
from support.own_events import answers, topics  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

EVENTS = ("event", "eventrows")
IN_CHECK = [("children", "itself"), ("cascade", "child"), ("event", "itself")]


def cells():
    for path in PATHS:
        for held in HELD:
            marks = () if (path, held) in IN_CHECK else pytest.mark.check_all
            yield pytest.param(path, held, id=f"{path}-{held}", marks=marks)


def counters(house):  # noqa: F811
    """Of all runs together."""
    found = {}
    for result in house.database.column("SELECT result FROM pruned.runs UNION ALL SELECT result FROM pruned.runs_done"):
        for name, n in (result or {}).items():
            found[name] = found.get(name, 0) + n if isinstance(n, int) else n
    return found


@pytest.mark.parametrize("path, held", list(cells()))
def test_what_is_held_stays_and_the_rest_goes(house, topics, path, held):  # noqa: F811
    it = PATHS[path]()
    it.make(house)
    hold(house, HELD[held]).ok()
    it.go(house)
    stays = held == "itself" or held in ("child", "grandchild") and it.below
    taken = [1, 3] if stays else [1, 2, 3]
    assert it.gone(house) == taken
    assert [n for n in it.all if n not in ids(house, "pages")] == [n for n in it.all if n not in ids(house, "lines")] == (taken if it.below else [])
    assert ids(house, "folders") == ROWS["folders"]
    said = counters(house)
    assert (said.get("kept_hold", 0) > 0) == stays
    if path != "retry":
        assert said.get("kept_hold", 0) == stays and said.get("failed", 0) == said.get("passed_over", 0) == 0
    assert house.rows("pruned.quarantine") == []
    if path in EVENTS and stays:
        assert (("docs.dead", "docs", "2", "kept", "hold") in answers(house)) and ("docs.dead", "docs", "2", "removed", None) not in answers(house)
    release(house, HELD[held])
    it.go(house)
    assert it.gone(house) == [1, 2, 3]
    assert house.rows("pruned.holds") == []
    if path in EVENTS:
        assert ("docs.dead", "docs", "2", "removed", None) in answers(house)


MOMENTS = ["step.after_fence", "step.after_effects", "step.before_commit"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("path", PATHS)
def test_what_is_held_meanwhile_stays_or_had_gone(house, topics, path, moment):  # noqa: F811
    """The hold waits for the step that is under way, and then says which of the two it is."""
    it = PATHS[path]()
    house.pruned.with_faults()
    it.make(house)
    house.start()
    done = []

    def act():
        done.append(hold(house, "docs:2"))

    thread = threading.Timer(1.5, act)
    thread.start()
    try:
        go_with_pause(it, house, moment)
    finally:
        thread.join()
    it.go(house)
    (said,) = done
    gone = 2 in it.gone(house)
    assert (said.code == 0) == (not gone) or it.word == "changed", said
    assert house.database.column("SELECT key FROM pruned.holds") == ([] if gone and it.word == "removed" else ["2"])


@pytest.mark.check_all
@pytest.mark.parametrize("moment", ["partitions.before_detach", "partitions.after_detach", "partitions.after_drop", "step.before_commit"])
def test_a_partition_whose_row_is_held_meanwhile_stays_or_had_gone(house, moment):
    house.pruned.with_faults()
    make_partitions(house)
    row = house.database.value("SELECT json_build_object('id', id, 'at', at)::text FROM logs_2")
    house.start()
    done = []
    thread = threading.Timer(1.5, lambda: done.append(hold(house, f"logs:{row}")))
    thread.start()
    before = house.pruned.run_until_idle
    house.pruned.run_until_idle = lambda **more: before(**more, environment={"PRUNED_FAULT": f"{moment}:sleep=3000"})
    try:
        house.tick("logs.old")
    finally:
        house.pruned.run_until_idle = before
        thread.join()
    house.tick("logs.old", at=now())
    (said,) = done
    there = "logs_2" in partitions(house)
    assert (said.code == 0) == there, said
    assert partitions(house) == (["logs", "logs_2"] if there else ["logs"])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("moment", ["step.after_effects", "step.before_commit"])
@pytest.mark.parametrize("held", ["grandchild", "child", "itself"])
@pytest.mark.parametrize("path", PATHS)
def test_what_is_held_stays_whenever_a_process_is_killed(house, topics, path, held, moment):  # noqa: F811
    it = PATHS[path]()
    house.pruned.with_faults()
    it.make(house)
    house.start()
    hold(house, HELD[held]).ok()
    before = house.pruned.run_until_idle
    house.pruned.run_until_idle = lambda **more: house.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{moment}:kill"}, **more).wait(60)
    try:
        it.go(house)
    except AttributeError:  # what a killed process has said is not read
        pass
    finally:
        house.pruned.run_until_idle = before
    it.go(house)
    table, key = HELD[held].split(":")
    assert int(key) in ids(house, table) and (2 not in it.gone(house) or not it.below and held != "itself")


def go_with_pause(it, house, moment):  # noqa: F811
    before, house.start = house.pruned.run_until_idle, lambda: None
    house.pruned.run_until_idle = lambda **more: before(**more, environment={"PRUNED_FAULT": f"{moment}:sleep=3000"})
    try:
        it.go(house)
    finally:
        house.pruned.run_until_idle = before


@pytest.mark.check_all
def test_a_partition_with_a_held_row_stays(house):  # noqa: F811
    make_partitions(house)
    assert partitions(house) == ["logs", "logs_1", "logs_2", "logs_3"]
    row = house.database.value("SELECT json_build_object('id', id, 'at', at)::text FROM logs_2")
    hold(house, f"logs:{row}").ok()
    plan = house.plan("logs.old")
    assert ("logs", "logs_2", "kept", "hold") in [tuple(line) for line in plan]
    done, _ = house.done("logs.old")
    assert partitions(house) == ["logs", "logs_2"] and (done["removed"], done["kept_hold"]) == (2, 1)
    release(house, f"logs:{row}")
    assert house.done("logs.old")[0]["removed"] == 1 and partitions(house) == ["logs"]
