"""No row goes with a group by a foreign key without a record: however it is tied to the group, and whenever it came."""

import pytest

from support.doomed import CHILD, audited, destroy, doom
from support.instance import tenant  # noqa: F401
from support.scene import result
from support.writer import Writer

TABLES = """
CREATE TABLE plans (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE plan_lines (id bigserial PRIMARY KEY, plan_id bigint REFERENCES plans ON DELETE CASCADE,
                         project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE plan_tags (id bigserial PRIMARY KEY, plan_id bigint REFERENCES plans ON DELETE CASCADE);
CREATE TABLE tasks (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE,
                    parent_id bigint REFERENCES tasks ON DELETE CASCADE);
CREATE TABLE builds (partition_id bigint, id bigint, project_id bigint REFERENCES projects ON DELETE CASCADE,
                     PRIMARY KEY (partition_id, id));
CREATE TABLE build_logs (id bigserial PRIMARY KEY, partition_id bigint, build_id bigint,
                         FOREIGN KEY (partition_id, build_id) REFERENCES builds ON DELETE CASCADE);
CREATE TABLE build_hints (id bigserial PRIMARY KEY, partition_id bigint, build_id bigint,
                          FOREIGN KEY (partition_id, build_id) REFERENCES builds ON DELETE SET NULL);
CREATE TABLE odd_names (id bigserial PRIMARY KEY, t text, x text, d text, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE odd_hints (id bigserial PRIMARY KEY, t text, x text, d text, project_id bigint REFERENCES projects ON DELETE SET NULL);
CREATE TABLE odd_lines (t text, x text, d text, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE visits (project_id bigint REFERENCES projects ON DELETE CASCADE, day date) PARTITION BY RANGE (day);
CREATE TABLE visits_before PARTITION OF visits FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE visits_after PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE TABLE group_notes (id bigserial PRIMARY KEY, group_id bigint REFERENCES namespaces ON DELETE CASCADE);
GRANT SELECT, UPDATE, DELETE ON plans, plan_lines, plan_tags, tasks, builds, build_logs, build_hints, group_notes, odd_names, odd_hints, odd_lines, visits TO PUBLIC;
"""


@pytest.fixture
def doomed(tenant):  # noqa: F811
    doom(tenant)
    tenant.database.connection.execute(TABLES)
    return tenant


def once(tenant, table, what):
    """WHAT runs the first time that a statement deletes rows of TABLE."""
    tenant.database.connection.execute(f"""
        CREATE SEQUENCE times;
        CREATE FUNCTION once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          IF EXISTS (SELECT FROM gone) AND nextval('times') = 1 THEN {what}; END IF; RETURN NULL; END $$;
        CREATE TRIGGER once AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION once()""")


def beside(tenant, statement):
    """Destroys the group while STATEMENT is not committed. Returns the run, and whether a session waited for STATEMENT."""
    writer = Writer(tenant.database, statement).write()
    writer.start()
    try:
        return destroy(tenant), writer.waited
    finally:
        writer.end()


# --- rows that come during the deletion

def test_a_row_that_comes_after_its_table_was_emptied_is_audited(doomed):
    doomed.member(doomed.user(), project=doomed.project_id)
    once(doomed, "members", f"INSERT INTO plans (project_id) VALUES ({doomed.project_id})")
    run = destroy(doomed)
    assert run["state"] == "finished" and run["attempts"] == 0
    assert audited(doomed, "plans") == [1] and doomed.ids("plans") == []


def test_a_row_that_comes_below_a_group_is_audited(doomed):
    doomed.member(doomed.user(), doomed.top)
    once(doomed, "members", f"INSERT INTO group_notes (group_id) VALUES ({doomed.top})")
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "group_notes") == [1]


def test_a_row_that_comes_below_one_further_away_is_audited(doomed):
    plan = doomed.put("plans", project_id=doomed.project_id)
    first = doomed.put("plan_tags", plan_id=plan)
    once(doomed, "plan_tags", f"INSERT INTO plan_tags (plan_id) VALUES ({plan})")
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "plan_tags") == [first, first + 1] and audited(doomed, "plans") == [plan]


@pytest.mark.parametrize("statement, table", [
    ("INSERT INTO plans (project_id) VALUES ({project_id})", "plans"),
    ("INSERT INTO group_notes (group_id) VALUES ({sub})", "group_notes"),
    ("INSERT INTO plan_tags (plan_id) SELECT id FROM plans", "plan_tags"),
])
def test_what_the_application_is_just_writing_is_waited_for_and_audited(doomed, statement, table):
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


@pytest.mark.parametrize("table, rule, action", [("line_notes", "CASCADE", "deleted"), ("line_notes", "SET NULL", "updated"),
                                                 ("plan_notes", "CASCADE", "deleted"), ("plan_notes", "SET NULL", "updated")])
def test_what_is_just_being_written_below_rows_of_rows_is_waited_for_and_recorded(doomed, table, rule, action):
    """A row below a plan of the project, or a line of another project that only the plan's key would take along."""
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


@pytest.mark.parametrize("table, row", [
    ("members", "source_id = {project_id}, source_type = 'Project', type = 'ProjectMember', access_level = 30"),
    ("members", "source_id = {top}, source_type = 'Namespace', type = 'GroupMember', access_level = 30"),
    ("ci_job_artifacts", "project_id = {project_id}, job_id = 1, file = 'a.zip'"),
    ("notification_settings", "source_id = {project_id}, source_type = 'Project', user_id = 10{n}"),
    ("notification_settings", "source_id = {sub}, source_type = 'Namespace', user_id = 10{n}"),
    ("redirect_routes", "source_id = {project_id}, source_type = 'Project', path = 'p{n}'"),
    ("redirect_routes", "source_id = {sub}, source_type = 'Namespace', path = 'p{n}'"),
])
def test_what_is_just_being_written_below_rows_with_rules_of_their_own_is_audited(doomed, table, row):
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


@pytest.mark.parametrize("rule", ["SET NULL", "SET DEFAULT"])
@pytest.mark.parametrize("table, row", [
    ("members", "source_id = {project_id}, source_type = 'Project', type = 'ProjectMember', access_level = 30"),
    ("ci_job_artifacts", "project_id = {project_id}, job_id = 1, file = 'a.zip'"),
    ("notification_settings", "source_id = {sub}, source_type = 'Namespace', user_id = 100"),
    ("redirect_routes", "source_id = {project_id}, source_type = 'Project', path = 'old'"),
])
def test_what_a_key_changes_below_rows_with_rules_of_their_own_is_recorded_though_it_is_just_being_written(doomed, table, row, rule):
    doomed.database.connection.execute(f"""
        CREATE TABLE hints (id bigserial PRIMARY KEY, parent_id bigint DEFAULT NULL REFERENCES {table} ON DELETE {rule});
        GRANT SELECT, UPDATE ON hints TO PUBLIC""")
    columns, values = zip(*(part.split(" = ") for part in row.format(**vars(doomed)).split(", ")))
    parent = doomed.database.value(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)}) RETURNING id")
    run, waited = beside(doomed, f"INSERT INTO hints (parent_id) VALUES ({parent})")
    assert waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, "hints", "updated") == [1] and doomed.row("hints", 1)["parent_id"] is None


@pytest.mark.parametrize("rule, action", [("CASCADE", "deleted"), ("SET NULL", "updated")])
@pytest.mark.parametrize("table, key, place", [
    ("routes", "id", "source_type = 'Project' AND source_id = {project_id}"), ("routes", "id", "source_type = 'Namespace' AND source_id = {sub}"),
    ("routes", "id", "path = 'stray'"), ("namespace_details", "namespace_id", "namespace_id = {sub}"),
    ("group_deletion_schedules", "group_id", "group_id = {sub}")])
def test_what_is_just_being_written_below_rows_that_go_with_a_group_is_recorded(doomed, table, key, place, rule, action):
    doomed.mark(doomed.sub, doomed.actor, 1)
    doomed.put("routes", source_type="Project", source_id=99999, path="stray", namespace_id=doomed.sub)
    doomed.database.connection.execute(f"""
        CREATE TABLE details (id bigserial PRIMARY KEY, parent_id bigint REFERENCES {table} ON DELETE {rule});
        GRANT SELECT, UPDATE, DELETE ON details TO PUBLIC""")
    run, waited = beside(doomed, f"INSERT INTO details (parent_id) SELECT {key} FROM {table} WHERE {place.format(**vars(doomed))}")
    assert waited and (run["state"], run["attempts"]) == ("finished", 0)
    assert audited(doomed, "details", action) == [1]
    assert doomed.database.column("SELECT parent_id FROM details") == ([] if rule == "CASCADE" else [None])


def test_a_row_whose_reference_a_trigger_keeps_is_named(doomed):
    doomed.database.connection.execute("""
        CREATE TABLE hints (id bigserial PRIMARY KEY, parent_id bigint REFERENCES members ON DELETE SET NULL);
        GRANT SELECT, UPDATE ON hints TO PUBLIC;
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep BEFORE UPDATE ON hints FOR EACH ROW EXECUTE FUNCTION keep()""")
    member = doomed.member(doomed.user(), project=doomed.project_id)
    doomed.put("hints", parent_id=member)
    run = destroy(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "keeps rows of hints" in run["error"] and member in doomed.ids("members")


def test_a_row_that_a_trigger_keeps_is_named_and_the_group_stays(doomed):
    doomed.put("plans", project_id=doomed.project_id)
    doomed.database.connection.execute("""
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep BEFORE DELETE ON plans FOR EACH ROW EXECUTE FUNCTION keep()""")
    run = destroy(doomed)
    assert run["state"] == "waiting" and run["attempts"] == 1 and "keeps rows of plans" in run["error"]
    assert doomed.project_id in doomed.ids("projects")


# --- longer ways of foreign keys

def test_a_row_that_is_tied_to_the_group_by_a_longer_way_only_is_audited(doomed):
    plan = doomed.put("plans", project_id=doomed.project_id)
    near = doomed.put("plan_lines", plan_id=plan, project_id=doomed.project_id)
    far = doomed.put("plan_lines", plan_id=plan, project_id=doomed.other_project)
    stays = doomed.put("plan_lines", project_id=doomed.other_project)
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "plan_lines") == [near, far] and doomed.ids("plan_lines") == [stays]


def test_a_key_of_several_columns_is_followed(doomed):
    doomed.database.execute("INSERT INTO builds VALUES (1, 7, %s), (2, 7, %s)", [doomed.project_id, doomed.other_project])
    goes, stays = (doomed.put("build_logs", partition_id=n, build_id=7) for n in (1, 2))
    emptied, kept = (doomed.put("build_hints", partition_id=n, build_id=7) for n in (1, 2))
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "build_logs") == [goes] and doomed.ids("build_logs") == [stays]
    assert audited(doomed, "build_hints", "updated") == [emptied]
    assert doomed.ids("build_hints", "partition_id IS NULL AND build_id IS NULL") == [emptied]
    assert doomed.row("build_hints", kept)["partition_id"] == 2


@pytest.mark.parametrize("table", ["odd_names", "odd_hints", "odd_lines"])
def test_the_whole_row_is_recorded_whatever_its_columns_are_called(doomed, table):
    row = {"t": "a", "x": "b", "d": "c", "project_id": doomed.project_id}
    doomed.database.execute(f"INSERT INTO {table} (t, x, d, project_id) VALUES ('a', 'b', 'c', %s)", [doomed.project_id])
    assert destroy(doomed, **{"audit.rows": "full"})["state"] == "finished"
    (recorded,) = doomed.database.column("SELECT jsonb_array_elements(rows) FROM pruned.deletions WHERE table_name = %s", [table])
    assert {name: recorded[name] for name in row} == row


def test_of_a_table_of_partitions_without_a_key_only_the_projects_rows_go(doomed):
    """The rows have the same ctid, each in its own partition."""
    for project, day in ((doomed.project_id, "2025-12-31"), (doomed.other_project, "2026-01-01")):
        doomed.database.execute("INSERT INTO visits VALUES (%s, %s)", [project, day])
    assert len(set(doomed.database.column("SELECT ctid FROM visits"))) == 1
    assert destroy(doomed)["state"] == "finished"
    assert doomed.database.column("SELECT project_id FROM visits") == [doomed.other_project]
    assert doomed.database.column("SELECT jsonb_array_elements(keys) ->> 'day' FROM pruned.deletions WHERE table_name = 'visits'") == ["2025-12-31"]


def test_rows_below_rows_of_the_same_table_are_audited_in_small_steps(doomed):
    parent, tasks = None, []
    for project in [doomed.project_id] * 4 + [doomed.other_project] * 3:
        parent = doomed.put("tasks", project_id=project, parent_id=parent)
        tasks.append(parent)
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 2})["state"] == "finished"
    assert audited(doomed, "tasks") == tasks
    assert doomed.database.value("SELECT max(jsonb_array_length(keys)) FROM pruned.deletions") <= 2


def test_an_artifact_that_a_key_would_take_along_is_refused_by_name(doomed):
    """Its file would not be recorded."""
    doomed.database.connection.execute("ALTER TABLE ci_job_artifacts ADD plan_id bigint REFERENCES plans ON DELETE CASCADE")
    plan = doomed.put("plans", project_id=doomed.project_id)
    doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=1, file="own.zip", plan_id=plan)
    other = doomed.put("ci_job_artifacts", project_id=doomed.other_project, job_id=2, file="other.zip", plan_id=plan)
    run = destroy(doomed)
    assert run["state"] == "waiting" and run["attempts"] == 1 and "ci_job_artifacts" in run["error"]
    assert doomed.row("namespace_details", doomed.top, "namespace_id")["deleted_at"] is None
    assert doomed.ids("plans") == [plan] and doomed.row("ci_job_artifacts", other) is not None
    doomed.database.execute("UPDATE ci_job_artifacts SET plan_id = NULL WHERE id = %s", [other])
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work()
    assert doomed.ids("ci_job_artifacts") == [other] and doomed.ids("plans") == []
    assert doomed.database.column("SELECT file FROM ci_deleted_objects") == ["own.zip"]


# --- rows that moved elsewhere meanwhile

def test_a_subgroup_that_moves_elsewhere_meanwhile_stays(doomed):
    moving = doomed.group(parent=doomed.top)
    project = doomed.project(moving)
    for job in range(3):
        doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=job, file="a.zip")
    once(doomed, "ci_job_artifacts", f"""UPDATE namespaces SET parent_id = CASE WHEN id = {moving} THEN {doomed.neighbour} ELSE parent_id END,
        traversal_ids = {doomed.neighbour}::bigint || traversal_ids[2:] WHERE traversal_ids @> ARRAY[{moving}::bigint]""")
    run = destroy(doomed, **{f"jobs.{CHILD}.batch": 1})
    assert run["state"] == "finished" and result(run)["groups"] == 2 and result(run)["projects"] == 1
    assert moving in doomed.ids("namespaces") and sorted(doomed.ids("projects")) == sorted([doomed.other_project, project])


def test_a_group_that_is_just_being_moved_elsewhere_takes_its_projects_along(doomed):
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
def test_a_row_that_is_just_being_moved_elsewhere_stays(doomed, table, row, move):
    """The statement that deletes the row waits for the application, and then checks the row again."""
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


# --- keys that change rows, and distant rows

def test_a_row_that_a_key_would_set_to_its_default_is_recorded(doomed):
    doomed.database.connection.execute(f"""
        CREATE TABLE defaults (id bigserial PRIMARY KEY,
                               project_id bigint DEFAULT {doomed.other_project} REFERENCES projects ON DELETE SET DEFAULT);
        GRANT SELECT, UPDATE ON defaults TO PUBLIC""")
    row = doomed.put("defaults", project_id=doomed.project_id)
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "defaults", "updated") == [row]
    assert doomed.row("defaults", row)["project_id"] == doomed.other_project


def test_a_row_that_a_key_would_empty_by_a_longer_way_is_recorded(doomed):
    doomed.database.connection.execute("""
        CREATE TABLE line_hints (id bigserial PRIMARY KEY, line_id bigint REFERENCES plan_lines ON DELETE SET NULL);
        GRANT SELECT, UPDATE ON line_hints TO PUBLIC""")
    plan = doomed.put("plans", project_id=doomed.project_id)
    far = doomed.put("plan_lines", plan_id=plan, project_id=doomed.other_project)
    hints = [doomed.put("line_hints", line_id=far) for _ in range(3)]
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 2})["state"] == "finished"
    assert audited(doomed, "plan_lines") == [far] and audited(doomed, "line_hints", "updated") == hints
    assert doomed.ids("line_hints", "line_id IS NULL") == hints


def chain(tenant, n, of=lambda i: None):
    """N tasks, each below the one before; the first is the project's, the others are OF."""
    tasks = [tenant.put("tasks", project_id=tenant.project_id)]
    for i in range(1, n):
        tasks.append(tenant.put("tasks", parent_id=tasks[-1], project_id=of(i)))
    return tasks


def test_a_long_chain_in_steps_that_are_shorter_is_audited(doomed):
    tasks = chain(doomed, 40, of=lambda i: doomed.project_id)
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 5})["state"] == "finished" and audited(doomed, "tasks") == tasks


def test_a_row_that_refers_to_itself_is_audited(doomed):
    (task,) = chain(doomed, 1)
    doomed.database.execute("UPDATE tasks SET parent_id = id")
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "tasks") == [task]


def test_rows_below_rows_twelve_deep_are_audited(doomed):
    near = chain(doomed, 12)
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "tasks") == near


@pytest.mark.parametrize("circle", [False, True])
def test_rows_too_deep_or_in_a_circle_are_refused_and_nothing_goes_unseen(doomed, circle):
    tasks = chain(doomed, 2 if circle else 20)
    if circle:
        doomed.database.execute("UPDATE tasks SET parent_id = %s WHERE id = %s", [tasks[1], tasks[0]])
    run = destroy(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "tasks" in run["error"]
    assert audited(doomed, "tasks") == [] and doomed.ids("tasks") == tasks
    doomed.database.execute("UPDATE tasks SET parent_id = NULL WHERE id = %s", [tasks[-1] if circle else tasks[10]])
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work()
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished"
    gone = set(tasks) - set(doomed.ids("tasks"))
    assert set(audited(doomed, "tasks")) == gone
