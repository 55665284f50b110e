"""Users of random instances are destroyed one after the other, or their rights are refreshed; the
results are compared with the model."""

import random

import pytest

from model import compare_result, load, run_job
from model.db import QUARANTINE
from model.rules import GHOST
from support.judge import SEEDS, new_judge  # noqa: F401

DESTROY, REFRESH = "users.destroy", "users.refresh_authorizations"


@pytest.fixture(scope="module")
def destroyer(new_judge):  # noqa: F811
    return new_judge(DESTROY, {f"jobs.{DESTROY}.batch": 2})


@pytest.fixture(scope="module")
def refresher(new_judge):  # noqa: F811
    return new_judge(REFRESH, {f"jobs.{REFRESH}.enabled": True, f"jobs.{REFRESH}.batch": 7})


def run_of(judge, user, t):
    """A run as a parent would have started it."""
    return judge.database.value(
        "INSERT INTO pruned.runs (run_id, job, state, unique_key, scheduled_at, due_at, args) VALUES (gen_random_uuid(), "
        "%s, 'waiting', %s, %s, now(), jsonb_build_object('user_id', %s::bigint, 'reason', 'a test')) RETURNING run_id",
        [DESTROY, f"{DESTROY}:{user}", t, user])


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(SEEDS))
def test_destroyed_like_the_model(destroyer, seed):
    t = destroyer.fill(seed, size=20 + seed % 5 * 20)
    before = load(destroyer.database.connection)
    model, runs, lines = before.copy(), [], []
    users = [u["id"] for u in before.rows("users") if u["user_type"] != GHOST]
    for user in random.Random(seed).sample(users, min(4, len(users))):
        run = run_of(destroyer, user, t)
        destroyer.wait(seed)
        args = {"user_id": user, "reason": "a test"}
        runs.append((DESTROY, args, run_job(model, DESTROY, t, args)))
        lines += compare_result(runs[-1][2].result, destroyer.pruned.run_row(run)["result"])
    lines += destroyer.database_differences(before, model, runs, (QUARANTINE,))
    assert lines + destroyer.outcome_differences(runs, ["MemberRemoved", "UserDeleted"]) == []


def ask(seed):
    """Adds requests for some of the users and for a user who is gone but has rows left, all due;
    and wrong authorizations of these users."""
    def prepare(database):
        dice = random.Random(seed)
        users = database.column("SELECT id FROM users ORDER BY id")
        gone = max(users) + 1
        database.execute("INSERT INTO members (user_id, source_type, source_id, type, access_level) "
                         "SELECT %s, 'Project', max(id), 'ProjectMember', 30 FROM projects HAVING count(*) > 0", [gone])
        requests = [(user, kind) for user in [*dice.sample(users, len(users) * 2 // 3), gone]
                    for kind in ("authorizations", "todos") if dice.random() < 0.7]
        database.executemany("INSERT INTO pruned.dirty_users (user_id, kind, due_at) "
                             "VALUES (%s, %s, now() - interval '1 s')", requests)
        projects = database.column("SELECT id FROM projects ORDER BY id")
        database.executemany(
            "INSERT INTO project_authorizations (user_id, project_id, access_level) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            [(dice.choice(users), dice.choice(projects), dice.choice((10, 30, 50))) for _ in range(10) if projects])
    return prepare


@pytest.mark.parametrize("seed", range(SEEDS))
def test_refreshed_like_the_model(refresher, seed):
    assert refresher.differences(seed, size=20 + seed % 5 * 20, prepare=ask(seed)) == []
