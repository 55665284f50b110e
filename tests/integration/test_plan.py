"""`pruned plan` says for each membership what the run will do with it, changes nothing, and blocks
no other session."""

from collections import Counter

import pytest

from model import compare, load
from support.judge import SEEDS, new_judge  # noqa: F401

JOB = "members.remove_expired"


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    """Pages of three, so that many decisions depend on earlier pages."""
    return new_judge(JOB, {f"jobs.{JOB}.batch": 3, f"jobs.{JOB}.delay_ms": 0}, many_pages=True)


def planned(judge, t):
    """(key, action, reason) of each line; the last line counts them."""
    *lines, last = judge.pruned.run("plan", JOB, "--at", t.isoformat(), "--json", deadline_s=20).ok().json()
    assert all(set(line) == {"table", "key", "action", "reason"} and line["table"] == "members" for line in lines)
    assert last == {"summary": dict(Counter(line["action"] for line in lines))}
    return {(int(line["key"]), line["action"], line["reason"]) for line in lines}


def done(judge):
    """The same, for what the run did."""
    here = {str(id) for id in judge.database.column("SELECT run_id FROM pruned.runs WHERE job = %s", [JOB])}
    said = [m for m in judge.pruned.topics.outcomes() if str(m.value["run_id"]) in here]
    return {(m.value["member_id"], "kept", m.value["reason"]) for m in said if m.schema.endswith(".MemberKept")} | {
        (m.value["member_id"], "removed", None) for m in said if m.schema.endswith(".MemberRemoved")}


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(200, 200 + SEEDS // 3))
def test_a_run_does_what_its_plan_showed(judge, seed):
    t = judge.fill(seed, size=40 + seed % 5 * 20)
    expired = "FROM members WHERE expires_at <= (%s::timestamptz AT TIME ZONE 'UTC')::date"
    parked = judge.database.value(f"SELECT max(id) {expired}", [t])
    judge.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) "
                           "VALUES (%s, 'members:' || %s, 'a test', 1, true, now())", [JOB, parked])
    before = load(judge.database.connection)
    with judge.database.connect() as application:
        application.autocommit = False
        application.execute("SELECT FROM users, namespaces, members FOR UPDATE")
        plan = planned(judge, t)
        application.rollback()
    assert compare(before, load(judge.database.connection), before, ignore_tables=()) == []
    assert judge.database.value("SELECT count(*) FROM pruned.runs") == 0
    assert {key for key, _, _ in plan} == set(judge.database.column(f"SELECT id {expired}", [t]))
    judge.pruned.topics.tick(JOB, t)
    judge.wait(seed)
    assert plan - {(parked, "parked", "in quarantine")} == done(judge)
    assert (parked, "parked", "in quarantine") in plan


@pytest.mark.parametrize("job", ["groups.destroy", "users.destroy", "users.delete_placeholder"])
def test_a_job_without_a_plan_names_the_job_that_has_one(judge, job):
    done = judge.pruned.run("plan", job)
    assert (done.code, done.stdout) == (1, "") and f"job {job} has no plan" in done.stderr and "plan that one" in done.stderr
