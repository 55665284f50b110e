"""Rows that row-level security hides from the daemon's role would go by a key without a record: so
nothing goes, and the table is named."""

import pytest

from support.doomed import doom
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import result

GROUPS, USERS = "groups.destroy", "users.destroy"


def hide(database, table):
    """The daemon's role has all rights on the table, but sees at most one row."""
    database.connection.execute(f"""
        GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO PUBLIC;
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY few ON {table} TO {ROLE} USING (id = 0)""")


def bring_back(tenant):  # noqa: F811
    tenant.database.connection.execute("ALTER TABLE secrets DISABLE ROW LEVEL SECURITY")
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    tenant.work()


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rule", ["CASCADE", "SET NULL"])
def test_a_group_stays(tenant, rule):  # noqa: F811
    doom(tenant)
    tenant.database.connection.execute(f"CREATE TABLE secrets (id bigint PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE {rule})")
    tenant.put("secrets", id=1, project_id=tenant.project_id)
    hide(tenant.database, "secrets")
    tenant.mark(tenant.top, tenant.actor, 30)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 0})
    (run,) = tenant.runs(GROUPS)
    assert (run["state"], run["attempts"]) == ("waiting", 0) and "blocked" in run["error"] and "secrets" in run["error"]
    assert any("secrets" in line["error"] for line in tenant.lines("Step failed", level="error"))
    assert {tenant.top, tenant.sub} <= set(tenant.ids("namespaces")) and tenant.project_id in tenant.ids("projects")
    assert tenant.ids("secrets", f"project_id = {tenant.project_id}") == [1]
    bring_back(tenant)
    assert tenant.pruned.run_row(run["run_id"])["state"] == "finished" and tenant.top not in tenant.ids("namespaces")
    assert tenant.database.value("SELECT count(*) FROM pruned.deletions WHERE table_name = 'secrets'") == 1


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["secrets", "below"])
def test_a_user_stays(tenant, table):  # noqa: F811
    """All memberships but the expired one stay: no user is removed in part."""
    bot, top = tenant.user(user_type=6), tenant.group()
    tenant.member(bot, project=tenant.project(top), expires_at=tenant.day(-1))
    other = tenant.member(bot, top)
    tenant.database.connection.execute("""
        CREATE TABLE secrets (id bigint PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE);
        CREATE TABLE below (id bigint PRIMARY KEY, secret_id bigint REFERENCES secrets ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON secrets, below TO PUBLIC""")
    tenant.put("secrets", id=1, user_id=bot)
    tenant.put("below", id=1, secret_id=1)
    hide(tenant.database, table)
    tenant.tick("members.remove_expired")
    (run,) = tenant.runs(USERS)
    assert (run["state"], run["attempts"]) == ("waiting", 0) and table in run["error"]
    assert tenant.row("users", bot)["state"] == "active" and tenant.ids("members") == [other]
    assert tenant.ids("secrets") == tenant.ids("below") == [1]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, column", [("issues", "author_id"), ("snippets", "author_id")])
def test_a_column_that_names_a_user_without_a_key(tenant, table, column):  # noqa: F811
    """A placeholder does not count as unused, nor a bot as removed."""
    tenant.database.connection.execute("CREATE TABLE IF NOT EXISTS snippets (id bigserial PRIMARY KEY, author_id bigint)")
    _, placeholder = tenant.placeholder(attempts=0)
    tenant.put(table, **{column: placeholder})
    hide(tenant.database, table)
    job = "imports.placeholder_cleanup"
    tenant.tick(job, **{f"jobs.{job}.spacing_ms": 0})
    (run,) = tenant.runs("users.delete_placeholder")
    assert (run["state"], run["attempts"]) == ("waiting", 0) and table in run["error"]
    assert tenant.row("users", placeholder) is not None and tenant.runs(USERS) == []


def test_rights_that_are_hidden_are_not_taken_away(tenant):  # noqa: F811
    user, project = tenant.user(), tenant.project(tenant.group())
    tenant.member(user, project=project)
    tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    hide(tenant.database, "members")
    run = tenant.tick("users.refresh_authorizations")
    assert result(run)["status"] == "blocked" and "members" in run["error"]
    assert tenant.ids("project_authorizations", key="project_id") == [project]
    found = [f for f in tenant.pruned.run("doctor", "--json").json() if f["check"] == "row-level security"]
    [remedy] = [f["remedy"] for f in found if not f["ok"]]
    assert "members" in found[0]["detail"] and f"ALTER ROLE {ROLE} BYPASSRLS" in remedy


def test_restore_names_the_table_too(tenant):  # noqa: F811
    tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-1))
    run = tenant.tick("members.remove_expired")
    hide(tenant.database, "members")
    done = tenant.pruned.run("restore", str(run["run_id"]))
    assert done.code != 0 and "members" in done.stdout + done.stderr and tenant.ids("members") == []
