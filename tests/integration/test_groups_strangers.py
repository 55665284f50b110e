"""Rows that belong elsewhere and only point into a destroyed group are not taken along. Rows that
are just being deleted do no harm."""

import pytest

from support.doomed import CHILD, destroy, doom
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import result
from support.writer import Writer


@pytest.fixture
def doomed(tenant):  # noqa: F811
    return doom(tenant)


def untouched(tenant):
    """What is there while nothing of a group has gone."""
    return {table: tenant.ids(table) for table in ("projects", "namespaces", "members", "routes", "redirect_routes")}


def refused(tenant, what, **settings):
    """The deletion is refused, names WHAT, and has not begun."""
    before = untouched(tenant)
    run = destroy(tenant, **{f"jobs.{CHILD}.batch": 1} | settings)
    assert (run["state"], run["attempts"], run["step"]) == ("waiting", 1, 0) and what in run["error"], run
    assert untouched(tenant) == before, "it went in part"
    assert tenant.row("namespace_details", tenant.top, "namespace_id")["deleted_at"] is None
    return run


def go_on(tenant, run):
    tenant.pruned.run("retry", str(run["run_id"])).ok()
    tenant.work()
    return tenant.pruned.run_row(run["run_id"])


def test_a_project_elsewhere_whose_own_namespace_lies_in_the_group_stays(doomed):
    own = doomed.row("projects", doomed.other_project)["project_namespace_id"]
    place = "UPDATE namespaces SET parent_id = %s, traversal_ids = %s || id WHERE id = %s"
    doomed.database.execute(place, [doomed.sub, doomed.row("namespaces", doomed.sub)["traversal_ids"], own])
    run = refused(doomed, f"projects {doomed.other_project}")
    doomed.database.execute(place, [doomed.neighbour, [doomed.neighbour], own])
    assert go_on(doomed, run)["state"] == "finished"
    assert doomed.ids("projects") == [doomed.other_project] and doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["routes", "redirect_routes"])
@pytest.mark.parametrize("place", ["sub", "own"])
def test_a_path_of_something_elsewhere_that_names_a_namespace_of_the_group_stays(doomed, table, place):
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"]
    doomed.put("redirect_routes", source_type="Project", source_id=doomed.other_project, path="old")
    doomed.database.execute(f"UPDATE {table} SET namespace_id = %s WHERE source_type = 'Project' AND source_id = %s",
                            [doomed.sub if place == "sub" else own, doomed.other_project])
    (path,) = doomed.ids(table, f"source_type = 'Project' AND source_id = {doomed.other_project}")
    run = refused(doomed, f"{table} {path}")
    doomed.database.execute(f"UPDATE {table} SET namespace_id = NULL WHERE id = %s", [path])
    assert go_on(doomed, run)["state"] == "finished" and doomed.row(table, path) is not None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of", ["other_project", "neighbour"])
@pytest.mark.parametrize("place", ["sub", "own"])
def test_a_membership_elsewhere_that_names_a_namespace_of_the_group_stays(doomed, of, place):
    """The membership gives access to something that stays; a wrong reference is no reason to remove
    it."""
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"] if place == "own" else doomed.sub
    where = {"project": doomed.other_project} if of == "other_project" else {"group": doomed.neighbour}
    member = doomed.member(doomed.user(), **where, member_namespace_id=own)
    run = refused(doomed, f"members {member}")
    doomed.database.execute("UPDATE members SET member_namespace_id = NULL WHERE id = %s", [member])
    assert go_on(doomed, run)["state"] == "finished" and doomed.ids("members") == [member]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("place", ["own", "sub"])
def test_a_path_of_another_part_of_the_group_that_still_stands_is_found_before_anything_goes(doomed, place):
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"] if place == "own" else doomed.sub
    path = doomed.put("redirect_routes", source_type="Namespace", source_id=doomed.top, path="old", namespace_id=own)
    refused(doomed, f"redirect_routes {path}")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, rule", [("projects", "ON DELETE CASCADE"), ("users", "ON DELETE CASCADE"), ("projects", ""), ("members", "ON DELETE CASCADE")])
def test_what_is_never_taken_along_and_names_the_group_by_another_key_is_found_before_anything_goes(doomed, table, rule):
    doomed.database.connection.execute(f"ALTER TABLE {table} ADD sample bigint REFERENCES namespaces {rule}; CREATE INDEX ON {table} (sample)")
    row = {"projects": lambda: doomed.other_project, "users": doomed.user, "members": lambda: doomed.member(doomed.user(), doomed.neighbour)}[table]()
    doomed.database.execute(f"UPDATE {table} SET sample = %s WHERE id = %s", [doomed.top, row])
    refused(doomed, f"a row of {table} refers to namespace {doomed.top}")


def test_a_membership_of_what_goes_too_or_is_gone_goes_with_the_namespace_it_names_and_is_audited(doomed):
    """A membership of a group further up, of the project of another group that goes, or of
    nothing."""
    late = doomed.project(doomed.group(parent=doomed.top))
    members = [doomed.member(doomed.user(), doomed.top, member_namespace_id=doomed.sub),
               doomed.member(doomed.user(), project=late, member_namespace_id=doomed.sub),
               doomed.put("members", user_id=doomed.user(), source_type="Project", source_id=999999, type="ProjectMember", access_level=30,
                          member_namespace_id=doomed.sub)]
    assert destroy(doomed)["state"] == "finished" and doomed.ids("members") == []
    assert sorted(doomed.database.column(
        "SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'members'")) == members


def test_paths_of_a_project_that_is_gone_go_with_its_namespace_and_are_audited(doomed):
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"]
    path = doomed.database.value("UPDATE routes SET namespace_id = %s WHERE source_type = 'Project' AND source_id = %s RETURNING id",
                                 [own, doomed.project_id])
    former = doomed.put("redirect_routes", source_type="Project", source_id=doomed.project_id, namespace_id=own, path="old")
    doomed.database.execute("DELETE FROM projects WHERE id = %s", [doomed.project_id])
    assert destroy(doomed)["state"] == "finished"
    for table, id in (("routes", path), ("redirect_routes", former)):
        assert doomed.row(table, id) is None
        assert id in doomed.database.column(
            "SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = %s", [table]), table


def test_a_project_that_the_application_is_just_deleting_charges_no_attempt(doomed):
    doomed.project(doomed.sub)
    writer = Writer(doomed.database, f"DELETE FROM projects WHERE id = {doomed.project_id}").write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and (run["state"], run["attempts"]) == ("finished", 0) and result(run)["projects"] == 1
    assert doomed.lines("Rescheduling group deletion") == []
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour] and doomed.ids("projects") == [doomed.other_project]


# --- rows that forbid the deletion

@pytest.mark.check_all
@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("rule, target, row", [("", "namespaces", "{top}"), ("ON DELETE RESTRICT", "projects", "{last}"), ("", "namespaces", "{own}")])
def test_a_row_that_forbids_the_end_of_a_group_is_found_before_anything_of_it_goes(doomed, rule, target, row, indexed):
    doomed.last = doomed.project(doomed.top)
    doomed.own = doomed.row("projects", doomed.last)["project_namespace_id"]
    doomed.database.connection.execute(f"CREATE TABLE holds (place bigint REFERENCES {target} {rule}); GRANT SELECT ON holds TO PUBLIC"
                                       + ("; CREATE INDEX ON holds (place)" if indexed else ""))
    doomed.database.execute(f"INSERT INTO holds VALUES ({row.format(**vars(doomed))}), (NULL)")
    before = doomed.ids("namespaces"), doomed.ids("projects")
    run = destroy(doomed, **{f"jobs.{CHILD}.batch": 1})
    assert (run["state"], run["attempts"], run["step"]) == ("waiting", 1, 0) and "holds" in run["error"]
    assert (doomed.ids("namespaces"), doomed.ids("projects")) == before
    doomed.database.execute("DELETE FROM holds")
    assert go_on(doomed, run)["state"] == "finished"


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["routes", "redirect_routes", "projects"])
def test_rows_elsewhere_that_name_the_last_rows_of_a_group_are_found_before_anything_goes(doomed, table):
    if table == "projects":
        doomed.database.execute("UPDATE projects SET project_namespace_id = %s WHERE id = %s", [doomed.top, doomed.other_project])
        stray = doomed.other_project
    else:
        stray = doomed.put(table, source_type="Namespace", source_id=doomed.neighbour if table == "redirect_routes" else doomed.namespace(
            "Group", doomed.neighbour, "beside", None), path="stray", namespace_id=doomed.top)
    before = doomed.ids("projects")
    run = destroy(doomed)
    assert (run["state"], run["attempts"], run["step"]) == ("waiting", 1, 0) and f"{table} {stray}" in run["error"]
    assert doomed.ids("projects") == before


@pytest.mark.check_all
def test_a_row_that_forbids_and_goes_by_another_way_forbids_nothing(doomed):
    doomed.database.connection.execute("""
        CREATE TABLE holds (project_id bigint REFERENCES projects, issue_id bigint REFERENCES issues ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON holds TO PUBLIC""")
    doomed.database.execute("INSERT INTO holds VALUES (%s, %s)", [doomed.project_id, doomed.put("issues", project_id=doomed.project_id)])
    assert destroy(doomed)["state"] == "finished" and doomed.database.value("SELECT count(*) FROM holds") == 0


# --- the actor is a bot of a project in the group

@pytest.fixture
def by_bot(doomed):
    doomed.bot = doomed.actor = doomed.user(user_type=6)
    doomed.owner(doomed.bot, doomed.top)
    doomed.member(doomed.bot, project=doomed.project_id)
    for job in range(20):
        doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=job, file="a.zip")
    return doomed


@pytest.mark.check_all
def test_a_bot_that_asked_for_the_deletion_goes_after_it(by_bot):
    """Without the bot the deletion would have no actor, and the group would stay half deleted."""
    run = destroy(by_bot, **{f"jobs.{CHILD}.batch": 1})
    assert (run["state"], result(run)["groups"], result(run).get("cancelled", 0)) == ("finished", 2, 0)
    (bots,) = by_bot.runs("users.destroy")
    assert bots["args"] == {"user_id": by_bot.bot, "reason": "Project deleted", "initiator_id": by_bot.bot}
    assert bots["created_at"] >= by_bot.database.value("SELECT max(at) FROM pruned.deletions WHERE run_id = %s", [run["run_id"]])
    assert by_bot.ids("users", f"id = {by_bot.bot}") == []


@pytest.mark.check_all
def test_a_bot_whose_deletion_is_called_off_is_not_forgotten(by_bot):
    by_bot.database.connection.execute("""
        CREATE FUNCTION change_of_mind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN DELETE FROM public.group_deletion_schedules; RETURN NULL; END $$;
        CREATE TRIGGER change_of_mind AFTER DELETE ON projects FOR EACH STATEMENT EXECUTE FUNCTION change_of_mind()""")
    run = destroy(by_bot, **{f"jobs.{CHILD}.batch": 1})
    assert (run["state"], result(run)["cancelled"]) == ("finished", 1)
    assert [r["args"]["user_id"] for r in by_bot.runs("users.destroy")] == [by_bot.bot]


# What refers to a row that goes with a project: made of the project and its issue. A table that is
# called `below`, as a part of the query is, is another one.
FURTHER = {
    "issue": "CREATE TABLE sample (id bigint PRIMARY KEY, issue_id bigint REFERENCES issues); INSERT INTO sample VALUES (1, {issue})",
    "membership": "CREATE TABLE sample (id bigint PRIMARY KEY, member_id bigint REFERENCES members); INSERT INTO sample VALUES (1, {member})",
    "user of an issue": "ALTER TABLE users ADD sample bigint REFERENCES issues ON DELETE CASCADE; UPDATE users SET sample = {issue} WHERE id = {actor}",
    "row below a row": "CREATE TABLE below (id bigint PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE); INSERT INTO below VALUES (1, {project});"
                       "CREATE INDEX ON below (project_id); CREATE TABLE sample (id bigint PRIMARY KEY, below_id bigint REFERENCES below); INSERT INTO sample VALUES (1, 1)",
    "two columns": "CREATE UNIQUE INDEX ON projects (id, namespace_id); CREATE TABLE sample (id bigint PRIMARY KEY, p bigint, n bigint,"
                   " FOREIGN KEY (p, n) REFERENCES projects (id, namespace_id)); INSERT INTO sample VALUES (1, {project}, {sub})",
    "other column": "CREATE UNIQUE INDEX ON projects (project_namespace_id); CREATE TABLE sample (id bigint PRIMARY KEY,"
                    " p bigint REFERENCES projects (project_namespace_id)); INSERT INTO sample SELECT 1, project_namespace_id FROM projects WHERE id = {project}"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("what", FURTHER)
def test_what_forbids_to_remove_a_row_that_goes_along_is_found_before_anything_goes(doomed, what):
    """Of the project that would go last."""
    last = doomed.project(doomed.sub)
    assert last > doomed.project_id
    named = {"issue": doomed.put("issues", project_id=last), "member": doomed.member(doomed.actor, project=last), "actor": doomed.actor,
             "project": last, "sub": doomed.sub}
    doomed.database.connection.execute(FURTHER[what].format(**named) + f"; GRANT ALL ON ALL TABLES IN SCHEMA public TO {ROLE}")
    refused(doomed, "a row of users refers to issues" if "user" in what else "a row of sample refers to")
