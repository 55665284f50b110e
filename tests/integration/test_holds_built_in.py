"""Built-in jobs and held rows that foreign keys lead to: a group or a user is not begun, a
membership stays, whatever table the row is of."""

import pytest

from support.doomed import destroy, doom
from support.held import hold, release
from support.instance import tenant  # noqa: F401

FILES = """CREATE TABLE files (id bigint PRIMARY KEY, place bigint REFERENCES {of} ON DELETE {rule}); CREATE INDEX ON files (place);
    CREATE TABLE parts (id bigint PRIMARY KEY, file bigint REFERENCES files ON DELETE CASCADE); CREATE INDEX ON parts (file);
    INSERT INTO files VALUES (1, {row}); INSERT INTO parts VALUES (2, 1); GRANT SELECT, INSERT, UPDATE, DELETE ON files, parts TO PUBLIC"""


class Place:
    """As `held` has a house."""

    def __init__(self, pruned):
        self.pruned = pruned


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of, row", [("projects", "project_id"), ("namespaces", "sub")])
@pytest.mark.parametrize("rule, held", [("CASCADE", "files:1"), ("CASCADE", "parts:2"), ("SET NULL", "files:1")])
def test_a_group_is_not_begun_with_a_held_row_of_any_table_below_it(tenant, of, row, rule, held):  # noqa: F811
    doomed = doom(tenant)
    doomed.database.connection.execute(FILES.format(of=of, rule=rule, row=getattr(doomed, row)))
    hold(Place(doomed.pruned), held).ok()
    before = doomed.ids("projects"), doomed.ids("namespaces"), doomed.ids("members")
    run = destroy(doomed)
    assert (run["state"], run["step"]) == ("waiting", 0) and run["error"].startswith("kept: hold") and held in run["error"]
    assert (doomed.ids("projects"), doomed.ids("namespaces"), doomed.ids("members")) == before and doomed.ids("files", "place IS NULL") == []
    release(Place(doomed.pruned), held)
    doomed.work()
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished"


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rule, held", [("SET NULL", "files:1"), ("CASCADE", "parts:2")])
@pytest.mark.parametrize("bots", [1, 3])
def test_a_user_is_not_begun_with_a_held_row_that_refers_to_them(tenant, rule, held, bots):  # noqa: F811
    home, users = tenant.project(tenant.group()), [tenant.user(user_type=6) for _ in range(bots)]
    for user in users:
        tenant.member(user, project=home, expires_at=tenant.day(-1))
    tenant.database.connection.execute(FILES.format(of="users", rule=rule, row=users[0]))
    hold(Place(tenant.pruned), held).ok()
    tenant.tick("members.remove_expired")
    runs = {run["args"]["user_id"]: run for run in tenant.runs("users.destroy")}
    run = runs.pop(users[0])
    assert (run["state"], run["step"]) == ("waiting", 0) and held in run["error"], run
    assert [other["state"] for other in runs.values()] == ["finished"] * (bots - 1)
    assert tenant.ids("files", f"place = {users[0]}") == [1] and users[0] in tenant.ids("users")
    release(Place(tenant.pruned), held)
    tenant.work()
    assert tenant.pruned.run_row(run["run_id"])["state"] == "finished" and users[0] not in tenant.ids("users")


@pytest.mark.check_all
@pytest.mark.parametrize("rule", ["SET NULL", "CASCADE"])
def test_a_membership_stays_with_a_held_row_below_it(tenant, rule):  # noqa: F811
    group = tenant.group()
    held, other = (tenant.member(tenant.user(), group=group, expires_at=tenant.day(-1)) for _ in range(2))
    tenant.database.connection.execute(FILES.format(of="members", rule=rule, row=held))
    hold(Place(tenant.pruned), "files:1").ok()
    tenant.tick("members.remove_expired")
    assert held in tenant.ids("members") and other not in tenant.ids("members") and tenant.ids("files", f"place = {held}") == [1]


@pytest.mark.parametrize("held, stays", [("todos:{todo}", True), ("files:1", False)])
def test_a_refresh_waits_for_a_held_row_only_if_it_could_take_it(tenant, held, stays):  # noqa: F811
    """It removes todos and authorizations: the user, and whatever else refers to them, stays."""
    user, project = tenant.user(), tenant.project(tenant.group())
    todo = tenant.put("todos", user_id=user, author_id=user, target_type="Issue", action=1, state="pending", project_id=project)
    tenant.database.connection.execute(FILES.format(of="users", rule="CASCADE", row=user))
    hold(Place(tenant.pruned), held.format(todo=todo)).ok()
    tenant.database.execute("UPDATE namespaces SET visibility_level = 0")
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT %s, k, now() FROM unnest('{authorizations,todos}'::text[]) k", [user])
    tenant.tick("users.refresh_authorizations")
    assert tenant.ids("todos") == ([todo] if stays else []) and tenant.ids("files") == [1]
    assert bool(tenant.database.value("SELECT count(*) FROM pruned.dirty_users WHERE user_id = %s", [user])) == stays
