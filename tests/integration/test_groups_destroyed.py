"""A group past its grace period goes with everything in it, in bounded steps, and leaves nothing
that points at it."""

import datetime
import hashlib

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result

JOB, CHILD = "groups.adjourned_deletion", "groups.destroy"
AT_ONCE = {f"jobs.{JOB}.spacing_ms": 0}


@pytest.fixture
def actor(tenant):  # noqa: F811
    tenant.period(7)
    return tenant.user(admin=True)


def destroy(tenant, *groups, **settings):
    for group in groups:
        tenant.mark(group, tenant.actor, 30)
    return tenant.tick(JOB, **AT_ONCE, **settings)


class Doomed(Tenant):
    """Ids of the tree, and of its neighbour that stays."""

    actor: int  # an administrator, who marked `top` for deletion
    top: int
    sub: int  # below `top`
    leaf: int  # below `sub`
    project_id: int  # in `leaf`
    other_project: int  # in `top`
    neighbour: int
    neighbours_project: int
    user_id: int  # a member of `sub` and of the project
    bot: int  # of the project
    guest: int  # a member of `leaf`


@pytest.fixture
def doomed(tenant, actor):  # noqa: F811
    """A tree with rows of every kind, and a neighbour that stays."""
    tenant = Doomed.of(tenant)
    tenant.actor = actor
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.leaf = tenant.group(parent=tenant.sub)
    tenant.project_id = tenant.project(tenant.leaf)
    tenant.other_project = tenant.project(tenant.top)
    tenant.neighbour = tenant.group()
    tenant.neighbours_project = tenant.project(tenant.neighbour)
    tenant.user_id, tenant.bot = tenant.user(), tenant.user(user_type=6)
    tenant.member(tenant.user_id, tenant.sub)
    tenant.member(tenant.user_id, project=tenant.project_id)
    tenant.member(tenant.bot, project=tenant.project_id)
    tenant.guest = tenant.user()
    tenant.member(tenant.guest, tenant.leaf)
    tenant.share(tenant.neighbour, tenant.leaf)
    tenant.share(tenant.top, tenant.neighbour)
    tenant.share_project(tenant.neighbours_project, tenant.sub)
    tenant.share_project(tenant.project_id, tenant.neighbour)
    for kind, id in (("Namespace", tenant.sub), ("Project", tenant.project_id)):
        tenant.put("notification_settings", user_id=tenant.user_id, source_type=kind, source_id=id)
        tenant.put("redirect_routes", source_type=kind, source_id=id, path=f"old/{kind}/{id}")
    tenant.put("todos", user_id=tenant.user_id, author_id=1, project_id=tenant.project_id, target_type="Issue", action=1, state="pending")
    tenant.put("todos", user_id=tenant.user_id, author_id=1, group_id=tenant.sub, target_type="Epic", action=1, state="pending")
    tenant.put("project_authorizations", user_id=tenant.user_id, project_id=tenant.project_id, access_level=30)
    issue = tenant.put("issues", project_id=tenant.project_id, author_id=tenant.user_id)
    tenant.database.execute("INSERT INTO issue_assignees VALUES (%s, %s)", [tenant.user_id, issue])
    tenant.put("ci_job_artifacts", project_id=tenant.project_id, job_id=7, file="a.zip")
    tenant.leave(tenant.sub, tenant.user_id, by=actor)
    tenant.mark(tenant.sub, actor, 1)
    tenant.placeholder(namespace=tenant.top)
    return tenant


def pointers(tenant, groups, projects):
    """The columns that name a group, a namespace or a project and still contain one of these
    ids."""
    columns = tenant.database.rows("""SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
        AND table_name <> 'ci_deleted_objects' AND column_name ~ '(group_id|namespace_id|project_id|parent_id)$'""")
    there = [(c["table_name"], c["column_name"]) for c in columns if tenant.database.value(
        f"SELECT count(*) FROM {c['table_name']} WHERE {c['column_name']} = ANY (%s)",
        [projects if "project_id" in c["column_name"] else groups])]
    for table in ("members", "routes", "redirect_routes", "notification_settings"):
        if tenant.database.value(f"""SELECT count(*) FROM {table} WHERE source_type = 'Project' AND source_id = ANY (%s)
                                     OR source_type = 'Namespace' AND source_id = ANY (%s)""", [projects, groups]):
            there.append((table, "source_id"))
    return there


def audited_keys(tenant, table):
    return tenant.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = %s", [table])


def test_nothing_points_into_the_tree_afterwards(doomed):
    own = doomed.ids("namespaces", f"traversal_ids @> ARRAY[{doomed.top}::bigint]")
    groups, projects = [doomed.top, doomed.sub, doomed.leaf], [doomed.project_id, doomed.other_project]
    paths = {g: doomed.path("Namespace", g) for g in groups}
    destroy(doomed, doomed.top)
    (run,) = doomed.runs(CHILD)
    assert run["state"] == "finished" and {"groups": 3, "projects": 2, "members": 4, "artifacts": 1}.items() <= result(run).items()
    assert pointers(doomed, own, projects) == []
    assert doomed.ids("namespaces", f"id = ANY ('{{{','.join(map(str, own))}}}')") == []
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour] and doomed.ids("projects") == [doomed.neighbours_project]
    assert doomed.database.value("SELECT namespace_id FROM import_placeholder_user_details") is None
    gone = {o["group_id"]: o for o in doomed.outcomes("GroupDeleted")}
    assert {g: o["full_path"] for g, o in gone.items()} == paths and gone[doomed.leaf]["parent_namespace_id"] == doomed.sub
    assert {o["project_id"] for o in doomed.outcomes("ProjectDeleted")} == set(projects)
    assert {o["reason"] for o in doomed.outcomes("MemberRemoved")} == {"group_destroyed"}


def test_what_names_a_project_by_its_own_namespace_goes_and_is_audited(doomed):
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"]
    rows = {"members": doomed.put("members", user_id=doomed.user(), source_type="Namespace", source_id=own, type="GroupMember", access_level=30),
            "notification_settings": doomed.put("notification_settings", user_id=doomed.user_id, source_type="Namespace", source_id=own),
            "redirect_routes": doomed.put("redirect_routes", source_type="Namespace", source_id=own, path="old/own")}
    destroy(doomed, doomed.top)
    for table, id in rows.items():
        assert doomed.row(table, id) is None and id in audited_keys(doomed, table), table
    assert doomed.runs(CHILD)[0]["state"] == "finished"


def test_reviews_of_the_projects_and_of_their_merge_requests_go_and_are_audited(doomed):
    request = doomed.put("merge_requests", target_project_id=doomed.project_id)
    gone = [doomed.put("reviews", project_id=doomed.project_id), doomed.put("reviews", merge_request_id=request),
            doomed.put("reviews", merge_request_id=request, project_id=doomed.neighbours_project)]
    kept = doomed.put("reviews", project_id=doomed.neighbours_project)
    destroy(doomed, doomed.top)
    assert doomed.ids("reviews") == [kept] and sorted(audited_keys(doomed, "reviews")) == gone


@pytest.mark.check_all
def test_a_group_elsewhere_that_a_project_names_as_its_own_namespace_keeps_what_it_has(doomed):
    doomed.database.execute("UPDATE projects SET project_namespace_id = %s WHERE id = %s", [doomed.neighbour, doomed.project_id])
    member, setting = doomed.member(doomed.user(), doomed.neighbour), doomed.put(
        "notification_settings", user_id=doomed.user_id, source_type="Namespace", source_id=doomed.neighbour)
    path, former = doomed.path("Namespace", doomed.neighbour), doomed.put(
        "redirect_routes", source_type="Namespace", source_id=doomed.neighbour, path="old/neighbour")
    doomed.group(parent=doomed.neighbour)
    destroy(doomed, doomed.top)
    assert doomed.runs(CHILD)[0]["state"] == "finished" and doomed.row("projects", doomed.project_id) is None
    assert doomed.path("Namespace", doomed.neighbour) == path and doomed.row("namespace_details", doomed.neighbour, "namespace_id")
    assert doomed.row("members", member) and doomed.row("notification_settings", setting) and doomed.row("redirect_routes", former)


def test_everybody_who_had_access_is_refreshed_and_bots_of_projects_go(doomed):
    destroy(doomed, doomed.top, **{"jobs.users.refresh_authorizations.enabled": False})
    dirty = set(doomed.database.column("SELECT user_id FROM pruned.dirty_users WHERE kind = 'authorizations'"))
    assert {doomed.user_id, doomed.guest} <= dirty
    (bots,) = doomed.runs("users.destroy")
    assert bots["args"] == {"user_id": doomed.bot, "reason": "Project deleted", "initiator_id": doomed.actor}


def test_files_are_recorded_as_their_rows_go(doomed):
    made = datetime.datetime(2026, 1, 2, 23, 30, tzinfo=datetime.timezone.utc)
    doomed.database.execute("DELETE FROM ci_job_artifacts")
    plain = doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=7, file="a.zip", file_store=2, created_at=made)
    doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=8, file="b.zip", file_final_path="@final/x/y/z.gz")
    doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=9, file=None)
    destroy(doomed, doomed.top)
    digest = hashlib.sha256(str(doomed.project_id).encode()).hexdigest()
    rows = doomed.database.rows("SELECT * FROM ci_deleted_objects ORDER BY file_store")
    assert [(r["file_store"], r["store_dir"], r["file"], r["project_id"]) for r in rows] == [
        (1, "@final/x/y", "z.gz", doomed.project_id),
        (2, f"{digest[:2]}/{digest[2:4]}/{digest}/2026_01_02/7/{plain}", "a.zip", doomed.project_id)]
    assert doomed.ids("ci_job_artifacts") == [] and all(r["pick_up_at"] == r["created_at"] for r in rows)


@pytest.mark.check_all
@pytest.mark.parametrize("final, dir_, file", [
    ("x/h/", "x", "h"), ("x/y//h//", "x/y", "h"), ("h/", "", "h"), ("/x/h/", "/x", "h"), ("/", None, "plain"), ("//", None, "plain")])
def test_a_final_path_that_ends_with_a_slash_names_its_file_all_the_same(doomed, final, dir_, file):
    doomed.database.execute("DELETE FROM ci_job_artifacts")
    artifact = doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=7, file="plain", file_final_path=final,
                          created_at=datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc))
    destroy(doomed, doomed.top)
    digest = hashlib.sha256(str(doomed.project_id).encode()).hexdigest()
    plain = f"{digest[:2]}/{digest[2:4]}/{digest}/2026_01_02/7/{artifact}"
    (row,) = doomed.database.rows("SELECT * FROM ci_deleted_objects")
    assert (row["store_dir"], row["file"]) == (plain if dir_ is None else dir_, file)
    assert doomed.ids("ci_job_artifacts") == []


def test_no_step_touches_more_than_a_page_of_a_table(doomed):
    doomed.database.execute("""INSERT INTO ci_job_artifacts (project_id, job_id, file)
        SELECT %s, i, 'f' FROM generate_series(1, 5000) i""", [doomed.project_id])
    destroy(doomed, doomed.top)
    most = doomed.database.value("SELECT max(jsonb_array_length(keys)) FROM pruned.deletions")
    assert most == 1000 and doomed.database.value("SELECT count(*) FROM ci_deleted_objects") == 5001
    assert doomed.database.value("SELECT count(*) FROM namespaces WHERE id = %s", [doomed.top]) == 0


def test_two_marked_groups_of_one_line(doomed):
    doomed.database.execute("UPDATE group_deletion_schedules SET marked_for_deletion_on = marked_for_deletion_on - 30")
    destroy(doomed, doomed.top)
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour]
    assert {r["state"] for r in doomed.runs(CHILD)} == {"finished"}


# --- foreign keys of unknown tables

KEYS = '''
CREATE TABLE notes_of_others (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE notes_below (note_id bigint REFERENCES notes_of_others ON DELETE CASCADE, secret_token text, line int, PRIMARY KEY (note_id, line));
CREATE TABLE "Odd ""names""" (id bigserial PRIMARY KEY, "The group" bigint REFERENCES namespaces ON DELETE SET NULL);
GRANT SELECT, UPDATE, DELETE ON notes_of_others, notes_below, "Odd ""names""" TO PUBLIC;
'''


def test_rows_that_a_key_would_take_along_are_deleted_explicitly_and_audited(doomed):
    doomed.database.connection.execute(KEYS)
    note = doomed.put("notes_of_others", project_id=doomed.project_id)
    doomed.database.execute("INSERT INTO notes_below VALUES (%s, 'hush', 1), (%s, 'hush', 2)", [note, note])
    doomed.database.execute('INSERT INTO "Odd ""names""" ("The group") VALUES (%s)', [doomed.sub])
    destroy(doomed, doomed.top)
    audit = {r["table_name"]: r for r in doomed.database.rows("SELECT * FROM pruned.deletions")}
    assert audit["notes_of_others"]["keys"] == [note]
    below = audit["notes_below"]
    assert sorted(k["line"] for k in below["keys"]) == [1, 2] and "secret_token" not in below["rows"][0]
    assert audit['"Odd ""names"""']["action"] == "updated"
    assert doomed.database.value('SELECT "The group" FROM "Odd ""names"""') is None


def test_more_rows_further_away_than_a_step_takes_are_audited_too(doomed):
    """The row that they refer to stays until they are gone: its key would take the rest along
    without a record."""
    doomed.database.connection.execute(KEYS + """
        CREATE TABLE notes_of_both (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE,
                                    note_id bigint REFERENCES notes_of_others ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON notes_of_both TO PUBLIC""")
    note = doomed.put("notes_of_others", project_id=doomed.project_id)
    doomed.database.execute("INSERT INTO notes_below SELECT %s, 'hush', i FROM generate_series(1, 5) i", [note])
    doomed.database.execute("INSERT INTO notes_of_both (project_id, note_id) SELECT %s, %s FROM generate_series(1, 5)", [doomed.project_id, note])
    destroy(doomed, doomed.top, **{f"jobs.{CHILD}.batch": 2})
    audited = {r["table_name"]: r["rows"] for r in doomed.database.rows(
        "SELECT table_name, sum(jsonb_array_length(keys)) AS rows FROM pruned.deletions GROUP BY 1")}
    assert (audited["notes_of_others"], audited["notes_below"], audited["notes_of_both"]) == (1, 5, 5)


def test_a_key_that_is_made_while_the_deletion_goes_on_is_not_missed(doomed):
    doomed.database.connection.execute("""
        CREATE TABLE late (id bigserial PRIMARY KEY, project_id bigint);
        GRANT SELECT, UPDATE, DELETE ON late TO PUBLIC;
        CREATE FUNCTION make_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$BEGIN
            IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'late'::regclass AND contype = 'f') THEN
                ALTER TABLE late ADD FOREIGN KEY (project_id) REFERENCES projects ON DELETE CASCADE;
            END IF;
            RETURN NULL;
        END$$;
        CREATE TRIGGER make_key AFTER DELETE ON ci_job_artifacts FOR EACH STATEMENT EXECUTE FUNCTION make_key()""")
    late = doomed.put("late", project_id=doomed.project_id)
    for job in range(3):
        doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=job, file="a.zip")
    # One worker besides intake's, so that the same connection, which has read the keys before, does
    # every step.
    destroy(doomed, doomed.top, **{f"jobs.{CHILD}.batch": 1, "run.workers": 2})
    (record,) = doomed.database.rows("SELECT * FROM pruned.deletions WHERE table_name = 'late'")
    assert record["keys"] == [late] and doomed.ids("late") == []


@pytest.mark.check_all
def test_a_key_that_forbids_is_named_and_the_others_go_on(doomed):
    doomed.database.connection.execute("CREATE TABLE holds (project_id bigint REFERENCES projects)")
    doomed.database.execute("INSERT INTO holds VALUES (%s)", [doomed.project_id])
    destroy(doomed, doomed.top, doomed.neighbour)
    held, done = sorted(doomed.runs(CHILD), key=lambda r: r["args"]["group_id"])
    assert done["state"] == "finished" and held["state"] == "waiting" and held["attempts"] == 1 and "holds" in held["error"]
    assert doomed.row("namespace_details", doomed.top, "namespace_id")["deleted_at"] is None
    (line,) = doomed.lines("Rescheduling group deletion")
    assert line["level"] == "error" and line["group_id"] == doomed.top and "holds" in line["error"] and line["user_id"] == doomed.actor
    doomed.database.execute("DELETE FROM holds")
    doomed.pruned.run("retry", str(held["run_id"])).ok()
    doomed.work()
    assert doomed.ids("namespaces", "type = 'Group'") == []


@pytest.mark.check_all
def test_a_step_that_takes_too_long_gives_the_group_back_until_the_next_try(doomed):
    """Its projects are gone by then, and stay gone."""
    doomed.database.connection.execute(f"""
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.id = {doomed.leaf} THEN PERFORM pg_sleep(20); END IF; RETURN OLD; END $$;
        CREATE TRIGGER slow BEFORE DELETE ON namespaces FOR EACH ROW EXECUTE FUNCTION slow()""")
    destroy(doomed, doomed.top)
    (run,) = doomed.runs(CHILD)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "57014" in run["error"]
    (line,) = doomed.lines("Rescheduling group deletion")
    assert (line["level"], line["group_id"], line["user_id"]) == ("error", doomed.top, doomed.actor) and "57014" in line["error"]
    assert doomed.row("namespace_details", doomed.top, "namespace_id")["deleted_at"] is None
    assert doomed.ids("projects") == [doomed.neighbours_project] and doomed.leaf in doomed.ids("namespaces")
    assert doomed.row("group_deletion_schedules", doomed.top, "group_id") is not None
    doomed.database.connection.execute("DROP TRIGGER slow ON namespaces")
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work()
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished"
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour]



def test_files_that_were_deleted_days_ago_are_not_left(doomed, tmp_path):
    """The run that has deleted them is in the archive by then."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("artifact")
    doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=7, file="a.zip", file_final_path="kept/file")
    destroy(doomed, doomed.top)
    run = doomed.runs(CHILD)[0]["run_id"]
    assert "No row disagrees." in doomed.pruned.run("verify", str(run), "--all").ok().stdout
    doomed.pruned.run("tick", "ci.schedule_delete_objects").ok()
    doomed.work({"store.local.root": tmp_path})
    assert not (tmp_path / "kept" / "file").exists()
    doomed.database.execute("""SELECT pruned.ensure_day('runs_done', (scheduled_at AT TIME ZONE 'UTC')::date) FROM pruned.runs""")
    doomed.database.execute("""WITH gone AS (DELETE FROM pruned.runs RETURNING *)
        INSERT INTO pruned.runs_done SELECT (jsonb_populate_record(NULL::pruned.runs_done, to_jsonb(g))).* FROM gone g""")
    assert "No row disagrees." in doomed.pruned.run("verify", str(run), "--all").ok().stdout
