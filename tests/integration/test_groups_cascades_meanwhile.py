"""No row goes unseen with a group by a foreign key that comes while the group is deleted, and none
goes that has moved elsewhere meanwhile."""

import pytest

from support.cascades import doomed, once  # noqa: F401
from support.doomed import CHILD, audited, destroy
from support.instance import tenant  # noqa: F401
from support.scene import result
from support.writer import Writer


def beside(tenant, statement):  # noqa: F811
    """Destroys the group while STATEMENT is not committed. Returns the run, and whether a session
    waited for STATEMENT."""
    writer = Writer(tenant.database, statement).write()
    writer.start()
    try:
        return destroy(tenant), writer.waited
    finally:
        writer.end()


# --- rows that come during the deletion

def test_a_row_that_comes_after_its_table_was_emptied_is_audited(doomed):  # noqa: F811
    doomed.member(doomed.user(), project=doomed.project_id)
    once(doomed, "members", f"INSERT INTO plans (project_id) VALUES ({doomed.project_id})")
    run = destroy(doomed)
    assert run["state"] == "finished" and run["attempts"] == 0
    assert audited(doomed, "plans") == [1] and doomed.ids("plans") == []


def test_a_row_that_comes_below_a_group_is_audited(doomed):  # noqa: F811
    doomed.member(doomed.user(), doomed.top)
    once(doomed, "members", f"INSERT INTO group_notes (group_id) VALUES ({doomed.top})")
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "group_notes") == [1]


def test_a_row_that_comes_below_one_further_away_is_audited(doomed):  # noqa: F811
    plan = doomed.put("plans", project_id=doomed.project_id)
    first = doomed.put("plan_tags", plan_id=plan)
    once(doomed, "plan_tags", f"INSERT INTO plan_tags (plan_id) VALUES ({plan})")
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "plan_tags") == [first, first + 1] and audited(doomed, "plans") == [plan]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("statement, table", [
    ("INSERT INTO plans (project_id) VALUES ({project_id})", "plans"),
    ("INSERT INTO group_notes (group_id) VALUES ({sub})", "group_notes"),
    ("INSERT INTO plan_tags (plan_id) SELECT id FROM plans", "plan_tags"),
])
def test_what_the_application_is_just_writing_is_waited_for_and_audited(doomed, statement, table):  # noqa: F811
    doomed.put("plans", project_id=doomed.project_id)
    writer = Writer(doomed.database, statement.format(**vars(doomed))).write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and run["state"] == "finished"
    (last,) = doomed.database.column(f"SELECT last_value FROM {table}_id_seq")
    assert last in audited(doomed, table) and doomed.ids(table) == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, rule, action", [("line_notes", "CASCADE", "deleted"), ("line_notes", "SET NULL", "updated"),
                                                 ("plan_notes", "CASCADE", "deleted"), ("plan_notes", "SET NULL", "updated")])
def test_what_is_just_being_written_below_rows_of_rows_is_waited_for_and_recorded(doomed, table, rule, action):  # noqa: F811
    """A row below a plan of the project, or a line of another project that only the plan's key
    would take along."""
    parent = table.partition("_")[0]
    doomed.database.connection.execute(f"""
        CREATE TABLE {table} (id bigserial PRIMARY KEY, parent_id bigint REFERENCES plan{'_line' * (parent == 'line')}s ON DELETE {rule});
        GRANT SELECT, UPDATE, DELETE ON {table} TO PUBLIC""")
    plan = doomed.put("plans", project_id=doomed.project_id)
    line = doomed.put("plan_lines", plan_id=plan, project_id=doomed.other_project)
    writer = Writer(doomed.database, f"INSERT INTO {table} (parent_id) VALUES ({plan if parent == 'plan' else line})").write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, table, action) == [1] and audited(doomed, "plan_lines") == [line] and audited(doomed, "plans") == [plan]


@pytest.mark.check_all
@pytest.mark.parametrize("table, row", [
    ("members", "source_id = {project_id}, source_type = 'Project', type = 'ProjectMember', access_level = 30"),
    ("members", "source_id = {top}, source_type = 'Namespace', type = 'GroupMember', access_level = 30"),
    ("ci_job_artifacts", "project_id = {project_id}, job_id = 1, file = 'a.zip'"),
    ("notification_settings", "source_id = {project_id}, source_type = 'Project', user_id = 10{n}"),
    ("notification_settings", "source_id = {sub}, source_type = 'Namespace', user_id = 10{n}"),
    ("redirect_routes", "source_id = {project_id}, source_type = 'Project', path = 'p{n}'"),
    ("redirect_routes", "source_id = {sub}, source_type = 'Namespace', path = 'p{n}'"),
])
def test_what_is_just_being_written_below_rows_with_rules_of_their_own_is_audited(doomed, table, row):  # noqa: F811
    """More rows than a step takes; the newest has a row below it."""
    doomed.database.connection.execute(f"""
        CREATE TABLE details (id bigserial PRIMARY KEY, parent_id bigint REFERENCES {table} ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON details TO PUBLIC""")
    for n in range(5):
        columns, values = zip(*(part.split(" = ") for part in row.format(n=n, **vars(doomed)).split(", ")))
        last = doomed.database.value(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)}) RETURNING id")
    writer = Writer(doomed.database, f"INSERT INTO details (parent_id) VALUES ({last})").write()
    writer.start()
    try:
        run = destroy(doomed, **{f"jobs.{CHILD}.batch": 2})
    finally:
        writer.end()
    assert writer.waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, "details") == [1] and len(audited(doomed, table)) == 5 and doomed.ids(table) == []


@pytest.mark.check_all
@pytest.mark.parametrize("rule", ["SET NULL", "SET DEFAULT"])
@pytest.mark.parametrize("table, row", [
    ("members", "source_id = {project_id}, source_type = 'Project', type = 'ProjectMember', access_level = 30"),
    ("ci_job_artifacts", "project_id = {project_id}, job_id = 1, file = 'a.zip'"),
    ("notification_settings", "source_id = {sub}, source_type = 'Namespace', user_id = 100"),
    ("redirect_routes", "source_id = {project_id}, source_type = 'Project', path = 'old'"),
])
def test_what_a_key_changes_below_rows_with_rules_of_their_own_is_recorded_though_it_is_just_being_written(doomed, table, row, rule):  # noqa: F811
    doomed.database.connection.execute(f"""
        CREATE TABLE hints (id bigserial PRIMARY KEY, parent_id bigint DEFAULT NULL REFERENCES {table} ON DELETE {rule});
        GRANT SELECT, UPDATE ON hints TO PUBLIC""")
    columns, values = zip(*(part.split(" = ") for part in row.format(**vars(doomed)).split(", ")))
    parent = doomed.database.value(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)}) RETURNING id")
    run, waited = beside(doomed, f"INSERT INTO hints (parent_id) VALUES ({parent})")
    assert waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, "hints", "updated") == [1] and doomed.row("hints", 1)["parent_id"] is None


@pytest.mark.check_all
@pytest.mark.parametrize("rule, action", [("CASCADE", "deleted"), ("SET NULL", "updated")])
@pytest.mark.parametrize("table, key, place", [
    ("routes", "id", "source_type = 'Project' AND source_id = {project_id}"), ("routes", "id", "source_type = 'Namespace' AND source_id = {sub}"),
    ("routes", "id", "path = 'stray'"), ("namespace_details", "namespace_id", "namespace_id = {sub}"),
    ("group_deletion_schedules", "group_id", "group_id = {sub}")])
def test_what_is_just_being_written_below_rows_that_go_with_a_group_is_recorded(doomed, table, key, place, rule, action):  # noqa: F811
    doomed.mark(doomed.sub, doomed.actor, 1)
    doomed.put("routes", source_type="Project", source_id=99999, path="stray", namespace_id=doomed.sub)
    doomed.database.connection.execute(f"""
        CREATE TABLE details (id bigserial PRIMARY KEY, parent_id bigint REFERENCES {table} ON DELETE {rule});
        GRANT SELECT, UPDATE, DELETE ON details TO PUBLIC""")
    run, waited = beside(doomed, f"INSERT INTO details (parent_id) SELECT {key} FROM {table} WHERE {place.format(**vars(doomed))}")
    assert waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, "details", action) == [1]
    assert doomed.database.column("SELECT parent_id FROM details") == ([] if rule == "CASCADE" else [None])


# --- rows that moved elsewhere meanwhile

def test_a_subgroup_that_moves_elsewhere_meanwhile_stays(doomed):  # noqa: F811
    moving = doomed.group(parent=doomed.top)
    project = doomed.project(moving)
    for job in range(3):
        doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=job, file="a.zip")
    once(doomed, "ci_job_artifacts", f"""UPDATE namespaces SET parent_id = CASE WHEN id = {moving} THEN {doomed.neighbour} ELSE parent_id END,
        traversal_ids = {doomed.neighbour}::bigint || traversal_ids[2:] WHERE traversal_ids @> ARRAY[{moving}::bigint]""")
    run = destroy(doomed, **{f"jobs.{CHILD}.batch": 1})
    assert run["state"] == "finished" and result(run)["groups"] == 2 and result(run)["projects"] == 1
    assert moving in doomed.ids("namespaces") and sorted(doomed.ids("projects")) == sorted([doomed.other_project, project])


def test_a_group_that_is_just_being_moved_elsewhere_takes_its_projects_along(doomed):  # noqa: F811
    """The move does not touch the rows of the projects."""
    writer = Writer(doomed.database, f"""UPDATE namespaces SET parent_id = CASE WHEN id = {doomed.sub} THEN {doomed.neighbour} ELSE parent_id END,
        traversal_ids = {doomed.neighbour}::bigint || traversal_ids[2:] WHERE id = {doomed.sub}""").write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and run["state"] == "finished" and result(run)["groups"] == 1
    assert {doomed.project_id, doomed.other_project} <= set(doomed.ids("projects")) and doomed.sub in doomed.ids("namespaces")


@pytest.mark.check_all
@pytest.mark.parametrize("table, row, move", [
    ("group_notes", "group_id = {sub}", "group_id = {neighbour}"),
    ("issues", "project_id = {project_id}", "project_id = {other_project}"),
    ("members", "source_id = {sub}, source_type = 'Namespace', type = 'GroupMember', user_id = {user_id}, access_level = 30", "source_id = {neighbour}"),
    ("members", "source_id = {project_id}, source_type = 'Project', type = 'ProjectMember', user_id = {user_id}, access_level = 30",
     "source_id = {other_project}"),
    ("ci_job_artifacts", "project_id = {project_id}, job_id = 1, file = 'a.zip'", "project_id = {other_project}"),
    ("notification_settings", "source_id = {project_id}, source_type = 'Project', user_id = {user_id}", "source_id = {other_project}"),
    ("notification_settings", "source_id = {sub}, source_type = 'Namespace', user_id = {user_id}", "source_id = {neighbour}"),
    ("redirect_routes", "source_id = {project_id}, source_type = 'Project', path = 'old'", "source_id = {other_project}"),
    ("redirect_routes", "source_id = {sub}, source_type = 'Namespace', path = 'old'", "source_id = {neighbour}"),
])
def test_a_row_that_is_just_being_moved_elsewhere_stays(doomed, table, row, move):  # noqa: F811
    """The statement that deletes the row waits for the application, and then checks the row
    again."""
    doomed.user_id = doomed.user()
    places = vars(doomed)
    columns, values = zip(*(part.split(" = ") for part in row.format(**places).split(", ")))
    id = doomed.database.value(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)}) RETURNING id")
    writer = Writer(doomed.database, f"UPDATE {table} SET {move.format(**places)} WHERE id = {id}").write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and run["state"] == "finished" and run["attempts"] == 0
    assert doomed.ids(table) == [id] and id not in audited(doomed, table)


# --- what is decided while a step waits

@pytest.mark.check_first(2)
@pytest.mark.parametrize("held, change, reason", [
    ("projects", "UPDATE users SET admin = false WHERE id = {actor}", "Group deletion is in progress"),
    ("plans", "DELETE FROM members WHERE user_id = {owner}", "Group deletion is in progress"),
    ("namespaces", "UPDATE application_settings SET deletion_adjourned_period = 90", "The grace period is not over"),
    ("plans", "DELETE FROM group_group_links", "Group deletion is in progress"),
    ("plans", "UPDATE users SET state = 'blocked' WHERE id = {actor}", "Group deletion is in progress"),
])
def test_nothing_goes_if_the_deletion_is_not_wanted_any_more_when_the_lock_is_there(doomed, held, change, reason):  # noqa: F811
    """The application holds a row of the project while it takes the right away, or the period is
    longer."""
    doomed.owner = doomed.user()
    if "members" in change or "links" in change:
        invited = doomed.group() if "links" in change else None
        doomed.member(doomed.owner, invited or doomed.top, level=50)
        if invited:
            doomed.share(doomed.top, invited)
        doomed.actor = doomed.owner
    plan = doomed.put("plans", project_id=doomed.project_id)
    rows = f"id = {doomed.sub}" if held == "namespaces" else "true"
    run, waited = beside(doomed, f"SELECT FROM {held} WHERE {rows} FOR UPDATE; {change.format(actor=doomed.actor, owner=doomed.owner)}")
    assert waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert result(run)["cancelled"] == 1 and result(run)["reason"] == reason
    assert doomed.project_id in doomed.ids("projects") and doomed.ids("plans") == [plan]
    assert doomed.row("namespace_details", doomed.top, "namespace_id")["deleted_at"] is None
