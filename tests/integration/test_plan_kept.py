"""`pruned plan` ends with a summary; plans are kept, and compared with the last one."""

import pytest

from support.command_line import says
from support.scene import fill

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"


@pytest.fixture
def planned(scene):
    """40 rows, 10 of which are due."""
    fill(scene.database, 10)
    fill(scene.database, 30, "2999-01-01", first=11)
    return scene


def plan(pruned, *options):
    return pruned.run("plan", JOB, *options).ok().stdout


def lines(pruned, *options):
    return pruned.run("plan", JOB, "--json", *options).ok().json()


def table(text):
    head, *rows = [line.split("\t") for line in text.split("\n\n")[0].splitlines()]
    return [dict(zip(head, row)) for row in rows]


def test_it_ends_with_a_summary_by_table_rule_and_share(planned):
    text = plan(planned)
    assert table(text) == [{"table": "scratch", "action": "removed", "rule": "", "rows": "10", "share": "25.0 %"}]
    assert text.endswith("\n10 removed\n")


def test_rows_are_listed_when_they_are_asked_for(planned):
    listed = table(plan(planned, "--rows"))
    assert sorted(int(row["key"]) for row in listed) == list(range(1, 11)) and {row["action"] for row in listed} == {"removed"}
    assert {line["key"] for line in lines(planned)[:-1]} == {str(n) for n in range(1, 11)}
    assert lines(planned)[-1] == {"summary": {"removed": 10}}


def test_nothing_to_do_is_said(scene):
    assert plan(scene) == "nothing to do\n"


def test_the_first_plan_has_nothing_to_compare_with(planned):
    assert "No earlier plan" in plan(planned, "--diff")
    assert "no row differs" in plan(planned, "--diff")


def test_a_plan_is_compared_with_the_last_one(planned):
    plan(planned)
    planned.database.execute("DELETE FROM scratch WHERE id IN (1, 2)")
    fill(planned.database, 3, first=101)
    text = plan(planned, "--diff")
    assert table(text) == [{"table": "scratch", "action": "removed", "rule": "", "before": "10", "now": "11"}]
    assert "3 new" in text and "2 gone" in text
    fill(planned.database, 1, first=201)
    listed = table(plan(planned, "--diff", "--rows"))
    assert [(row["key"], row["change"], row["action"]) for row in listed] == [("201", "new", "removed")]


def test_differences_as_json(planned):
    plan(planned)
    planned.database.execute("DELETE FROM scratch WHERE id = 7; INSERT INTO pruned.quarantine (job, item, reason, parked) "
                             "VALUES ('scratch.remove', 'scratch:8', 'a test', true)")
    *rows, last = lines(planned, "--diff", "--rows")
    found = {row["key"]: (row["change"], row["was_action"], row["action"], row["reason"]) for row in rows}
    assert found == {"7": ("gone", "removed", None, None), "8": ("changed", "removed", "parked", "in quarantine")}
    assert last["diff"] == {"gone": 1, "changed": 1} and last["since"]


def test_all_rows_and_the_counts_of_differences_as_json(planned):
    *rows, summary, last = lines(planned, "--diff")
    assert len(rows) == 10 and summary == {"summary": {"removed": 10}} and last == {"diff": None, "since": None}
    planned.database.execute("DELETE FROM scratch WHERE id = 7")
    *rows, summary, last = lines(planned, "--diff")
    assert {row["key"] for row in rows} == {str(n) for n in range(1, 11) if n != 7}
    assert {row["action"] for row in rows} == {"removed"} and summary == {"summary": {"removed": 9}}
    assert last["diff"] == {"gone": 1} and last["since"]


def test_the_last_five_plans_of_a_job_are_kept(planned):
    for _ in range(7):
        plan(planned)
    planned.run("plan", "members.remove_expired").ok()
    assert planned.database.value("SELECT count(*) FROM pruned.plans WHERE job = %s", [JOB]) == 5
    assert planned.database.value("SELECT count(*) FROM pruned.plans") == 6


def test_a_role_that_only_reads_can_plan(planned):
    planned.database.execute("REVOKE INSERT, DELETE ON pruned.plans FROM pruned_test_daemon")
    done = planned.run("plan", JOB).ok()
    assert "10 removed" in done.stdout and "not kept" in done.stderr


def test_an_unknown_job_keeps_its_code(planned):
    says(planned.run("plan", "nonsense", "--diff"), 6, "nonsense")
