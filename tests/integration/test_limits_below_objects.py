"""Rows that foreign keys and triggers take or change with the row of an object count for the limits
before the object goes: no row beyond a limit goes, nor an object whose row may not go."""

import pytest

from support.buckets import uploads  # noqa: F401
from support.objects import SLOT, ListedObjects
from support.s3 import objects_behind, proxy  # noqa: F401
from support.sentences import house  # noqa: F401

BELOW = """CREATE TABLE tones (id bigserial PRIMARY KEY, of bigint REFERENCES {table} ON DELETE CASCADE);
    CREATE INDEX ON tones (of); GRANT ALL ON tones, tones_id_seq TO PUBLIC"""
# Of the rows of a day, as many go as are left.
LIMITS = [("max_rows", 2, 0), ("max_rows_per_day", 100, 0), pytest.param("max_rows", 100, 0, marks=pytest.mark.check_all),
          pytest.param("max_rows_per_day", 2, 8, marks=pytest.mark.check_all)]
WORDS = {"max_rows": "held: 16 rows are above max_rows 9", "max_rows_per_day": "held: 16 rows after 0 today are above max_rows_per_day 9"}


def hang(database, number, *of):
    database.execute("INSERT INTO tones (of) SELECT o FROM unnest(%s::bigint[]) o, generate_series(1, %s)", [list(of), number])


@pytest.fixture
def listed(pruned_with_slots, database, tmp_path):
    """Objects of a local store."""
    made = ListedObjects(pruned_with_slots, database, tmp_path / "store")
    made.root.mkdir()
    return made


@pytest.mark.built_in
@pytest.mark.parametrize("limit, batch, done", LIMITS)
def test_listed_objects_are_held_before_the_first_goes(listed, limit, batch, done):
    listed.add(4, store=1)
    listed.database.connection.execute(BELOW.format(table="ci_deleted_objects"))
    hang(listed.database, 3, *[row["id"] for row in listed.rows()])
    settings = {f"jobs.{SLOT}.{limit}": 9, f"jobs.{SLOT}.batch": batch}
    listed.delete(**settings)
    (run,) = listed.runs()
    assert (run["state"], run["error"], run["rows_done"] or 0) == ("held", WORDS[limit], done)
    assert len(listed.rows()) == len(list(listed.root.iterdir())) == 4 - done // 4
    listed.pruned.run("approve", run["run_id"]).ok()
    listed.again(**settings)
    (run,) = listed.runs()
    assert (run["state"], run["rows_done"], run["result"]["tables"], listed.rows()) == ("finished", 16, {"tones": {"deleted": 12}}, [])


@pytest.mark.parametrize("limit, batch", [("max_rows", 2), pytest.param("max_rows_per_day", 100, marks=pytest.mark.check_all)])
def test_rows_of_a_sentence_are_held_before_the_first_object_goes(uploads, limit, batch):  # noqa: F811
    uploads.make(approve="above", batch=batch, delay_ms=0, **{limit: 9})
    uploads.house.sql(BELOW.format(table="uploads"))
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 5)])
    uploads.put("k1", "k2", "k3", "k4")
    hang(uploads.database, 3, 1, 2, 3, 4)
    run = uploads.house.tick("files")[0]
    assert (run["state"], run["error"], run["rows_done"]) == ("held", WORDS[limit], None)
    assert len(uploads.left()) == len(uploads.keys()) == 4
    uploads.house.pruned.run("approve", str(run["run_id"])).ok()
    uploads.house.work()
    run = uploads.house.pruned.run_row(run["run_id"])
    assert (run["state"], run["rows_done"], uploads.left(), uploads.keys()) == ("finished", 16, [], [])


@pytest.mark.built_in
def test_what_a_trigger_changes_with_listed_objects_holds_them(listed):
    """It is seen when the rows are tried, before the store is asked."""
    listed.add(4, store=1)
    listed.database.connection.execute("""CREATE TABLE stock (id bigserial PRIMARY KEY, n int); INSERT INTO stock (n) SELECT 1 FROM generate_series(1, 5);
        CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN UPDATE public.stock SET n = n + 1; RETURN OLD; END';
        CREATE TRIGGER zero AFTER DELETE ON ci_deleted_objects FOR EACH ROW EXECUTE FUNCTION zero()""")
    listed.delete(**{f"jobs.{SLOT}.max_rows": 23})
    (run,) = listed.runs()
    assert (run["state"], run["error"], run["rows_done"]) == ("held", "held: 24 rows are above max_rows 23", None)
    assert (len(listed.rows()), len(list(listed.root.iterdir())), listed.database.value("SELECT max(n) FROM stock")) == (4, 4, 1)


@pytest.mark.built_in
@pytest.mark.parametrize("limit", ["max_rows", pytest.param("max_rows_per_day", marks=pytest.mark.check_all)])
def test_rows_that_come_below_a_listed_object_meanwhile_stay_with_it(objects_behind, proxy, limit):  # noqa: F811
    objects, left, settings = objects_behind, [True], {f"jobs.{SLOT}.{limit}": 9}
    ids = [objects.add("a", f"file {n}") for n in range(2)]
    objects.database.connection.execute(BELOW.format(table="ci_deleted_objects"))

    def misbehave(_command, _body, go):
        if left:
            left.pop()
            hang(objects.database, 10, *ids)
        return *go(), None

    proxy.misbehave = misbehave
    objects.delete(**settings)
    run = objects.run()
    assert (run["state"], run["rows_done"], objects.left(), objects.database.value("SELECT count(*) FROM tones")) == ("held", None, ids, 20)
    # its lease has ended
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
    objects.pruned.run("approve", str(run["run_id"])).ok()
    objects.again(**settings)
    run = objects.run()
    assert (run["state"], run["rows_done"], objects.left(), objects.database.value("SELECT count(*) FROM tones")) == ("finished", 22, [], 0)


@pytest.mark.parametrize("limit", ["max_rows", pytest.param("max_rows_per_day", marks=pytest.mark.check_all)])
def test_rows_that_come_below_a_row_of_a_sentence_meanwhile_stay_with_it(uploads, limit):  # noqa: F811
    uploads.make(approve="above", delay_ms=0, **{limit: 9})
    uploads.house.sql(BELOW.format(table="uploads"))
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 3)])
    uploads.put("k1", "k2")
    uploads.during(lambda: hang(uploads.database, 10, 1, 2))
    run = uploads.house.tick("files")[0]
    assert (run["state"], run["rows_done"], uploads.left(), uploads.database.value("SELECT count(*) FROM tones")) == ("held", None, [1, 2], 20)
    uploads.house.pruned.run("approve", str(run["run_id"])).ok()
    uploads.house.work()
    run = uploads.house.pruned.run_row(run["run_id"])
    assert (run["state"], run["rows_done"], uploads.left(), uploads.database.value("SELECT count(*) FROM tones")) == ("finished", 22, [], 0)


@pytest.mark.built_in
def test_a_plan_shows_what_goes_with_listed_objects(listed):
    listed.add(4, store=1)
    listed.database.connection.execute(BELOW.format(table="ci_deleted_objects") + """;
        CREATE TABLE lamps (id bigserial PRIMARY KEY, of bigint REFERENCES ci_deleted_objects ON DELETE SET NULL); GRANT ALL ON lamps, lamps_id_seq TO PUBLIC""")
    hang(listed.database, 3, *[row["id"] for row in listed.rows()])
    listed.database.execute("INSERT INTO lamps (of) SELECT id FROM ci_deleted_objects")
    settings = {f"jobs.{SLOT}.max_rows": 19}
    said = listed.pruned.run("plan", SLOT, settings=settings).ok().stdout.splitlines()
    assert said[-3:] == ["with them: 12 rows of tones", "changed with them: 4 rows of lamps", "would be held: 20 rows are above max_rows 19"]
    listed.delete(**settings | {f"jobs.{SLOT}.mode": "plan"})
    (run,) = listed.runs()
    assert (run["state"], run["result"]["mode"], run["result"]["updated_rows"]) == ("finished", "plan", 4)
    assert (run["result"]["tables"], run["result"]["others"]) == ({"tones": {"deleted": 12}, "lamps": {"changed": 4}}, 16)
    assert run["result"]["would_be_held"] == "20 rows are above max_rows 19" and len(listed.rows()) == 4
