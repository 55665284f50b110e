"""No row goes with a group by a foreign key without a record: however it is tied to the group, and
however far away it is."""

import pytest

from support.cascades import doomed  # noqa: F401
from support.doomed import CHILD, audited, destroy
from support.instance import tenant  # noqa: F401


# --- longer ways of foreign keys

def test_a_row_that_is_tied_to_the_group_by_a_longer_way_only_is_audited(doomed):  # noqa: F811
    plan = doomed.put("plans", project_id=doomed.project_id)
    near = doomed.put("plan_lines", plan_id=plan, project_id=doomed.project_id)
    far = doomed.put("plan_lines", plan_id=plan, project_id=doomed.other_project)
    stays = doomed.put("plan_lines", project_id=doomed.other_project)
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "plan_lines") == [near, far] and doomed.ids("plan_lines") == [stays]


@pytest.mark.check_all
def test_a_key_of_several_columns_is_followed(doomed):  # noqa: F811
    doomed.database.execute("INSERT INTO builds VALUES (1, 7, %s), (2, 7, %s)", [doomed.project_id, doomed.other_project])
    goes, stays = (doomed.put("build_logs", partition_id=n, build_id=7) for n in (1, 2))
    emptied, kept = (doomed.put("build_hints", partition_id=n, build_id=7) for n in (1, 2))
    assert destroy(doomed)["state"] == "finished"
    assert audited(doomed, "build_logs") == [goes] and doomed.ids("build_logs") == [stays]
    assert audited(doomed, "build_hints", "updated") == [emptied]
    assert doomed.ids("build_hints", "partition_id IS NULL AND build_id IS NULL") == [emptied]
    assert doomed.row("build_hints", kept)["partition_id"] == 2


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["odd_names", "odd_hints", "odd_lines"])
def test_the_whole_row_is_recorded_whatever_its_columns_are_called(doomed, table):  # noqa: F811
    row = {"t": "a", "x": "b", "d": "c", "project_id": doomed.project_id}
    doomed.database.execute(f"INSERT INTO {table} (t, x, d, project_id) VALUES ('a', 'b', 'c', %s)", [doomed.project_id])
    assert destroy(doomed, **{"audit.rows": "full"})["state"] == "finished"
    (recorded,) = doomed.database.column("SELECT jsonb_array_elements(rows) FROM pruned.deletions WHERE table_name = %s", [table])
    assert {name: recorded[name] for name in row} == row


def test_of_a_table_of_partitions_without_a_key_only_the_projects_rows_go(doomed):  # noqa: F811
    """The rows have the same ctid, each in its own partition."""
    for project, day in ((doomed.project_id, "2025-12-31"), (doomed.other_project, "2026-01-01")):
        doomed.database.execute("INSERT INTO visits VALUES (%s, %s)", [project, day])
    assert len(set(doomed.database.column("SELECT ctid FROM visits"))) == 1
    assert destroy(doomed)["state"] == "finished"
    assert doomed.database.column("SELECT project_id FROM visits") == [doomed.other_project]
    assert doomed.database.column("SELECT jsonb_array_elements(keys) ->> 'day' FROM pruned.deletions WHERE table_name = 'visits'") == ["2025-12-31"]


def test_rows_below_rows_of_the_same_table_are_audited_in_small_steps(doomed):  # noqa: F811
    parent, tasks = None, []
    for project in [doomed.project_id] * 4 + [doomed.other_project] * 3:
        parent = doomed.put("tasks", project_id=project, parent_id=parent)
        tasks.append(parent)
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 2})["state"] == "finished"
    assert audited(doomed, "tasks") == tasks
    assert doomed.database.value("SELECT max(jsonb_array_length(keys)) FROM pruned.deletions") <= 2


def test_an_artifact_that_a_key_would_take_along_is_refused_by_name(doomed):  # noqa: F811
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


# --- rows that a trigger keeps

def test_a_row_whose_reference_a_trigger_keeps_is_named(doomed):  # noqa: F811
    doomed.database.connection.execute("""
        CREATE TABLE hints (id bigserial PRIMARY KEY, parent_id bigint REFERENCES members ON DELETE SET NULL);
        GRANT SELECT, UPDATE ON hints TO PUBLIC;
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep BEFORE UPDATE ON hints FOR EACH ROW EXECUTE FUNCTION keep()""")
    member = doomed.member(doomed.user(), project=doomed.project_id)
    doomed.put("hints", parent_id=member)
    run = destroy(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "keeps rows of hints" in run["error"] and member in doomed.ids("members")


def test_a_row_that_a_trigger_keeps_is_named_and_the_group_stays(doomed):  # noqa: F811
    doomed.put("plans", project_id=doomed.project_id)
    doomed.database.connection.execute("""
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep BEFORE DELETE ON plans FOR EACH ROW EXECUTE FUNCTION keep()""")
    run = destroy(doomed)
    assert run["state"] == "waiting" and run["attempts"] == 1 and "keeps rows of plans" in run["error"]
    assert doomed.project_id in doomed.ids("projects")


# --- keys that change rows, and distant rows

def test_a_row_that_a_key_would_set_to_its_default_is_recorded(doomed):  # noqa: F811
    doomed.database.connection.execute(f"""
        CREATE TABLE defaults (id bigserial PRIMARY KEY,
                               project_id bigint DEFAULT {doomed.other_project} REFERENCES projects ON DELETE SET DEFAULT);
        GRANT SELECT, UPDATE ON defaults TO PUBLIC""")
    row = doomed.put("defaults", project_id=doomed.project_id)
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "defaults", "updated") == [row]
    assert doomed.row("defaults", row)["project_id"] == doomed.other_project


def test_a_row_that_a_key_would_empty_by_a_longer_way_is_recorded(doomed):  # noqa: F811
    doomed.database.connection.execute("""
        CREATE TABLE line_hints (id bigserial PRIMARY KEY, line_id bigint REFERENCES plan_lines ON DELETE SET NULL);
        GRANT SELECT, UPDATE ON line_hints TO PUBLIC""")
    plan = doomed.put("plans", project_id=doomed.project_id)
    far = doomed.put("plan_lines", plan_id=plan, project_id=doomed.other_project)
    hints = [doomed.put("line_hints", line_id=far) for _ in range(3)]
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 2})["state"] == "finished"
    assert audited(doomed, "plan_lines") == [far] and audited(doomed, "line_hints", "updated") == hints
    assert doomed.ids("line_hints", "line_id IS NULL") == hints


def chain(tenant, n, of=lambda i: None):  # noqa: F811
    """N tasks, each below the one before; the first is the project's, the others are OF."""
    tasks = [tenant.put("tasks", project_id=tenant.project_id)]
    for i in range(1, n):
        tasks.append(tenant.put("tasks", parent_id=tasks[-1], project_id=of(i)))
    return tasks


@pytest.mark.check_all
def test_a_long_chain_in_steps_that_are_shorter_is_audited(doomed):  # noqa: F811
    tasks = chain(doomed, 40, of=lambda i: doomed.project_id)
    assert destroy(doomed, **{f"jobs.{CHILD}.batch": 5})["state"] == "finished" and audited(doomed, "tasks") == tasks


def test_a_row_that_refers_to_itself_is_audited(doomed):  # noqa: F811
    (task,) = chain(doomed, 1)
    doomed.database.execute("UPDATE tasks SET parent_id = id")
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "tasks") == [task]


def test_rows_below_rows_twelve_deep_are_audited(doomed):  # noqa: F811
    near = chain(doomed, 12)
    assert destroy(doomed)["state"] == "finished" and audited(doomed, "tasks") == near


@pytest.mark.check_all
@pytest.mark.parametrize("circle", [False, True])
def test_rows_too_deep_or_in_a_circle_are_refused_and_nothing_goes_unseen(doomed, circle):  # noqa: F811
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


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["members", "plans"])
def test_rows_that_stay_for_some_steps_are_not_kept(doomed, table):  # noqa: F811
    """As if the application was just writing the row when each of three steps came to it: a row is
    left to the next step then. Nothing is charged, and no mark is taken back."""
    if table == "plans":
        doomed.put("plans", project_id=doomed.project_id)
    else:
        doomed.member(doomed.user(), doomed.top)
    doomed.database.connection.execute(f"""
        CREATE TABLE met (step xid8 PRIMARY KEY);
        CREATE FUNCTION meet() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO public.met VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
          IF (SELECT count(*) FROM public.met) <= 3 THEN RETURN NULL; END IF; RETURN OLD; END $$;
        CREATE TRIGGER meet BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION meet()""")
    run = destroy(doomed)
    assert (run["state"], run["attempts"], run["result"]["groups"]) == ("finished", 0, 2), run
    marks = doomed.database.rows("SELECT action FROM pruned.deletions WHERE table_name = 'namespace_details' AND action = 'updated'")
    assert len(marks) == 1
