"""Jobs that are sentences: which rows go, in which order, what is recorded, what comes back. What is expected is written by hand."""

import datetime

import pytest

from support.sentences import house, some_uuid  # noqa: F401

UTC = datetime.timezone.utc

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
    "bytes": ("bytea", ["\\x", "\\x00", "\\x01", "\\x0101", "\\xff"], '"\\\\x"'),
}


def make_types(house):  # noqa: F811
    house.sql("CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy'); CREATE DOMAIN positive AS bigint CHECK (VALUE > 0)")
    for name, (sql, keys, _) in TYPES.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, stays boolean NOT NULL)")
        for n, key in enumerate(keys):
            house.database.execute(f"INSERT INTO t_{name} VALUES (%s::{sql}, %s)", [key, n == 1])
        house.say(f"of.{name}", f"table = t_{name}\nwhere = NOT stays\nbatch = 2\ndelay_ms = 0")


def test_keys_of_any_type(house):  # noqa: F811
    """Two a page. All go but the second; all come back."""
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
