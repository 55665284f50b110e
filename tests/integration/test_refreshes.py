"""Requests to refresh a user's rights: when they are due, and that a second request is never
lost."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result
from support.slow import wait_asleep
from support.writer import Writer

EXPIRED, REFRESH = "members.remove_expired", "users.refresh_authorizations"
MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def requests(tenant):  # noqa: F811
    """The requests for a user: kind -> (time until it is due, seq)."""
    def of(user):
        return {r["kind"]: (r["due"], r["seq"]) for r in tenant.database.rows(
            "SELECT kind, due_at - now() AS due, seq FROM pruned.dirty_users WHERE user_id = %s", [user])}
    return of


def expire(tenant, user, project):  # noqa: F811
    tenant.member(user, project=project, expires_at=tenant.day(-1))
    tenant.at += datetime.timedelta(seconds=1)
    assert result(tenant.tick(EXPIRED))["removed"] == 1


def test_rights_are_due_in_a_minute_and_todos_in_an_hour_counted_from_the_last_removal(tenant, requests):  # noqa: F811
    user, project = tenant.user(), tenant.project(tenant.group())
    expire(tenant, user, project)
    first = requests(user)
    assert {kind: seq for kind, (_, seq) in first.items()} == {"authorizations": 0, "todos": 0}
    assert 0 * MINUTE < first["authorizations"][0] <= MINUTE and 59 * MINUTE < first["todos"][0] <= 60 * MINUTE
    tenant.database.execute("UPDATE pruned.dirty_users SET due_at = due_at - interval '30 s'")
    was_due = tenant.database.value("SELECT due_at FROM pruned.dirty_users WHERE kind = 'authorizations'")
    expire(tenant, user, project)
    assert {kind: seq for kind, (_, seq) in requests(user).items()} == {"authorizations": 1, "todos": 1}
    assert tenant.database.value("SELECT due_at FROM pruned.dirty_users WHERE kind = 'authorizations'") == was_due
    assert 59 * MINUTE < requests(user)["todos"][0] <= 60 * MINUTE


@pytest.mark.check_all
def test_a_request_that_comes_while_its_user_is_refreshed_is_not_lost(tenant):  # noqa: F811
    """The user loses another membership after their rights were read and before the request is
    deleted."""
    database, user, group = tenant.database, tenant.user(), tenant.group()
    projects = [tenant.project(group) for _ in range(2)]
    members = [tenant.member(user, project=project) for project in projects]
    for project in projects:
        tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    # The statement that deletes the request waits at the gate, with its snapshot. It waits for no
    # lock, because of the lock time-out.
    database.connection.execute("""
        CREATE TABLE gate AS SELECT true AS closed;
        CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END $$;
        CREATE TRIGGER gate BEFORE DELETE ON pruned.dirty_users FOR EACH STATEMENT EXECUTE FUNCTION gate()""")
    daemon = tenant.pruned.start()
    run = tenant.pruned.run("tick", REFRESH, "--at", tenant.at.isoformat()).ok().stdout.strip()
    wait_asleep(database)
    database.execute("DELETE FROM members WHERE id = %s", [members[1]])
    database.execute("UPDATE pruned.dirty_users SET seq = seq + 1 WHERE user_id = %s", [user])
    database.execute("DELETE FROM gate")
    tenant.pruned.wait_run(run)
    assert daemon.stop() == 0
    assert database.rows("SELECT user_id, seq FROM pruned.dirty_users") == [{"user_id": user, "seq": 1}]
    tenant.at += MINUTE / 60
    tenant.tick(REFRESH)
    assert database.column("SELECT project_id FROM project_authorizations WHERE user_id = %s", [user]) == projects[:1]
    assert database.rows("SELECT * FROM pruned.dirty_users") == []


def test_todos_of_places_that_nothing_opens_any_more_go(tenant):  # noqa: F811
    """The user is a member of a group. X and Z invited a group below it, and Z's own group is
    locked; G is shared with the group itself."""
    database, user, p = tenant.database, tenant.user(), tenant.group()
    s, g, home, locked, other = tenant.group(parent=p), tenant.group(), tenant.group(), tenant.group(), tenant.group()
    below_g = tenant.group(parent=g)
    x, z, in_g, lost = (tenant.project(group) for group in (home, locked, below_g, other))
    tenant.member(user, p)
    tenant.share(g, p)
    tenant.share_project(x, s)
    tenant.share_project(z, s)
    database.execute("UPDATE namespaces SET visibility_level = 0, share_with_group_lock = id = %s", [locked])

    def todo(**place):
        return tenant.put("todos", user_id=user, author_id=user, target_type="Issue", action=1, state="pending", **place)

    seen = [*(todo(project_id=id) for id in (x, in_g)), *(todo(group_id=id) for id in (p, s, g, below_g, home)), todo()]
    for place in ({"project_id": z}, {"project_id": lost}, {"project_id": 4711}, {"group_id": locked}, {"group_id": other}):
        todo(**place)
    database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT %s, k, now() FROM unnest('{authorizations,todos}'::text[]) k",
                     [user])
    tenant.tick(REFRESH)
    assert tenant.ids("todos") == seen


# --- the application changes rights during the refresh

@pytest.mark.check_first(1)
@pytest.mark.timeout(120)
@pytest.mark.parametrize("place", ["project", "group", "share"])
def test_access_that_is_granted_again_meanwhile_stays(tenant, place):  # noqa: F811
    """The application finds the authorization in place, and so writes none."""
    user, top = tenant.user(), tenant.group()
    project, invited = tenant.project(tenant.group(parent=top)), tenant.group()
    lost = tenant.project(tenant.group())
    for id in (project, lost):
        tenant.put("project_authorizations", user_id=user, project_id=id, access_level=30)
    if place == "share":
        tenant.share(top, invited, access=30)
    source = {"project": project, "group": top, "share": invited}[place]
    kind = "Project" if place == "project" else "Namespace"
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    writer = Writer(tenant.database, f"""SELECT FROM project_authorizations WHERE project_id = {project} FOR UPDATE;
        INSERT INTO members (user_id, source_type, source_id, type, access_level) VALUES ({user}, '{kind}', {source}, '', 30)""").write()
    writer.start()
    try:
        tenant.tick(REFRESH)
    finally:
        writer.end()
    assert writer.waited
    assert tenant.database.column("SELECT project_id FROM project_authorizations WHERE user_id = %s", [user]) == [project]


def test_nothing_is_given_in_a_project_that_is_deleted_meanwhile(tenant):  # noqa: F811
    """groups.destroy locks a project, deletes what refers to it, and then the project. The table of
    authorizations has no foreign key here."""
    user = tenant.user()
    lost, kept = (tenant.project(tenant.group()) for _ in range(2))
    for project in (lost, kept):
        tenant.member(user, project=project)
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    writer = Writer(tenant.database, f"""SELECT FROM projects WHERE id = {lost} FOR UPDATE;
        DELETE FROM project_authorizations WHERE project_id = {lost};
        DELETE FROM members WHERE source_id = {lost} AND source_type = 'Project'; DELETE FROM projects WHERE id = {lost}""").write()
    writer.start()
    try:
        tenant.tick(REFRESH)
    finally:
        writer.end()
    assert writer.waited
    assert tenant.database.column("SELECT project_id FROM project_authorizations WHERE user_id = %s", [user]) == [kept]


def test_access_that_is_taken_meanwhile_is_not_given(tenant):  # noqa: F811
    user = tenant.user()
    lost, left, kept = (tenant.project(tenant.group()) for _ in range(3))
    tenant.put("project_authorizations", user_id=user, project_id=lost, access_level=30)
    tenant.member(user, project=left)
    tenant.member(user, project=kept)
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    tenant.database.connection.execute(f"""
        CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN DELETE FROM public.members WHERE source_id = {left} AND source_type = 'Project'; RETURN NULL; END $$;
        CREATE TRIGGER leave AFTER DELETE ON project_authorizations FOR EACH STATEMENT EXECUTE FUNCTION leave()""")
    tenant.tick(REFRESH)
    assert tenant.database.column("SELECT project_id FROM project_authorizations WHERE user_id = %s", [user]) == [kept]


@pytest.mark.check_all
@pytest.mark.parametrize("event", ["DELETE", "INSERT"])
def test_a_trigger_that_keeps_an_authorization_is_said(tenant, requests, event):  # noqa: F811
    """As it was, or missing: no error of PostgreSQL tells about it. The other users are served."""
    database, group = tenant.database, tenant.group()
    project, (odd, plain) = tenant.project(group), [tenant.user() for _ in range(2)]
    for user in (odd, plain):
        if event == "DELETE":
            tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
        else:
            tenant.member(user, project=project)
        database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())", [user])
    row = "OLD" if event == "DELETE" else "NEW"
    database.connection.execute(f"""
        CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {row}.user_id = {odd} THEN RETURN NULL; END IF; RETURN {row}; END $$;
        CREATE TRIGGER keeps BEFORE {event} ON project_authorizations FOR EACH ROW EXECUTE FUNCTION keeps()""")
    done = result(tenant.tick(REFRESH))
    assert (done["refreshed"], done["failed"]) == (1, 1), done
    [item] = database.rows("SELECT item, reason FROM pruned.quarantine")
    assert item["item"] == f"users:{odd}" and "a trigger or a rule keeps rows" in item["reason"] and "project_authorizations" in item["reason"]
    assert requests(odd) and not requests(plain)
    assert database.column("SELECT user_id FROM project_authorizations") == ([odd] if event == "DELETE" else [plain])
    # Without the trigger the next try serves the user.
    database.connection.execute("DROP TRIGGER keeps ON project_authorizations")
    tenant.pruned.run("quarantine", "retry", REFRESH, "--all").ok()
    tenant.at += MINUTE
    assert result(tenant.tick(REFRESH))["refreshed"] == 1 and not requests(odd)
    assert database.column("SELECT user_id FROM project_authorizations ORDER BY 1") == ([] if event == "DELETE" else [odd, plain])
