"""A row that is held is not changed, either: by a file of a folder about another table, by a
trigger, by what a built-in job does beside its rows. What would change it stays with it."""

import pytest

from support.held import JOB, OPEN, WORLD, hold, ids, release
from support.instance import tenant  # noqa: F401
from support.own_job import CONF, DECIDE, OWN, PAGE, REMOVED
from support.sentences import house  # noqa: F401

NOTES = "UPDATE lines l SET page = NULL FROM unnest(:key::bigint[]) AS k (id) WHERE l.id = k.id RETURNING l.id AS key, to_jsonb(l) AS row"
TOUCH = """CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN UPDATE lines SET page = NULL WHERE id = old.id; RETURN old; END';
    CREATE TRIGGER touch AFTER DELETE ON docs FOR EACH ROW EXECUTE FUNCTION touch()"""


def by_a_file(house):  # noqa: F811
    files = {"page": PAGE, "decide": DECIDE, "apply/removed/10-lines.update": NOTES, "apply/removed/20-docs": OWN}
    for name, text in files.items():
        path = house.folder / JOB / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text.replace("scratch", "docs"))
    conf = CONF.format(batch=100, more=f"cursor = id bigint\n{OPEN}").replace("scratch", "docs")
    (house.folder / JOB / "job.conf").write_text(conf + REMOVED)


def by_a_trigger(house):  # noqa: F811
    house.sql(TOUCH)
    house.say(JOB, f"table = docs\nwhere = dead\n{OPEN}")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", [by_a_file, by_a_trigger])
def test_a_row_whose_removal_would_change_a_held_row_stays(house, how):  # noqa: F811
    house.sql(WORLD.format(cascade="ON DELETE CASCADE") + "; DELETE FROM docs WHERE NOT dead; ALTER TABLE lines DROP CONSTRAINT lines_page_fkey")
    house.sql("INSERT INTO lines SELECT n, n FROM generate_series(1, 9) n ON CONFLICT DO NOTHING; UPDATE lines SET page = id; GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC")
    how(house)
    hold(house, "lines:2").ok()
    counters, _ = house.done(JOB)
    assert (counters["kept_hold"], counters["removed"]) == (1, 2) and "failed" not in counters
    assert ids(house, "docs") == [2] and house.rows("lines WHERE page IS NULL", "id") == [(1,), (3,)]
    assert "lines:2 would go or change with" in house.daemons[-1].text()
    release(house, "lines:2")
    assert house.done(JOB)[0]["removed"] == 1 and house.rows("lines WHERE page IS NULL", "id") == [(1,), (2,), (3,)]


class Place:
    """As `held` has a house."""

    def __init__(self, pruned):
        self.pruned = pruned


@pytest.mark.built_in
def test_a_membership_whose_request_is_held_stays(tenant):  # noqa: F811
    group, owner, users = tenant.group(), tenant.user(), [tenant.user(), tenant.user()]
    members = [tenant.member(user, group=group, expires_at=tenant.day(-1)) for user in users]
    todos = [tenant.put("todos", user_id=owner, author_id=user, group_id=group, target_type="Namespace", action=10, state="pending") for user in users]
    hold(Place(tenant.pruned), f"todos:{todos[0]}").ok()
    tenant.tick("members.remove_expired")
    assert tenant.ids("members") == members[:1] and [tenant.row("todos", id)["state"] for id in todos] == ["pending", "done"]


@pytest.mark.built_in
@pytest.mark.parametrize("bots", [1, pytest.param(3, marks=pytest.mark.check_all)])
def test_a_user_whom_a_held_row_names_without_a_key_is_not_begun(tenant, bots):  # noqa: F811
    """issues.author_id has no foreign key."""
    home, users = tenant.project(tenant.group()), [tenant.user(user_type=6) for _ in range(bots)]
    for user in users:
        tenant.member(user, project=home, expires_at=tenant.day(-1))
    issue = tenant.put("issues", project_id=home, author_id=users[0], title="by a bot")
    hold(Place(tenant.pruned), f"issues:{issue}").ok()
    tenant.tick("members.remove_expired")
    runs = {run["args"]["user_id"]: run for run in tenant.runs("users.destroy")}
    run = runs.pop(users[0])
    assert (run["state"], run["step"]) == ("waiting", 0) and f"issues:{issue}" in run["error"], run
    assert [other["state"] for other in runs.values()] == ["finished"] * (bots - 1)
    assert tenant.row("issues", issue)["author_id"] == users[0] and tenant.row("users", users[0])["state"] == "active"
    release(Place(tenant.pruned), f"issues:{issue}")
    tenant.work()
    assert tenant.pruned.run_row(run["run_id"])["state"] == "finished" and users[0] not in tenant.ids("users")
