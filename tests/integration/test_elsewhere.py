"""Other places: tables in another schema, and a pooler that gives each transaction another
connection."""

import pytest

from stack.pooler import Pooler
from support.instance import Tenant, tenant  # noqa: F401
from support.places import ROLE
from support.scene import result

JOB = "members.remove_expired"
TABLES = "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'"


def fill(tenant: Tenant):
    """Adds something of each kind to remove: a member, a project's bot (a user), and rights that
    end with them."""
    group, bot, user = tenant.group(), tenant.user(user_type=6), tenant.user()
    project = tenant.project(group)
    tenant.owner(tenant.user(), group)
    for who in (bot, user):
        tenant.member(who, project=project, expires_at=tenant.day(-1))
        tenant.put("project_authorizations", user_id=who, project_id=project, access_level=30)
    tenant.put("todos", user_id=user, project_id=project, target_type="Project", target_id=project, action=10, author_id=user,
               state="pending")
    return bot, user


def work(tenant, **settings):
    bot, user = fill(tenant)
    assert tenant.pruned.run("plan", JOB, "--json", settings=settings).ok().json()[-1] == {"summary": {"removed": 2}}
    soon = {"jobs.members.remove_expired.refresh_delay_ms": 0, "jobs.members.remove_expired.todos_delay_ms": 0}
    run = tenant.tick(JOB, **settings, **soon)
    assert (run["state"], result(run)["removed"], result(run)["scheduled"]) == ("finished", 2, 1)
    refresh = tenant.tick("users.refresh_authorizations", **settings, **soon)
    assert (refresh["state"], result(refresh)["status"]) == ("finished", "completed")
    return bot, user


def test_the_applications_tables_may_be_in_another_schema(tenant):  # noqa: F811
    database = tenant.database
    database.execute(f"CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO {ROLE}")
    for table in database.column(TABLES):
        database.execute(f"ALTER TABLE {table} SET SCHEMA app")
    database.execute("SET search_path = app")
    tenant.pruned.settings["postgres.app_schema"] = "app"
    bot, _ = work(tenant)
    assert bot not in tenant.ids("users") and tenant.ids("members", "expires_at IS NOT NULL") == []
    assert tenant.ids("project_authorizations", key="user_id") == []


@pytest.fixture
def pooler(shared):
    one = Pooler(shared.postgres_url)
    yield one
    one.close()


@pytest.mark.check_all
def test_a_pooler_may_give_each_transaction_another_connection(tenant, pooler):  # noqa: F811
    tenant.pruned.settings |= {"postgres.url": pooler.url(tenant.database.role_url), "postgres.prepare": False,
                               "jobs.members.remove_expired.batch": 1, "jobs.members.remove_expired.delay_ms": 0}
    bot, _ = work(tenant)
    assert bot not in tenant.ids("users") and tenant.ids("members", "expires_at IS NOT NULL") == []
    assert tenant.ids("project_authorizations", key="user_id") == []
    assert pooler.transactions > 20 and pooler.connections_used > 2 * pooler.clients
