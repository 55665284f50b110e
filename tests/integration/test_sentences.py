"""Jobs that are sentences: which rows go, in which order, what is recorded, what comes back. What
is expected is written by hand."""

import os

import pytest

from support.scene import let_rows_go, now, refuse_rows
from support.sentences import house  # noqa: F401
from support.shop import CIRCLE, LINES, OLD, SHOP

# name of the key's type, its SQL, five keys in their order, and how the audit writes the first
TYPES = {
    "bigint": ("bigint", ["-9223372036854775808", "-1", "0", "7", "9223372036854775807"], "-9223372036854775808"),
    "integer": ("int", ["-2147483648", "-1", "0", "7", "2147483647"], "-2147483648"),
    "smallint": ("smallint", ["-32768", "-1", "0", "7", "32767"], "-32768"),
    "uuid": ("uuid", [f"00000000-0000-0000-0000-00000000000{n}" for n in range(5)], '"00000000-0000-0000-0000-000000000000"'),
    "text": ("text", ["", " a", "A,b", "{\"x\"}", "é'\\"], '""'),
    "varchar": ("varchar(9)", ["", "a", "b", "c", "d"], '""'),
    "numeric": ("numeric", ["-1e30", "-0.5", "0", "0.10", "123456789012345678901234567890.5"], "-1000000000000000000000000000000"),
    "timestamptz": ("timestamptz", ["-infinity", "2026-01-01 00:00:00.000001+00", "2026-01-01 00:00:00.000002+00", "2026-02-01 00:00:00+00",
                                    "infinity"], '"-infinity"'),
    "date": ("date", ["-infinity", "2026-01-01", "2026-01-02", "2026-01-03", "infinity"], '"-infinity"'),
    "double": ("double precision", ["-Infinity", "-0.1", "0", "0.30000000000000004", "Infinity"], '"-Infinity"'),
    "boolean": ("boolean", ["f", "t"], "false"),
    "enumerated": ("mood", ["sad", "so so", "happy"], '"sad"'),
    "positive": ("positive", ["1", "2", "3", "4", "5"], "1"),
    "float4": ("real", ["-Infinity", "-0.1", "0", "0.3", "16777217"], '"-Infinity"'),
    "padded": ("char(3)", ["", "a", "ab", "abc", "b"], '"   "'),
    "one": ('"char"', ["", "A", "B", "a", "b"], '""'),
    "bits": ("bit(2)", ["00", "01", "10", "11"], '"00"'),
    "short": ("short", ["", "a", "ab", "abc", "b"], '""'),
    "numeric2": ("numeric(5,2)", ["-1", "0", "0.1", "0.11", "9"], "-1.00"),
    "seconds": ("timestamptz(0)", ["-infinity", "2026-01-01", "2026-01-02", "2026-01-03", "infinity"], '"-infinity"'),
    "span": ("interval", ["-1 month -1 day -00:00:01", "-1 day 00:00:01", "0", "1 mon", "2 mons"], '"-1 mons -1 days -00:00:01"'),
    "nocase": ("text COLLATE nocase", ["", "A", "b", "C", "d"], '""'),
    "bytes": ("bytea", ["\\x", "\\x00", "\\x01", "\\x0101", "\\xff"], '"\\\\x"'),
}


def make_types(house):  # noqa: F811
    house.sql("""CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy'); CREATE DOMAIN positive AS bigint CHECK (VALUE > 0);
        CREATE DOMAIN short AS varchar(3);
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)""")
    for name, (sql, keys, _) in TYPES.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, stays boolean NOT NULL)")
        for n, key in enumerate(keys):
            house.database.execute(f"INSERT INTO t_{name} VALUES (%s::{sql}, %s)", [key, n == 1])
        house.say(f"of.{name}", f"table = t_{name}\nwhere = NOT stays\nbatch = 2\ndelay_ms = 0")


@pytest.mark.check_all
def test_keys_of_any_type(house):  # noqa: F811
    """Two rows a page. All but the second go, and all come back."""
    make_types(house)
    jobs = [f"of.{name}" for name in TYPES]
    before = {name: house.rows(f"t_{name}", "id::text, stays", f"t_{name}.id") for name in TYPES}
    planned = {name: house.plan(f"of.{name}") for name in TYPES}
    runs = dict(zip(TYPES, house.tick(*jobs)))
    for name, (_, keys, first) in TYPES.items():
        run, n = runs[name], len(keys) - 1
        assert (run["state"], run["result"].get("status")) == ("finished", "completed"), (name, run)
        assert run["result"]["removed"] == n and run["result"]["updated_rows"] == n, (name, run["result"])
        assert house.database.column(f"SELECT id::text FROM t_{name}") == [
            house.database.value(f"SELECT %s::{TYPES[name][0]}::text", [keys[1]])], name
        assert [(table, action) for table, _, action, _ in planned[name]] == [(f"t_{name}", "removed")] * n, name
        audited = house.database.column("SELECT v::text FROM pruned.deletions d, jsonb_array_elements(d.keys) AS v WHERE run_id = %s"
                                        " ORDER BY d.step, d.cmin::text::int", [run["run_id"]])
        assert audited[0] == first and len(audited) == n, (name, audited)
    for name in TYPES:
        back = house.restore(runs[name]["run_id"])
        assert {line["action"] for line in back} == {"restored"}, (name, back)
        assert house.rows(f"t_{name}", "id::text, stays", f"t_{name}.id") == before[name]


@pytest.mark.check_all
def test_entries_of_rows_that_are_gone_leave_the_quarantine(house):  # noqa: F811
    """This holds for any type of the key. An entry whose text is no key of its table stays."""
    make_types(house)
    house.sql("CREATE TABLE seats (room text, nr int, PRIMARY KEY (nr, room)); INSERT INTO seats VALUES ('a', 1)")
    house.say("seats.free", "table = seats\nwhere = nr > 1")
    house.sql("CREATE TABLE retyped (id date PRIMARY KEY)")
    house.say("of.retyped", "table = retyped\nwhere = true")
    house.start()
    quarantined = [("seats.free", 'seats:{"nr": 2, "room": "a"}'), ("seats.free", 'seats:{"nr": 1, "room": "a"}'),
                   ("of.retyped", "retyped:7"), ("of.bigint", "t_bigint:odd")]
    stay = set(quarantined[1:])
    for name in TYPES:
        keys = house.database.column(f"SELECT (id){'::text' if name != 'padded' else '::bpchar'} FROM t_{name} ORDER BY t_{name}.id LIMIT 2")
        quarantined += [(f"of.{name}", f"t_{name}:{key}") for key in keys]
        stay.add((f"of.{name}", f"t_{name}:{keys[1]}"))
    for job, item in quarantined:
        house.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, %s, 'x', true)", [job, item])
    for name in TYPES:
        house.database.execute(f"DELETE FROM t_{name} WHERE ctid = (SELECT ctid FROM t_{name} ORDER BY t_{name}.id LIMIT 1)")
    daemon = house.pruned.start()
    house.database.wait("SELECT count(*) FROM pruned.quarantine", until=len(stay))
    assert {(row["job"], row["item"]) for row in house.database.rows("SELECT job, item FROM pruned.quarantine")} == stay
    assert daemon.stop() == 0


def test_a_key_of_two_columns(house):  # noqa: F811
    house.sql("""CREATE TABLE seats (room text, nr int, until timestamptz, PRIMARY KEY (nr, room));
        INSERT INTO seats VALUES ('a', 1, '2020-01-01+00'), ('b', 1, '2020-01-01+00'), ('it''s', 2, '2020-01-01+00'), ('a', 2, NULL), ('a', 3, '2020-01-01+00')""")
    house.say("seats", "table = seats\nwhere = until < :T - interval '30 days'\nbatch = 2\ndelay_ms = 0")
    plan = house.plan("seats")
    assert plan == [("seats", key, "removed", None) for key in (
        '{"nr": 1, "room": "a"}', '{"nr": 1, "room": "b"}', '{"nr": 2, "room": "it\'s"}', '{"nr": 3, "room": "a"}')]
    counters, run = house.done("seats")
    assert counters == {"removed": 4, "updated_rows": 4}
    assert house.rows("seats", "room, nr") == [("a", 2)]
    assert [(table, action, key) for table, action, key, _ in house.audit(run)] == [
        ("seats", "deleted", {"nr": 1, "room": "a"}), ("seats", "deleted", {"nr": 1, "room": "b"}),
        ("seats", "deleted", {"nr": 2, "room": "it's"}), ("seats", "deleted", {"nr": 3, "room": "a"})]
    house.restore(run)
    assert house.rows("seats", "room, nr", "2, 1") == [("a", 1), ("b", 1), ("a", 2), ("it's", 2), ("a", 3)]
    again, _ = house.done("seats")
    assert again == {"kept_restored": 4}


def test_names_that_need_quotes(house):  # noqa: F811
    house.sql("""CREATE TABLE "Order, Items" ("Id" bigint PRIMARY KEY, "group" text, "it's" int);
        CREATE TABLE "order" ("user" uuid PRIMARY KEY, "key" int, "row" int, "what" int);
        INSERT INTO "Order, Items" VALUES (1, 'x', 1), (2, 'y', 2);
        INSERT INTO "order" VALUES ('00000000-0000-0000-0000-000000000001', 1, 1, 1), ('00000000-0000-0000-0000-000000000002', 2, 2, 2)""")
    house.say("quoted.comma", "table = \"Order, Items\"\nwhere = \"it's\" = 1 AND \"Order, Items\".\"group\" = 'x'")
    house.say("quoted.word", "table = \"order\"\nwhere = \"key\" = 1 AND \"row\" = 1 AND what = 1")
    comma, word = house.tick("quoted.comma", "quoted.word")
    assert (comma["result"]["removed"], word["result"]["removed"]) == (1, 1), (comma, word)
    assert house.rows('"Order, Items"', '"Id"') == [(2,)]
    assert house.rows('"order"', '"key"') == [(2,)]
    assert house.keys(comma["run_id"]) == [('"Order, Items"', "deleted", 1)]
    house.restore(comma["run_id"])
    house.restore(word["run_id"])
    assert house.rows('"Order, Items"', '"Id"') == [(1,), (2,)] and house.rows('"order"', '"key"') == [(1,), (2,)]


def test_a_table_of_another_schema(house):  # noqa: F811
    house.database.connection.execute("CREATE SCHEMA billing; GRANT USAGE ON SCHEMA billing TO PUBLIC")
    house.sql("""CREATE TABLE billing.orders (id bigint PRIMARY KEY, old boolean); CREATE TABLE orders (id bigint PRIMARY KEY, old boolean);
        GRANT ALL ON billing.orders TO PUBLIC;
        INSERT INTO billing.orders VALUES (1, true), (2, false); INSERT INTO orders VALUES (1, true)""")
    house.say("billed", "table = billing.orders\nwhere = orders.old")
    counters, run = house.done("billed")
    assert counters == {"removed": 1, "updated_rows": 1}
    assert house.rows("billing.orders", "id") == [(2,)] and house.rows("orders", "id") == [(1,)]
    assert house.keys(run) == [("billing.orders", "deleted", 1)]
    house.restore(run)
    assert house.rows("billing.orders", "id") == [(1,), (2,)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("columns, items", [
    ("id uuid PRIMARY KEY, tenant int DEFAULT 1", ["sessions:00000000-0000-0000-0000-000000000002"]),
    ("id uuid, tenant int DEFAULT 1, PRIMARY KEY (tenant, id)", ['sessions:{"id": "00000000-0000-0000-0000-000000000002", "tenant": 1}'])])
def test_a_bad_row_alone_is_in_quarantine_until_it_changes(house, columns, items):  # noqa: F811
    house.sql(f"""CREATE TABLE sessions ({columns}, note text);
        INSERT INTO sessions (id) SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid FROM generate_series(1, 5) n""")
    refuse_rows(house.database, "OLD.id::text LIKE '%2'", "RAISE EXCEPTION 'stays'", "sessions")
    house.say("sessions", "table = sessions\nwhere = true")
    assert house.done("sessions", at=now(minutes=-9))[0] == {"removed": 4, "updated_rows": 4, "failed": 1}
    assert house.rows("pruned.quarantine", "item") == [(item,) for item in items]
    assert house.done("sessions", at=now(minutes=-8))[0] == {"passed_over": 1}
    let_rows_go(house.database, "sessions")
    house.sql("UPDATE sessions SET note = 'mended'")
    assert house.done("sessions", at=now(minutes=-7))[0] == {"removed": 1, "updated_rows": 1}
    assert house.rows("sessions") == house.rows("pruned.quarantine") == []


def test_a_partitioned_table(house):  # noqa: F811
    house.sql("""CREATE TABLE logs (id bigint, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE logs_2024 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        CREATE TABLE logs_rest PARTITION OF logs DEFAULT;
        INSERT INTO logs VALUES (1, '2024-03-01'), (2, '2024-04-01'), (3, '2020-01-01'), (4, '2026-01-01')""")
    house.say("logs", "table = logs\nwhere = day < '2024-04-01'")
    counters, run = house.done("logs")
    assert counters == {"removed": 2, "updated_rows": 2}
    assert house.rows("logs", "id") == [(2,), (4,)]
    house.restore(run)
    assert house.rows("logs", "id") == [(1,), (2,), (3,), (4,)]


# --- refused by the catalogue

REFUSED = {
    "nothing": ("table = nothing\nwhere = true", "there is no table nothing"),
    "seen": ("table = seen\nwhere = true", "is a view"),
    "kept.seen": ("table = kept_seen\nwhere = true", "is a materialized view"),
    "keyless": ("table = keyless\nwhere = true", "no primary key"),
    "column": ("table = carts\nwhere = gone_at < :T", "gone_at"),
    "set": ("table = carts\nwhere = dead\nset = gone_at = NULL", "has no column gone_at"),
    "child": ("table = carts\nwhere = dead\nchildren = keyless", "no foreign key"),
    "child.column": ("table = carts\nwhere = dead\nchildren = keyless(cart)", "has no column cart"),
    "circle": ("table = carts\nwhere = dead\nchildren = auto", "carts_last"),
    "archive": ("table = carts\nwhere = dead\narchive = old_carts", "has no column last_line"),
    "keep": ("table = carts\nkeep = 1 per owner by id", "has no column owner"),
}


@pytest.mark.check_all
def test_what_the_catalogue_refuses_is_blocked_alone(house):  # noqa: F811
    house.sql(CIRCLE.format(null=" NOT NULL", how="", lines=LINES) + """
        CREATE VIEW seen AS SELECT * FROM carts; CREATE MATERIALIZED VIEW kept_seen AS SELECT * FROM carts;
        CREATE TABLE keyless (id bigint); CREATE TABLE old_carts (id bigint, dead boolean); CREATE TABLE well (id bigint PRIMARY KEY);
        INSERT INTO well VALUES (1)""")
    for name, (text, _) in REFUSED.items():
        house.say(f"bad.{name}", text)
    house.say("well", "table = well\nwhere = id = 1")
    *runs, well = house.tick(*[f"bad.{name}" for name in REFUSED], "well")
    for run, (name, (_, why)) in zip(runs, REFUSED.items()):
        assert (run["state"], run["result"]["status"]) == ("finished", "blocked"), (name, run)
        assert why in run["result"]["reason"], (name, run["result"])
    assert well["result"]["removed"] == 1
    assert house.rows("carts", "id") == [(1,), (2,)]


def test_rows_that_row_level_security_hides(house):  # noqa: F811
    house.sql(SHOP + "ALTER TABLE item_marks ENABLE ROW LEVEL SECURITY")
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = auto")
    run = house.run("orders.purge")
    assert run["result"]["status"] == "blocked" and "item_marks" in run["result"]["reason"]
    assert house.rows("orders", "id") == [(1,), (2,), (3,)]


@pytest.mark.check_all
def test_a_run_whose_rows_go_in_no_order_is_divided_by_itself(house):  # noqa: F811
    """One range for each processor, at most 4. The steps of range K are numbered from K times
    100,000,000. Each row goes once."""
    house.sql("CREATE TABLE plain (id bigint PRIMARY KEY); CREATE TABLE below (id bigint PRIMARY KEY REFERENCES plain)")
    jobs = {"divided": "", "chain": "ranges = 1\n", "parents": "children = below\n"}
    for name, more in jobs.items():
        house.say(name, f"table = plain\nwhere = true\nbatch = 10\ndelay_ms = 0\nmax_share = off\n{more}")
    for name in jobs:
        house.sql("INSERT INTO plain SELECT generate_series(1, 400)")
        counts, run = house.done(name)
        assert counts == {"removed": 400, "updated_rows": 400}
        assert sorted(key for _, _, key, _ in house.audit(run)) == list(range(1, 401))
        steps = house.database.column("SELECT DISTINCT step / 100000000 FROM pruned.deletions WHERE run_id = %s ORDER BY 1", [run])
        assert steps == list(range(min(len(os.sched_getaffinity(0)), 4) if name == "divided" else 1)), name
