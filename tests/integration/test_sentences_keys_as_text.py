"""Keys of several columns, one of which JSON says otherwise than its text: jsonb itself, lists,
rows and types with a way to JSON of their own. Every row is found by its own key, and no other."""

import json

import pytest

from support.own_events import answers, dead, runs, say_event, send, topics  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

MADE = """CREATE TYPE pair AS (a int, b text); CREATE DOMAIN few AS int[] CHECK (pg_catalog.cardinality(VALUE) < 5);
    CREATE DOMAIN said AS jsonb NOT NULL; CREATE TYPE mood AS ENUM ('glad', 'sad');
    CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT pg_catalog.json_build_object('mood', $1::text) $$;
    CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood)"""
# The type of the key's second column, and keys: every second one stays
TYPES = {
    "object": ("jsonb", ['"1"', "1", '"null"', "null", '"[]"', "[]", '"x y"', '{"a": "1"}', '{"a": 1}', "1.50"]),
    "said": ("said", ['"1"', "1", '"true"', "true"]),
    "ints": ("int[]", ["{}", "{1}", "{1,NULL}", "[2:3]={5,6}", "{{1,2},{3,4}}"]),
    "texts": ("text[]", ["{}", '{""}', '{"a,b"}', "{NULL}", '{"NULL"}']),
    "uuids": ("uuid[]", ["{}", "{00000000-0000-0000-0000-000000000001}"]),
    "few": ("few", ["{1,2}", "{3}", "{}"]),
    "pair": ("pair", ["(1,a)", "(1,)", '(2,"x,""y")', "(,)", '(3,"")']),
    "mood": ("mood", ["glad", "sad"]),
    "moods": ("mood[]", ["{glad,sad}", "{sad}"]),
    "range": ("int4range", ["empty", "[1,3)", "[1,5)", "(,4)"]),
    "vector": ("oidvector", ["1 2", "3"]),
}


def make(house):  # noqa: F811
    house.sql(MADE)
    for name, (sql, keys) in TYPES.items():
        house.sql(f"""CREATE TABLE t_{name} (z text DEFAULT 'p%', old boolean, "k%:ey" {sql}, note text, PRIMARY KEY ("k%:ey", z))""")
        for i, key in enumerate(keys):
            house.database.execute(f"""INSERT INTO t_{name} (old, "k%%:ey", note) VALUES (%s, %s, %s)""", [i % 2 == 0, key, key])


def tables(house, names=TYPES):  # noqa: F811
    return {name: house.rows(f"t_{name}", "note, old", "note") for name in names}


def shown(name, key):
    """As JSON has it: JSON stands for itself, all else is written as PostgreSQL writes it."""
    return json.loads(key) if name in ("object", "said") else key


def left(house, names=TYPES):  # noqa: F811
    return {name: sorted(house.database.column(f"SELECT note FROM t_{name}")) for name in names}


STAY = {name: sorted(keys[1::2]) for name, (_, keys) in TYPES.items()}


@pytest.mark.check_all
def test_the_rows_that_are_due_go_and_no_others(house):  # noqa: F811
    make(house)
    for name in TYPES:
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old\nbatch = 2\ndelay_ms = 0")
    assert {name: len(house.plan(f"of.{name}")) for name in TYPES} == {name: len(keys[::2]) for name, (_, keys) in TYPES.items()}
    done = house.tick(*[f"of.{name}" for name in TYPES])
    assert [(run["job"], run["state"], run["error"]) for run in done] == [(f"of.{name}", "finished", None) for name in TYPES]
    assert left(house) == STAY
    for run in done:
        name, recorded = run["job"][3:], [key["k%:ey"] for _, _, key, _ in house.audit(run["run_id"])]
        assert sorted(recorded, key=json.dumps) == sorted([shown(name, key) for key in TYPES[name][1][::2]], key=json.dumps)


@pytest.mark.check_all
def test_each_row_comes_back_by_its_key_and_is_held_by_it(house):  # noqa: F811
    make(house)
    for name in TYPES:
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old")
    before = tables(house)
    for run in house.tick(*[f"of.{name}" for name in TYPES], at=now(minutes=-9)):
        for _, _, key, row in house.audit(run["run_id"]):
            (line,) = house.restore(run["run_id"], "--only", f"t_{run['job'][3:]}:{json.dumps(key)}")
            assert line["action"] == "restored" and house.database.value(
                f"SELECT count(*) FROM t_{run['job'][3:]} WHERE note = %s", [row["note"]]) == 1
    assert tables(house) == before
    again = house.tick(*[f"of.{name}" for name in TYPES], at=now(minutes=-8))
    assert tables(house) == before
    assert [run["result"]["kept_restored"] for run in again] == [len(TYPES[name][1][::2]) for name in TYPES]
    for held in house.pruned.run("holds", "--rows", "--json").ok().json():
        house.pruned.run("release", held["row"], "--yes").ok()
    house.tick(*[f"of.{name}" for name in TYPES], at=now(minutes=-7))
    assert left(house) == STAY


@pytest.mark.check_all
def test_a_row_at_fault_stands_alone(house):  # noqa: F811
    make(house)
    house.sql("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$")
    for name, (_, keys) in TYPES.items():
        house.sql(f"CREATE TRIGGER keep BEFORE DELETE ON t_{name} FOR EACH ROW WHEN (OLD.note = $${keys[0]}$$) EXECUTE FUNCTION keep()")
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old")
    done = house.tick(*[f"of.{name}" for name in TYPES])
    assert {run["job"]: (run["state"], run["result"]["failed"]) for run in done} == {f"of.{name}": ("finished", 1) for name in TYPES}
    assert left(house) == {name: sorted([*keys[1::2], keys[0]]) for name, (_, keys) in TYPES.items()}
    items = house.database.rows("SELECT job, item FROM pruned.quarantine WHERE state <> ''")
    assert {row["job"][3:]: json.loads(row["item"].split(":", 1)[1])["k%:ey"] for row in items} == {name: shown(name, keys[0]) for name, (_, keys) in TYPES.items()}


@pytest.mark.check_all
def test_children_are_recorded_by_such_keys(house):  # noqa: F811
    make(house)
    for name, (sql, _) in TYPES.items():
        house.sql(f"""CREATE TABLE c_{name} (of_z text, of_key {sql}, n serial, PRIMARY KEY (of_key, n), FOREIGN KEY (of_key, of_z) REFERENCES t_{name});
            INSERT INTO c_{name} SELECT z, "k%:ey" FROM t_{name}; INSERT INTO c_{name} SELECT z, "k%:ey" FROM t_{name}""")
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old\nchildren = auto")
    before = {name: house.rows(f"c_{name} AS c", "c::text") for name in TYPES}
    done = house.tick(*[f"of.{name}" for name in TYPES])
    assert left(house) == STAY
    assert {name: house.database.value(f"SELECT count(*) FROM c_{name}") for name in TYPES} == {name: 2 * len(keys) for name, keys in STAY.items()}
    for run in done:
        name = run["job"][3:]
        recorded = [key["of_key"] for table, _, key, _ in house.audit(run["run_id"]) if table == f"c_{name}"]
        assert sorted(recorded, key=json.dumps) == sorted([shown(name, key) for key in TYPES[name][1][::2] * 2], key=json.dumps)
        house.restore(run["run_id"])
    assert {name: house.rows(f"c_{name} AS c", "c::text") for name in TYPES} == before


def test_an_event_names_one_row_and_not_its_neighbour(house, topics):  # noqa: F811
    make(house)
    topics.make("app-users")
    for name in TYPES:
        house.say(f"of.{name}", f"table = t_{name}\non = Ask{name}")
        say_event(house, f"Ask{name}", "app-users", "key = key, z")
    for name, (_, keys) in TYPES.items():
        send(house, {"key": keys[0], "z": "p%"}, ce_type=f"Ask{name}")
    house.work()
    assert left(house) == {name: sorted(keys[1:]) for name, (_, keys) in TYPES.items()} and dead(house) == {}
    assert {what for *_, what, _ in answers(house)} == {"removed"} and {state for _, state, _ in runs(house)} == {"finished"}
    assert {job[3:]: json.loads(key)["k%:ey"] for job, _, key, *_ in answers(house)} == {name: shown(name, keys[0]) for name, (_, keys) in TYPES.items()}


@pytest.mark.check_all
@pytest.mark.parametrize("name", TYPES)
def test_rows_that_name_such_a_row_are_found_and_forgotten(house, name):  # noqa: F811
    make(house)
    sql, keys = TYPES[name]
    house.sql(f"""CREATE TABLE c_{name} (id serial PRIMARY KEY, of_z text, of_key {sql}, note text, FOREIGN KEY (of_key, of_z) REFERENCES t_{name});
        INSERT INTO c_{name} (of_z, of_key, note) SELECT z, "k%:ey", note FROM t_{name}""")
    house.say("of.it", f"table = t_{name}\nwhere = true\nchildren = auto")
    run = house.run("of.it")
    for key in keys:
        item = json.dumps({"k%:ey": shown(name, key), "z": "p%"})
        lines = house.pruned.run("who", f"t_{name}:{item}", "--json").ok().json()
        assert sorted((line["table"], line["row"]["note"]) for line in lines) == [(f"c_{name}", key), (f"t_{name}", key)]
        house.pruned.run("forget", f"t_{name}", item, "--json", settings={"postgres.url": house.database.url}).ok()
        assert key not in [row["note"] for *_, row in house.audit(run["run_id"]) if row is not None]


@pytest.mark.check_all
@pytest.mark.parametrize("name", TYPES)
def test_such_a_row_is_found_and_forgotten(house, name):  # noqa: F811
    make(house)
    house.say("of.it", f"table = t_{name}\nwhere = true")
    run = house.run("of.it")
    for key in TYPES[name][1]:
        item = json.dumps({"k%:ey": shown(name, key), "z": "p%"})
        (line,) = house.pruned.run("who", f"t_{name}:{item}", "--json").ok().json()
        assert line["row"]["note"] == key
        house.pruned.run("forget", f"t_{name}", item, "--json", settings={"postgres.url": house.database.url}).ok()
        assert key not in [row["note"] for *_, row in house.audit(run["run_id"]) if row is not None]
