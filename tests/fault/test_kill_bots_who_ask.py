"""A process dies while a bot waits for the end of a group's deletion that it has asked for, or
while that ends: the deletion is finished, and then the bot goes, each once."""

import pytest

from integration.test_bots_who_ask import AT_ONCE, CHILD, JOB, asked, begin, groups, the_bots_run  # noqa: F401
from support.instance import tenant  # noqa: F401
from support.scene import result

pytestmark = pytest.mark.built_in

DUE = "UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND job = %s"


def killed_at(asked, point, nth):  # noqa: F811
    """The process that met the point so many times, if it did."""
    daemon = asked.pruned.start("--until-idle", settings=AT_ONCE, environment={"PRUNED_FAULT": f"{point}:kill:{nth}"})
    return daemon.wait(90) == -9


def check(asked, run_id):  # noqa: F811
    run = the_bots_run(asked)
    assert (run["state"], result(run)["removed"], run["attempts"]) == ("finished", 1, 0) and run_id in (None, run["run_id"]), run
    assert groups(asked) == [] and asked.ids("users", f"id = {asked.bot}") == []
    assert asked.database.value("SELECT count(*) FROM pruned.unpublished WHERE step >= 0") == 0
    gone = asked.database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = 'users' AND action = 'deleted'")
    assert gone == [asked.bot]
    for record, n in (("GroupDeleted", 4), ("UserDeleted", 1)):
        # one that was sent twice has one id
        ids = {m.headers["ce_id"] for m in asked.pruned.topics.outcomes(record)}
        assert len(ids) == n, (record, ids)


@pytest.fixture
def both(asked):  # noqa: F811
    """Both groups are due; the second one's deletion begins and fails until `let_go`."""
    asked.pruned.with_faults()
    asked.mark(asked.first, asked.bot, 30)
    asked.mark(asked.second, asked.bot, 30)
    begin(asked, asked.second)
    return asked


def let_go(asked):  # noqa: F811
    asked.database.connection.execute("DROP TRIGGER refuse ON todos")
    asked.database.execute(DUE, [CHILD])


@pytest.mark.check_all
@pytest.mark.parametrize("point", ["step.before_commit", "step.after_commit"])
@pytest.mark.parametrize("nth", [2, 4, 6, 8])
def test_killed_while_the_bot_comes_to_wait(both, point, nth):
    both.pruned.run("tick", JOB, "--at", both.at.isoformat()).ok()
    assert killed_at(both, point, nth)
    both.work(AT_ONCE)
    run = the_bots_run(both)
    assert run["state"] == "waiting" and "has asked for the deletion" in run["error"] and both.row("users", both.bot)["state"] == "active"
    assert both.second in groups(both) and both.first not in groups(both)
    let_go(both)
    both.work(AT_ONCE)
    check(both, run["run_id"])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", ["step.before_commit", "step.after_commit", "publish.before", "publish.after_acknowledgement"])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_killed_while_the_deletion_ends_and_the_bot_is_woken(both, point, nth):
    both.tick(JOB, **AT_ONCE)
    run = the_bots_run(both)
    assert run["state"] == "waiting" and both.second in groups(both)
    let_go(both)
    assert killed_at(both, point, nth)
    both.work(AT_ONCE)
    check(both, run["run_id"])
