"""What a trigger of the application swallows is not reported as done."""

import pytest

from support.doomed import destroy, doom, keep
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import result


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1000, 1])
def test_an_artifact_stays_if_its_file_cannot_be_recorded(tenant, batch):  # noqa: F811
    doomed = doom(tenant)
    artifacts = [doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=1, file=file) for file in ("a.zip", None, "b.zip")]
    keep(doomed, "ci_deleted_objects", "INSERT", "NEW.file = 'b.zip'")
    run = destroy(doomed, **{"jobs.groups.destroy.batch": batch})
    assert (run["state"], run["attempts"]) == ("waiting", 1)
    assert "files of artifacts were not recorded in ci_deleted_objects" in run["error"] and "1 of " in run["error"]
    assert artifacts[2] in doomed.ids("ci_job_artifacts") and result(run).get("artifacts", 0) == 3 - len(doomed.ids("ci_job_artifacts"))
    doomed.database.connection.execute("DROP TRIGGER keep ON ci_deleted_objects")
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work()
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished" and doomed.ids("ci_job_artifacts") == []
    assert sorted(doomed.database.column("SELECT file FROM ci_deleted_objects")) == ["a.zip", "b.zip"]


# --- a group that is restored

KEEPS = [("namespaces", "OLD.id = {0}"), ("routes", "OLD.source_id = {0} AND OLD.source_type = 'Namespace'")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, when", KEEPS)
def test_a_group_that_keeps_its_path_is_not_restored_and_others_are(tenant, table, when):  # noqa: F811
    tenant.period(7)
    kept, other = (tenant.group(path=f"{name}-deleted-{{id}}") for name in "ab")
    for group in (kept, other):
        tenant.mark(group, tenant.user(), 10)
    keep(tenant, table, "UPDATE", when.format(kept))
    run = tenant.tick("groups.adjourned_deletion")
    assert (result(run)["restored"], result(run)["failed"]) == (1, 1)
    assert tenant.ids("group_deletion_schedules", key="group_id") == [kept]
    assert [o["group_id"] for o in tenant.outcomes("GroupRestored")] == [other]
    assert (tenant.row("namespaces", kept)["path"], tenant.path("Namespace", kept)) == (f"a-deleted-{kept}", f"a-deleted-{kept}")
    assert (tenant.row("namespaces", other)["path"], tenant.path("Namespace", other)) == ("b", "b")
    (line,) = tenant.database.rows("SELECT item, reason FROM pruned.quarantine")
    assert line["item"] == f"group_deletion_schedules:{kept}" and "a trigger or a rule keeps it" in line["reason"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, when", KEEPS)
def test_neither_is_one_whose_deletion_is_called_off_at_its_begin(tenant, table, when):  # noqa: F811
    tenant.period(7)
    tenant.mark(tenant.group(), tenant.user(admin=True), 10)  # the first one goes at once
    actor, top = tenant.user(), tenant.group(path="a-deleted-{id}")
    tenant.owner(actor, top)
    tenant.mark(top, actor, 10)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 3600000})
    tenant.database.execute("DELETE FROM members")
    keep(tenant, table, "UPDATE", when.format(top))
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    tenant.work()
    (run,) = (r for r in tenant.runs("groups.destroy") if r["args"]["group_id"] == top)
    assert result(run).get("restored", 0) == 0 and result(run)["failed"] == 1 and tenant.outcomes("GroupRestored") == []
    assert tenant.ids("group_deletion_schedules", key="group_id") == [top] and tenant.path("Namespace", top) == f"a-deleted-{top}"


BELOW = ["project", "subgroup"]


def set_back(tenant, table, column, when, timing="BEFORE"):  # noqa: F811
    """A trigger puts the column back to what it was."""
    key = "namespace_id" if table == "namespace_details" else "id"
    back = (f"NEW.{column} := OLD.{column};" if timing == "BEFORE" else
            f"UPDATE {table} SET {column} = OLD.{column} WHERE {key} = OLD.{key} AND pg_trigger_depth() = 1;")
    # A deferred one runs for its own change, too.
    first = {"state": "OLD.state <> 'blocked'", "deleted_at": "OLD.deleted_at IS NULL"}
    kind, at, later = ("", timing, "") if timing != "DEFERRED" else ("CONSTRAINT", "AFTER", "DEFERRABLE INITIALLY DEFERRED")
    when = f"({when}) AND {first[column]}" if later else when
    tenant.database.connection.execute(f"""
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          IF session_user = '{ROLE}' AND NEW.{column} IS DISTINCT FROM OLD.{column} THEN {back} END IF; RETURN NEW; END $$;
        CREATE {kind} TRIGGER keep {at} UPDATE ON {table} {later} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION keep()""")


@pytest.mark.check_all
@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("timing, column", [("BEFORE", "path"), ("AFTER", "path"), ("BEFORE", "name")])
def test_neither_is_one_below_which_a_path_is_kept(tenant, below, timing, column):  # noqa: F811
    tenant.period(7)
    kept, other = (tenant.group(path=f"{name}-deleted-{{id}}") for name in "ab")
    sub = tenant.group(parent=kept)
    project = tenant.project(sub)
    for group in (kept, other):
        tenant.mark(group, tenant.user(), 10)
    kind, id = {"project": ("Project", project), "subgroup": ("Namespace", sub)}[below]
    set_back(tenant, "routes", column, f"OLD.source_id = {id} AND OLD.source_type = '{kind}'", timing)
    before = tenant.database.rows("SELECT * FROM routes WHERE name LIKE 'a-%%' ORDER BY id")
    run = tenant.tick("groups.adjourned_deletion")
    assert (result(run)["restored"], result(run)["failed"]) == (1, 1)
    assert tenant.ids("group_deletion_schedules", key="group_id") == [kept] and tenant.path("Namespace", other) == "b"
    assert tenant.database.rows("SELECT * FROM routes WHERE name LIKE 'a-%%' ORDER BY id") == before
    assert [o["group_id"] for o in tenant.outcomes("GroupRestored")] == [other]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("timing", ["BEFORE", "AFTER", "DEFERRED"])
def test_a_deletion_whose_mark_does_not_stay_does_not_begin(tenant, timing):  # noqa: F811
    doomed = doom(tenant)
    set_back(doomed, "namespace_details", "deleted_at", "true", timing)
    run = destroy(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "namespace_details.deleted_at" in run["error"]
    assert doomed.ids("projects", f"id = {doomed.project_id}") == [doomed.project_id]


# --- a user who is to be blocked

@pytest.mark.check_all
@pytest.mark.parametrize("bots, how", [(1, "refused"), (3, "refused"), (1, "BEFORE"), (3, "BEFORE"), (1, "AFTER"), (3, "AFTER"), (1, "DEFERRED"), (3, "DEFERRED")])
def test_a_bot_who_cannot_be_blocked_fails_and_keeps_what_they_have(tenant, bots, how):  # noqa: F811
    """Several go together where nothing is wrong."""
    project = tenant.project(tenant.group())
    users = [tenant.user(user_type=6) for _ in range(bots)]
    for user in users:
        tenant.member(user, project=project, expires_at=tenant.day(-1))
    more = tenant.member(users[0], project=tenant.project(tenant.group()))
    if how == "refused":
        keep(tenant, "users", "UPDATE", f"OLD.id = {users[0]}")
    else:
        set_back(tenant, "users", "state", f"OLD.id = {users[0]}", how)
    tenant.tick("members.remove_expired")
    runs = {r["args"]["user_id"]: r for r in tenant.runs("users.destroy")}
    assert (runs[users[0]]["state"], runs[users[0]]["attempts"]) == ("waiting", 1)
    assert runs[users[0]]["error"].endswith(f"users.state: user {users[0]} was not blocked (a trigger or a rule keeps the row)")
    assert tenant.ids("members") == [more]
    assert [runs[u]["state"] for u in users[1:]] == ["finished"] * (bots - 1)
    assert tenant.ids("users", "user_type = 6") == users[:1] and tenant.ids("ghost_user_migrations", key="user_id") == []
    tenant.database.connection.execute("DROP TRIGGER keep ON users")
    tenant.pruned.run("retry", str(runs[users[0]]["run_id"])).ok()
    tenant.work()
    assert tenant.ids("users", "user_type = 6") == []


# --- a reference that is to move, in a column that the last check leaves out

def test_a_reference_that_is_set_back_keeps_the_user(tenant):  # noqa: F811
    project, bot = tenant.project(tenant.group()), tenant.user(user_type=6)
    tenant.member(bot, project=project, expires_at=tenant.day(-1))
    note = tenant.put("notes", author_id=bot, note="of a bot")
    tenant.database.execute("INSERT INTO notes (note) SELECT repeat('x', 1900) FROM generate_series(1, 4100)")
    tenant.database.connection.execute("VACUUM notes")  # more than a thousand pages, and no index
    set_back(tenant, "notes", "author_id", "true")
    tenant.tick("members.remove_expired")
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "1 row of notes.author_id was not changed" in run["error"]
    assert tenant.ids("users", "user_type = 6") == [bot] and tenant.row("notes", note)["author_id"] == bot
