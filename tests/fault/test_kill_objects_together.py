"""Objects of several slots that are leased and settled together: a process that is killed there, a
row that stays, a key that is refused."""

import re

import pytest

from support.s3 import BUCKET, TICK, Objects, Proxy
from support.slow import slow_table

SLOT, N = "ci.delete_objects", 240
# one worker for objects: the others' messages wait meanwhile
TOGETHER = {"run.workers": 2, "jobs.ci.delete_objects.batch": 5}
ONCE = ("errands.after_lease", "errands.before_commit", "errands.after_commit")
OFTEN = ("errand.before_lease", "errand.after_lease", "errand.before_settle", "step.before_commit", "step.after_commit")


@pytest.fixture
def objects(pruned_with_slots, database, gateway, request):
    made = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))
    made.settings |= TOGETHER
    return made


def fill(objects, number=N):
    client = objects.gateway.client()
    for i in range(number):
        client.put_object(Bucket=BUCKET, Key=f"{objects.prefix}/d/f{i}", Body=b"x")
    objects.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
                             " SELECT 2, 'd', 'f' || i, now() - interval '1 hour' FROM generate_series(0, %s - 1) i", [number])


def lease_slowly(objects):
    """So the messages of the other slots arrive while the only worker of objects leases for one."""
    slow_table(objects.database, "ci_deleted_objects", 0.02, when="UPDATE")


def audited(objects):
    return objects.database.value("SELECT coalesce(sum(jsonb_array_length(keys)), 0) FROM pruned.deletions WHERE table_name = 'ci_deleted_objects'")


def runs(objects):
    return objects.database.rows("SELECT * FROM pruned.runs WHERE job = %s ORDER BY slot", [SLOT])


def check(objects):
    """Each object and each row went once, and each run reports its own."""
    assert objects.keys() == [] and objects.left() == []
    assert audited(objects) == N
    ended = runs(objects)
    assert {(run["state"], run["attempts"]) for run in ended} == {("finished", 0)} and len(ended) == 3
    assert sum(run["result"]["updated_rows"] for run in ended) == N
    own = objects.database.rows("SELECT run_id, sum(jsonb_array_length(keys)) AS n FROM pruned.deletions"
                                " WHERE table_name = 'ci_deleted_objects' GROUP BY run_id")
    assert {row["run_id"]: row["n"] for row in own} == {r["run_id"]: r["result"]["updated_rows"] for r in ended if r["result"]["updated_rows"]}
    assert objects.database.value("SELECT count(*) FROM pruned.quarantine") == 0


@pytest.mark.check_first(3)
@pytest.mark.parametrize("point, passage", [*((p, 1) for p in ONCE), *((p, n) for p in OFTEN for n in (1, 3))])
def test_killed_there_each_object_and_each_row_goes_once(objects, point, passage):
    objects.pruned.with_faults()
    fill(objects)
    if point in ONCE:
        lease_slowly(objects)
    objects.pruned.run("tick", TICK).ok()
    killed = objects.pruned.start("--until-idle", settings=objects.settings, environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    assert audited(objects) == N - len(objects.left())
    # the dead process's leases end
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
    objects.pruned.run("tick", TICK).ok()
    objects.pruned.run_until_idle(settings=objects.settings, deadline_s=90)
    objects.pruned.run("tick", TICK).ok()  # for slots that had ended before
    objects.pruned.run_until_idle(settings=objects.settings, deadline_s=90)
    assert objects.keys() == [] and objects.left() == []
    assert audited(objects) == N == sum(run["result"]["updated_rows"] for run in runs(objects))
    assert {(run["state"], run["attempts"]) for run in runs(objects)} == {("finished", 0)}


@pytest.mark.check_all
def test_one_request_names_the_objects_of_several_slots(objects):
    fill(objects)
    lease_slowly(objects)
    proxy = Proxy(objects.gateway.endpoint)
    sizes = []

    def count(command, body, go):
        sizes.append(body.count(b"<Key>"))
        return *go(), None

    proxy.misbehave = count
    try:
        objects.delete(**{"store.object.endpoint": proxy.url})
    finally:
        proxy.close()
    check(objects)
    assert sum(sizes) == N and max(sizes) > 5


@pytest.mark.check_all
def test_a_row_that_stays_is_charged_alone(objects):
    fill(objects)
    kept = objects.database.value("SELECT max(id) FROM ci_deleted_objects")
    objects.database.execute("CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF old.id = %s THEN RETURN NULL; END IF;"
                             " RETURN old; END'" % kept)
    objects.database.execute("CREATE TRIGGER stays BEFORE DELETE ON ci_deleted_objects FOR EACH ROW EXECUTE FUNCTION stays()")
    objects.delete()
    assert objects.left() == [kept] and audited(objects) == N - 1
    assert objects.database.column("SELECT item FROM pruned.quarantine") == [f"ci_deleted_objects:{kept}"]


@pytest.mark.check_all
def test_a_request_that_is_refused_is_taken_apart_by_slots_first(objects):
    """Then only the slot with the key at fault is slow."""
    fill(objects)
    proxy = Proxy(objects.gateway.endpoint)
    refused = (400, b"<Error><Code>InvalidArgument</Code><Message>no</Message></Error>", None)
    proxy.misbehave = lambda command, body, go: refused if command == "POST" and b"/f7<" in body else (*go(), None)
    try:
        objects.delete(**{"store.object.endpoint": proxy.url})
    finally:
        proxy.close()
    check(objects)
    assert [command for command, _ in proxy.requests].count("DELETE") == 5


def test_slots_that_lease_together_never_exceed_the_rows_of_a_day(objects, pruned_with_slots):
    """Two processes, three slots: in the end runs are held, and no more is gone than the limit
    allows."""
    most = 133
    objects.settings |= {f"jobs.{SLOT}.max_rows_per_day": most}
    fill(objects)
    pruned_with_slots.topics.tick(TICK)
    for _ in range(2):
        pruned_with_slots.start(settings=objects.settings)
    ended = "SELECT count(*) FROM pruned.runs WHERE job = %s AND state IN ('held', 'finished')"
    objects.database.wait(ended, [SLOT], until=3, deadline_s=60)
    gone = N - len(objects.keys())
    assert 0 < gone <= most and len(objects.left()) == N - gone and audited(objects) == gone
    assert objects.database.value("SELECT sum(rows_done) FROM pruned.runs WHERE job = %s", [SLOT]) == gone
    assert "held" in {run["state"] for run in runs(objects)}
