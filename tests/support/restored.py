"""For the tests of `pruned restore`: rows that a run removes, and checks that they are back."""

import pytest

from .instance import Tenant, tenant  # noqa: F401

EXPIRED, GROUPS, PRUNE = "members.remove_expired", "groups.adjourned_deletion", "members.schedule_prune_deletions"
REFRESH = "users.refresh_authorizations"
QUIET = {f"jobs.{REFRESH}.enabled": False}
UNASKED = QUIET | {f"jobs.{EXPIRED}.approve": "never"}  # a run after a restore needs no approval
AT_ONCE = {f"jobs.{GROUPS}.spacing_ms": 0}


def world(database, without=()):
    """The application's tables as texts."""
    tables = database.column("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return {t: database.column(f"SELECT t::text FROM {t} t ORDER BY 1") for t in tables if t not in without}


def restore(pruned, run, *options, code=0, **more):
    done = pruned.run("restore", run, "--json", *options, **more)
    assert done.code == code, done
    lines = done.json()
    assert all(set(line) == {"table", "key", "action", "reason"} for line in lines)
    return lines


def actions(lines):
    return {line["action"] for line in lines}


def held(database):
    return set(database.column("SELECT job || ' ' || item FROM pruned.quarantine WHERE parked AND reason = 'restored'"))


def refused(pruned, run, *options, code, words):
    done = pruned.run("restore", run, *options)
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    assert done.stdout == "" or "restored" not in done.stdout


# --- what is removed

class Expired(Tenant):
    """Memberships whose time is over."""

    top: int
    project_id: int  # in `top`
    people: list  # of users, who were members of `top`
    bot: int  # of the project
    ids_gone: list  # of the memberships that go
    issue: int  # by the bot


@pytest.fixture
def expired(tenant):  # noqa: F811
    """Expired memberships: of users, a bot, an invitation."""
    tenant = Expired.of(tenant)
    tenant.top = tenant.group()
    tenant.project_id = tenant.project(tenant.top)
    tenant.people = [tenant.user() for _ in range(5)]
    tenant.ids_gone = [tenant.member(user, tenant.top, expires_at=tenant.day(-3)) for user in tenant.people]
    tenant.ids_gone.append(tenant.member(None, tenant.top, expires_at=tenant.day(-1), invite_email="a@b.example"))
    tenant.bot = tenant.user(user_type=6)
    tenant.ids_gone.append(tenant.member(tenant.bot, project=tenant.project_id, expires_at=tenant.day(-2)))
    tenant.member(tenant.bot, tenant.top, level=10)
    person = tenant.people[0]
    tenant.put("notification_settings", user_id=person, source_type="Namespace", source_id=tenant.top, level=3)
    tenant.put("todos", user_id=tenant.people[1], author_id=person, group_id=tenant.top, target_type="Namespace", action=10, state="pending")
    tenant.put("notification_settings", user_id=tenant.bot, source_type="Namespace", source_id=tenant.top)
    tenant.issue = tenant.put("issues", project_id=tenant.project_id, author_id=tenant.bot, title="by a bot")
    tenant.database.execute("INSERT INTO issue_assignees (user_id, issue_id) VALUES (%s, %s)", [tenant.bot, tenant.issue])
    tenant.put("merge_requests", author_id=tenant.bot, updated_by_id=tenant.bot, merge_user_id=tenant.bot, last_edited_by_id=tenant.bot)
    return tenant


class Doomed(Tenant):
    """A group whose time has come, with rows of every kind."""

    actor: int  # an administrator, who marked it for deletion
    top: int
    sub: int  # below `top`
    leaf: int  # below `sub`
    project_id: int  # in `leaf`
    neighbour: int  # a group that stays
    bot: int  # of the project
    artifact: int  # of the project


@pytest.fixture
def doomed(tenant):  # noqa: F811
    tenant = Doomed.of(tenant)
    tenant.period(7)
    tenant.actor = tenant.user(admin=True)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.leaf = tenant.group(parent=tenant.sub)
    tenant.project_id = tenant.project(tenant.leaf)
    tenant.neighbour = tenant.group()
    user, tenant.bot = tenant.user(), tenant.user(user_type=6)
    tenant.member(user, tenant.sub)
    tenant.member(user, project=tenant.project_id)
    tenant.member(tenant.bot, project=tenant.project_id)
    tenant.share(tenant.neighbour, tenant.leaf)
    tenant.share_project(tenant.project_id, tenant.neighbour)
    for kind, id in (("Namespace", tenant.sub), ("Project", tenant.project_id)):
        tenant.put("notification_settings", user_id=user, source_type=kind, source_id=id)
        tenant.put("redirect_routes", source_type=kind, source_id=id, path=f"old/{kind}/{id}")
    tenant.put("todos", user_id=user, author_id=1, project_id=tenant.project_id, target_type="Issue", action=1, state="pending")
    tenant.put("project_authorizations", user_id=user, project_id=tenant.project_id, access_level=30)
    issue = tenant.put("issues", project_id=tenant.project_id, author_id=tenant.bot)
    tenant.database.execute("INSERT INTO issue_assignees (user_id, issue_id) VALUES (%s, %s)", [user, issue])
    tenant.artifact = tenant.put("ci_job_artifacts", project_id=tenant.project_id, job_id=7, file="a.zip")
    tenant.leave(tenant.sub, user, by=tenant.actor)
    tenant.placeholder(namespace=tenant.top)
    tenant.mark(tenant.top, tenant.actor, 30)
    return tenant
