"""A group that lies below itself, and one with rows that the role may not read: nothing of it goes,
and the reason names what is wrong."""

import pytest

from support.doomed import CHILD, destroy, doom
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.restored import QUIET
from support.scene import result


@pytest.fixture
def doomed(tenant):  # noqa: F811
    return doom(tenant)


def untouched(tenant):  # noqa: F811
    return {table: tenant.ids(table) for table in ("projects", "namespaces", "members", "routes")}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("parent", ["itself", "below"])
def test_a_group_in_a_circle_is_refused_by_name(doomed, parent):
    doomed.pruned.run("pause", CHILD).ok()
    destroy(doomed, **QUIET)
    doomed.database.execute("UPDATE namespaces SET parent_id = %s WHERE id = %s", [doomed.top if parent == "itself" else doomed.sub, doomed.top])
    before = untouched(doomed)
    doomed.pruned.run("resume", CHILD).ok()
    doomed.work(QUIET)
    (run,) = doomed.runs(CHILD)
    assert (run["state"], result(run)["failed"]) == ("finished", 1) and f"{{{doomed.top}}}" in result(run)["reason"], run
    assert untouched(doomed) == before


def test_a_table_that_the_role_may_not_read_is_named_before_anything_goes(doomed):
    doomed.database.connection.execute("CREATE TABLE theirs (project_id bigint REFERENCES projects ON DELETE CASCADE)")
    doomed.database.execute("INSERT INTO theirs VALUES (%s)", [doomed.project_id])
    before = untouched(doomed)
    run = destroy(doomed, **QUIET)
    assert run["step"] == 0 and "theirs has" in run["error"] and "grant SELECT, UPDATE and DELETE" in run["error"], run
    assert untouched(doomed) == before and doomed.database.value("SELECT count(*) FROM theirs") == 1
    doomed.database.connection.execute(f"GRANT SELECT, UPDATE, DELETE ON theirs TO {ROLE}")
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work(QUIET)
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished" and doomed.ids("projects") == [doomed.other_project]
