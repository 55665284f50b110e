"""The deletion of a group never goes round without removing anything: what forbids it is refused by
name, and what comes meanwhile goes, too."""

import time

import pytest

from support.doomed import CHILD, JOB, destroy, doom, keep
from support.instance import tenant  # noqa: F401
from support.scene import now
from support.writer import Writer


@pytest.fixture
def doomed(tenant):  # noqa: F811
    return doom(tenant)


def started(tenant):
    """Lets the deletion begin, and returns its run when it has failed or ended; a run that goes
    round does neither."""
    tenant.mark(tenant.top, tenant.actor, 30)
    tenant.pruned.start().wait_line("Partitions assigned")
    tenant.pruned.topics.tick(JOB, now(seconds=-1))
    end = time.monotonic() + 20
    while time.monotonic() < end:
        runs = tenant.runs(CHILD)
        if runs and (runs[0]["state"] in ("finished", "dead") or runs[0]["attempts"] > 0):
            return runs[0]
        assert not runs or runs[0]["step"] < 40, "it goes round"
        time.sleep(0.1)
    raise AssertionError(f"it has not ended: {tenant.runs(CHILD)}")


# --- namespaces below the group that nothing of it removes

@pytest.mark.check_first(1)
@pytest.mark.parametrize("kind, below", [("User", "sub"), ("group", "top"), ("Organization", "sub"), ("User", "own")])
def test_a_namespace_of_another_type_below_the_group_is_refused_before_anything_goes(doomed, kind, below):
    own = doomed.row("projects", doomed.project_id)["project_namespace_id"]
    foreign = doomed.namespace(kind, own if below == "own" else getattr(doomed, below))
    run = started(doomed)
    assert (run["state"], run["attempts"], run["step"]) == ("waiting", 1, 0)
    assert f"namespaces {foreign} lies below the group" in run["error"] and "forbids the deletion" in run["error"]
    assert doomed.row("projects", doomed.project_id) is not None


def test_a_project_below_another_one_is_refused_before_anything_goes(doomed):
    inner = doomed.project(doomed.row("projects", doomed.project_id)["project_namespace_id"])
    run = destroy(doomed)
    assert (run["state"], run["step"]) == ("waiting", 0)
    assert f"namespaces {doomed.row('projects', inner)['project_namespace_id']} lies below the group" in run["error"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("row", ["'User', {sub}, ARRAY[{top}, {sub}, 4444]", "'Group', {sub}, ARRAY[4444]", "'Group', {sub}, ARRAY[{top}, 4444]"])
def test_a_namespace_that_comes_meanwhile_where_nothing_removes_it_is_refused(doomed, row):
    """After the first look: of another type, or with traversal_ids that contradict its parent."""
    doomed.database.connection.execute(f"""
        CREATE FUNCTION come() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO public.namespaces (id, name, path, type, parent_id, traversal_ids)
          SELECT 4444, 'late', 'late', t.* FROM (SELECT {row.format(**vars(doomed))}::bigint[]) AS t ON CONFLICT DO NOTHING; RETURN NULL; END $$;
        CREATE TRIGGER come AFTER DELETE ON projects FOR EACH STATEMENT EXECUTE FUNCTION come()""")
    run = started(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "namespaces 4444 lies below the group" in run["error"]


# --- namespaces that a trigger keeps

@pytest.mark.check_first(1)
@pytest.mark.parametrize("when, kept", [("OLD.type = 'Project'", "namespaces {{{own}}}"), ("OLD.id = {sub}", "groups {{{sub}}}"),
                                        ("OLD.id = {top}", "groups {{{top}}}")])
def test_a_namespace_that_a_trigger_keeps_is_named_and_the_step_undone(doomed, when, kept):
    doomed.own = doomed.row("projects", doomed.project_id)["project_namespace_id"]
    keep(doomed, "namespaces", "DELETE", when.format(**vars(doomed)))
    run = started(doomed)
    assert (run["state"], run["attempts"]) == ("waiting", 1)
    assert run["error"].endswith("a trigger or a rule keeps 1 of the " + kept.format(**vars(doomed)))
    assert (doomed.row("projects", doomed.project_id) is None) == ("OLD.id" in when), "the step is undone"


# --- groups that come while the step waits for its lock

@pytest.mark.check_all
@pytest.mark.parametrize("type", ["Group", "Project"])
@pytest.mark.parametrize("parent", ["top", "sub"])
def test_a_namespace_that_comes_below_a_group_that_is_just_going_goes_too_and_uncharged(doomed, parent, type):
    line = f"{doomed.top}, 4444" if parent == "top" else f"{doomed.top}, {doomed.sub}, 4444"
    insert = f"""INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids)
                 VALUES (4444, 'late', 'late', '{type}', {getattr(doomed, parent)}, ARRAY[{line}])"""
    if type == "Project":
        insert = f"WITH place AS ({insert}) INSERT INTO projects (namespace_id, project_namespace_id) VALUES ({getattr(doomed, parent)}, 4444)"
    doomed.database.connection.execute(f"DELETE FROM projects WHERE id = {doomed.project_id}")
    writer = Writer(doomed.database, insert).write()
    writer.start()
    try:
        run = destroy(doomed)
    finally:
        writer.end()
    assert writer.waited and (run["state"], run["attempts"]) == ("finished", 0), run["error"]
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour] and doomed.ids("projects") == [doomed.other_project]
    assert doomed.lines("Rescheduling group deletion") == []
