"""`children` beside `set`: rows of the tables that it names go, and the own row is changed."""

import pytest

from support.own_events import answers, runs, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401

JOB = "people.erase"


@pytest.fixture
def people(house):  # noqa: F811
    """Three people, each with two addresses, of which each has a hint, and with a bill, which
    forbids to remove them."""
    house.sql("""CREATE TABLE people (id int PRIMARY KEY, email text, main_address int);
        CREATE TABLE addresses (id int PRIMARY KEY, person_id int NOT NULL REFERENCES people);
        CREATE TABLE hints (id int PRIMARY KEY, address_id int NOT NULL REFERENCES addresses ON DELETE CASCADE);
        CREATE TABLE bills (id int PRIMARY KEY, person_id int REFERENCES people);
        CREATE TABLE seen (id int PRIMARY KEY, person_id int REFERENCES people ON DELETE CASCADE);
        CREATE INDEX ON addresses (person_id); CREATE INDEX ON hints (address_id);
        INSERT INTO people SELECT n, 'p' || n FROM generate_series(1, 3) AS n;
        INSERT INTO addresses SELECT n, (n + 1) / 2 FROM generate_series(1, 6) AS n;
        INSERT INTO hints SELECT n, n FROM generate_series(1, 6) AS n;
        INSERT INTO bills SELECT n, n FROM generate_series(1, 3) AS n;
        INSERT INTO seen SELECT n, n FROM generate_series(1, 3) AS n""")

    def say(where="id < 3", more="children = addresses"):
        house.say(JOB, f"table = people\nwhere = {where}\nset = email = NULL\nmax_share = off\n{more}")
        return house
    return say


def left(house):  # noqa: F811
    return [house.rows(table, "id") for table in ("addresses", "hints", "bills", "seen")]


def emails(house):  # noqa: F811
    return [email for _, email in house.rows("people", "id, email")]


ALL = [[(n,) for n in range(1, last + 1)] for last in (6, 6, 3, 3)]
OF_3 = [[(5,), (6,)], [(5,), (6,)], *ALL[2:]]


def test_children_go_and_the_row_is_changed(people):
    house = people()
    assert sorted(house.plan(JOB)) == [("people", "1", "changed", None), ("people", "2", "changed", None)]
    counters, run_id = house.done(JOB)
    assert counters == {"changed": 2, "updated_rows": 2}
    assert house.rows("people", "id, email") == [(1, None), (2, None), (3, "p3")] and left(house) == OF_3
    assert sorted((table, action) for table, action, *_ in house.audit(run_id)) == sorted(
        [("addresses", "deleted")] * 4 + [("hints", "deleted")] * 4 + [("people", "updated")] * 2)
    assert house.restore(run_id)
    assert emails(house) == ["p1", "p2", "p3"] and left(house) == ALL


@pytest.mark.check_all
def test_a_row_that_has_the_values_is_kept_only_without_children(people):
    house = people()
    house.done(JOB)
    house.sql("INSERT INTO addresses VALUES (7, 1)")
    assert house.done(JOB)[0] == {"changed": 1, "kept": 1, "updated_rows": 1}
    assert left(house)[0] == [(5,), (6,)] and house.done(JOB)[0] == {"kept": 2}


def test_rows_of_children_count_for_the_limits(people):
    house = people(more="children = addresses\nmax_rows = 9")
    row = house.run(JOB)
    assert row["state"] == "held" and left(house) == ALL and row["error"].startswith("held: 10 rows are above max_rows 9"), row
    house.pruned.run("approve", str(row["run_id"])).ok()
    house.work()
    assert left(house) == OF_3


def test_children_that_no_foreign_key_names(people):
    house = people(more="children = visits(who)")
    house.sql("CREATE TABLE visits (id int PRIMARY KEY, who int); CREATE INDEX ON visits (who); INSERT INTO visits VALUES (1, 1), (2, 2), (3, 3)")
    house.done(JOB)
    assert house.rows("visits", "id") == [(3,)] and left(house) == ALL and emails(house) == [None, None, "p3"]


@pytest.mark.parametrize("children", ["addresses", "visits(who)"])
def test_a_row_whose_children_a_trigger_keeps_is_not_changed(people, children):
    house = people(more=f"children = {children}")
    table = children.split("(")[0]
    house.sql(f"""CREATE TABLE visits (id int PRIMARY KEY, who int); INSERT INTO visits VALUES (1, 1), (2, 2), (3, 3);
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep BEFORE DELETE ON {table} FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION keep()""")
    row = house.run(JOB)
    assert (row["result"]["changed"], row["result"]["failed"]) == (1, 1)
    assert emails(house) == ["p1", None, "p3"]
    assert (1,) in house.rows(table, "id") and (2,) in house.rows("addresses", "id")


REFUSED = {"children = auto": "children: not 'auto' beside 'set'",
           "children = people": "children: people is the job's own table, whose rows stay (set)",
           "children = addresses\nchildren_portion = 5": "children_portion: not with 'set'"}


@pytest.mark.parametrize("more", REFUSED)
def test_what_could_take_the_row_itself_is_refused(people, more):
    shown = people(more=more).pruned.run("check", JOB)
    assert shown.code == 2 and REFUSED[more] in shown.stdout + shown.stderr, shown


def test_a_row_that_would_go_with_a_child_is_refused(people):
    house = people()
    house.sql("ALTER TABLE people ADD FOREIGN KEY (main_address) REFERENCES addresses ON DELETE CASCADE")
    shown = house.pruned.run("check", JOB)
    assert shown.code == 2 and "children: rows of people stay (set), and would go with rows of addresses by" in shown.stdout, shown


def test_an_event_erases_a_person(people, topics):  # noqa: F811
    topics.make("app-users")
    house = people()
    say_event(house, "Erase", "app-users", "key = id")
    house.say(JOB, "table = people\non = Erase\nset = email = NULL\nchildren = addresses")
    for n in (1, 2):
        send(house, {"id": n})
    house.work()
    assert sorted(answer[2:4] for answer in answers(house)) == [("1", "changed"), ("2", "changed")]
    assert left(house) == OF_3 and {state for (state,) in runs(house, "state")} == {"finished"}
