"""Sentences that drop partitions: which ones go, which tables are refused, what is recorded and
shown. Expected tables are written by hand."""

import pytest

from support.partitioned import OLD, T, day, left, make, noted, own, say, tables
from support.places import ROLE
from support.scene import now
from support.sentences import house  # noqa: F401


@pytest.mark.check_all
def test_what_is_past_goes_and_is_recorded(house):  # noqa: F811
    make(house, [*OLD, ("logs_new", day(10), day(-10))])
    say(house)
    assert house.plan("logs.old") == [
        ("logs", "logs_1", "removed", "about 2 rows, from 2024-01-01 00:00:00+00 to 2024-02-01 00:00:00+00"),
        ("logs", "logs_2", "removed", "about 2 rows, from 2024-02-01 00:00:00+00 to 2024-03-01 00:00:00+00"),
        ("logs", "logs_3", "removed", "about 2 rows, from 2024-03-01 00:00:00+00 to 2024-04-01 00:00:00+00")]
    counters, run = house.done("logs.old")
    assert counters == {"removed": 3, "updated_rows": 3}
    assert left(house) == ["logs_new"] and tables(house) == ["logs", "logs_new"] and noted(house) == []
    assert house.audit(run) == [
        ("logs", "deleted", f"logs_{n}", {"partition": f"logs_{n}", "from": f"2024-0{n}-01 00:00:00+00",
                                          "to": f"2024-0{n + 1}-01 00:00:00+00", "rows_estimate": 2}) for n in (1, 2, 3)]
    lines = house.daemons[-1].lines("Partition dropped")
    assert [(line["table"], line["partition"], line["rows_estimate"]) for line in lines] == [("logs", f"logs_{n}", 2) for n in (1, 2, 3)]
    assert house.pruned.run_row(run)["rows_done"] == 3
    done = house.restore(run, code=6)
    assert "whole partitions are dropped" in done.stdout + done.stderr
    (house.folder / "logs.old.conf").unlink()
    assert "no such job is in force" in house.restore(run, code=6).stderr
    say(house)
    assert house.done("logs.old", at=now(seconds=-5))[0] == {}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("audit, rows", [("full", {"partition": "logs_1", "from": "2024-01-01 00:00:00+00", "to": "2024-02-01 00:00:00+00", "rows_estimate": 2}),
                                         ("keys", None), ("off", ...)])
def test_the_audit_keeps_as_much_of_a_partition_as_it_says(house, audit, rows):  # noqa: F811
    make(house, OLD[:1])
    say(house, more=f"audit = {audit}")
    counters, run = house.done("logs.old")
    assert counters == {"removed": 1, "updated_rows": 1} and tables(house) == ["logs"]
    found = house.database.rows("SELECT table_name, action, keys, rows FROM pruned.deletions WHERE run_id = %s", [run])
    kept = {"table_name": "logs", "action": "deleted", "keys": ["logs_1"], "rows": rows and [rows]}
    assert [dict(one) for one in found] == ([] if rows is ... else [kept])
    house.restore(run, code=6)
    assert "pruned restore" not in house.pruned.run("runs", str(run)).ok().stdout


# type, age, bounds, what goes. T is midnight in UTC.
EXACT = {
    "timestamptz": ("timestamptz", "90 days", [("at", day(91), day(90)), ("late", day(90), day(90, microseconds=-1))], ["at"]),
    "time_of_day": ("timestamptz", "90 days", [("a", day(92), f"{day(90)[:10]} 05:00+05"), ("b", f"{day(90)[:10]} 05:00+05", f"{day(90)[:10]} 00:00-01")], ["a"]),
    "timestamp": ("timestamp", "90 days", [("at", day(91)[:19], day(90)[:19]), ("late", day(90)[:19], f"{day(90)[:10]} 00:00:00.000001")], ["at"]),
    "date": ("date", "90 days", [("at", day(91)[:10], day(90)[:10]), ("late", day(90)[:10], day(89)[:10])], ["at"]),
    "hours": ("timestamptz", "12 hours", [("at", day(1), day(0, hours=12)), ("late", day(0, hours=12), day(0))], ["at"]),
    "as_postgresql_reads_it": ("date", "90DAYS", [("at", day(91)[:10], day(90)[:10]), ("late", day(90)[:10], day(89)[:10])], ["at"]),
    "two_units": ("date", "1 week 2 days", [("at", day(10)[:10], day(9)[:10]), ("late", day(9)[:10], day(8)[:10])], ["at"]),
    "ends": ("timestamptz", "90 days", [("first", "MINVALUE", day(100)), ("last", day(100), "MAXVALUE")], ["first"]),
    "infinity": ("date", "90 days", [("a", "-infinity", day(100)[:10]), ("b", day(100)[:10], "infinity")], ["a"]),
    "nothing": ("date", "90 days", [("a", day(10)[:10], day(9)[:10])], []),
    "no_partition": ("date", "90 days", [], []),
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("name", EXACT)
def test_the_upper_bound_decides_to_the_microsecond(house, name):  # noqa: F811
    type, age, parts, goes = EXACT[name]
    make(house, parts, type, rows=0)
    house.sql("ALTER DATABASE {} SET timezone = 'Asia/Tokyo'".format(house.database.value("SELECT current_database()")))
    house.sql("ALTER DATABASE {} SET datestyle = 'German, DMY'".format(house.database.value("SELECT current_database()")))
    say(house, age)
    counters, _ = house.done("logs.old", at=T)
    assert counters == ({"removed": len(goes), "updated_rows": len(goes)} if goes else {})
    assert left(house) == sorted(part for part, _, _ in parts if part not in goes)


def test_the_default_partition_never_goes_and_others_go_beside_it(house):  # noqa: F811
    make(house, default=True)
    say(house)
    counters, run = house.done("logs.old")
    assert counters == {"removed": 3, "updated_rows": 3}
    assert left(house) == ["logs_rest"] and house.rows("logs", "id") == [(0,)]
    assert house.keys(run) == [("logs", "deleted", f"logs_{n}") for n in (1, 2, 3)]


@pytest.mark.check_all
def test_partitions_of_partitions_and_names_of_other_schemas(house):  # noqa: F811
    make(house, OLD[:1])
    house.sql("""CREATE SCHEMA "Odd; Place"; CREATE TABLE "Odd; Place"."a ""b"" 'c'" PARTITION OF logs FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
        CREATE TABLE logs_sub PARTITION OF logs FOR VALUES FROM ('2024-03-01') TO ('2024-04-01') PARTITION BY LIST (id);
        CREATE TABLE logs_sub_1 PARTITION OF logs_sub FOR VALUES IN (1); CREATE TABLE logs_sub_rest PARTITION OF logs_sub DEFAULT;
        INSERT INTO logs VALUES (1, '2024-03-02'), (2, '2024-03-02'), (3, '2024-03-02'); ANALYZE logs""")
    house.sql(f"""GRANT USAGE ON SCHEMA "Odd; Place" TO {ROLE}""")
    own(house)
    say(house, more="batch = 10")
    odd = '''"Odd; Place"."a ""b"" 'c'"'''
    assert [(key, reason.split(",")[0]) for _, key, _, reason in house.plan("logs.old")] == [
        ("logs_1", "about 2 rows"), (odd, "about 0 rows"), ("logs_sub", "about 3 rows")]
    counters, run = house.done("logs.old")
    assert counters == {"removed": 3, "updated_rows": 3} and tables(house) == ["logs"] and left(house) == []
    assert [key for _, _, key in house.keys(run)] == ["logs_1", odd, "logs_sub"]


def test_a_table_in_another_schema_with_a_name_that_needs_quotes(house):  # noqa: F811
    house.sql("""CREATE SCHEMA app; CREATE TABLE app."Log: s" (at date) PARTITION BY RANGE (at);
        CREATE TABLE app."Part" PARTITION OF app."Log: s" FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
        CREATE TABLE logs (at date) PARTITION BY RANGE (at); CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2024-02-01')""")
    house.sql(f"GRANT USAGE ON SCHEMA app TO {ROLE}")
    own(house)
    house.say("odd", 'table = app."Log: s"\ndrop_partitions_older_than = 90 days')
    counters, run = house.done("odd")
    assert counters == {"removed": 1, "updated_rows": 1} and left(house, 'app."Log: s"') == [] and left(house) == ["logs_1"]
    assert house.keys(run) == [('app."Log: s"', "deleted", 'app."Part"')]


# --- what is refused

REFUSED = {
    "plain": ("CREATE TABLE logs (at date)", "logs is not partitioned"),
    "list": ("CREATE TABLE logs (at date) PARTITION BY LIST (at)", "partitioned by list"),
    "hash": ("CREATE TABLE logs (at date) PARTITION BY HASH (at)", "partitioned by hash"),
    "number": ("CREATE TABLE logs (at bigint) PARTITION BY RANGE (at)", "a column of type bigint"),
    "text": ("CREATE TABLE logs (at text) PARTITION BY RANGE (at)", "a column of type text"),
    "two": ("CREATE TABLE logs (at date, b int) PARTITION BY RANGE (at, b)", "by several columns"),
    "expression": ("CREATE TABLE logs (at timestamp) PARTITION BY RANGE ((at::date))", "by an expression"),
    "view": ("CREATE VIEW logs AS SELECT current_date AS at", "logs is not partitioned"),
    "none": ("SELECT", "there is no table logs"),
    "referred": ("CREATE TABLE logs (at date PRIMARY KEY) PARTITION BY RANGE (at); CREATE TABLE remarks (at date REFERENCES logs)",
                 "remarks refers to logs by a foreign key"),
}


@pytest.mark.check_all
def test_other_tables_are_refused_with_the_reason(house):  # noqa: F811
    """Each of them is a job of its own."""
    for name, (sql, _) in REFUSED.items():
        house.sql(sql.replace("logs", f"{name}_logs").replace("remarks", f"{name}_remarks"))
        house.say(name, f"table = {name}_logs\ndrop_partitions_older_than = 90 days")
    done = house.pruned.run("check", "--json")
    wrong = {one["job"]: one["detail"] for one in done.json() if one["level"] == "error"}
    assert done.code == 2 and house.pruned.run("plan", "hash").code == 2, done
    for run, (name, (_, why)) in zip(house.tick(*REFUSED), REFUSED.items()):
        why = why.replace("logs", f"{name}_logs").replace("remarks", f"{name}_remarks")
        assert why in wrong[name], (name, wrong)
        assert run["result"]["status"] == "blocked" and why in run["result"]["reason"], (name, run)


def test_what_others_need_is_kept_with_the_reason(house):  # noqa: F811
    make(house)
    house.sql("""CREATE VIEW last AS SELECT * FROM logs_1; ALTER TABLE logs_2 ADD PRIMARY KEY (id, at);
        CREATE TABLE remarks (id int, at timestamptz, FOREIGN KEY (id, at) REFERENCES logs_2)""")
    say(house)
    assert [(key, action, reason) for _, key, action, reason in house.plan("logs.old")][:2] == [
        ("logs_1", "kept", "used by last"), ("logs_2", "kept", "referred to by remarks")]
    counters, _ = house.done("logs.old")
    assert counters == {"removed": 1, "updated_rows": 1, "kept": 2} and left(house) == ["logs_1", "logs_2"]
    assert [(line["partition"], line["reason"]) for line in house.daemons[-1].lines("Partition kept")] == [
        ("logs_1", "used by last"), ("logs_2", "referred to by remarks")]


# What needs the partition, and how that is said.
NEEDS = {
    "type": ("CREATE TABLE typed (x logs_1)", "used by column x of table typed"),
    "array": ("CREATE TABLE typed (x logs_1[])", "used by column x of table typed"),
    "function": ("CREATE FUNCTION uses() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM logs_1; END", "used by function uses()"),
    "argument": ("CREATE FUNCTION takes(logs_1) RETURNS int LANGUAGE sql RETURN 1", "used by function takes(logs_1)"),
    "below": ("CREATE TABLE typed (x logs_1a)", "used by column x of table typed"),
    "view_below": ("CREATE VIEW last AS SELECT id FROM logs_1a", "used by last"),
    "sequence": ("CREATE SEQUENCE numbers OWNED BY logs_1.id; CREATE TABLE other (id int DEFAULT nextval('numbers'))",
                 "used by default value for column id of table other"),
    "policy": ("CREATE TABLE other (id int); CREATE POLICY few ON other USING (EXISTS (SELECT FROM logs_1))", "used by policy few on table other"),
}


@pytest.mark.check_all
@pytest.mark.parametrize("name", NEEDS)
def test_whatever_would_forbid_the_drop_keeps_the_partition(house, name):  # noqa: F811
    """`plan` and `check` say so, too, and nothing is detached."""
    sql, reason = NEEDS[name]
    house.sql("""CREATE TABLE logs (id int DEFAULT 0 CHECK (id >= 0), at timestamptz NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
        CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY RANGE (id);
        CREATE TABLE logs_1a PARTITION OF logs_1 FOR VALUES FROM (0) TO (10);
        CREATE TABLE logs_2 PARTITION OF logs FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')""")
    house.sql(sql)
    own(house)
    say(house, more="batch = 10")
    assert [line[1:3] for line in house.plan("logs.old")] == [("logs_1", "kept"), ("logs_2", "removed")]
    assert house.plan("logs.old")[0][3] == reason
    said = [(one["level"], one["check"], one["detail"]) for one in house.pruned.run("check", "logs.old", "--json").ok().json()]
    assert ("ok", "partitions", "1 of 2 would go now") in said
    assert ("warning", "kept partitions", f"1 that would go stay: logs_1, {reason}") in said
    counters, _ = house.done("logs.old")
    assert counters == {"removed": 1, "updated_rows": 1, "kept": 1} and left(house) == ["logs_1"] and noted(house) == []


def test_what_goes_with_the_partition_keeps_nothing(house):  # noqa: F811
    """Its own keys, sequences, rules, triggers, generated columns and statistics, and those of its
    partitions."""
    house.sql("""CREATE TABLE kinds (id int PRIMARY KEY); INSERT INTO kinds VALUES (1);
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TABLE logs (id int, n bigint GENERATED ALWAYS AS (id * 2) STORED, at timestamptz NOT NULL, kind int REFERENCES kinds, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
        CREATE TRIGGER t AFTER INSERT ON logs FOR EACH ROW EXECUTE FUNCTION nothing();
        CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY RANGE (id);
        CREATE TABLE logs_1a PARTITION OF logs_1 FOR VALUES FROM (0) TO (10);
        CREATE SEQUENCE numbers OWNED BY logs_1a.id; ALTER TABLE logs_1a ALTER id SET DEFAULT nextval('numbers');
        ALTER TABLE logs_1a ADD CHECK (id + n >= 0), ADD UNIQUE (id); CREATE INDEX ON logs_1a ((id + n)) WHERE kind = 1;
        CREATE STATISTICS both_of ON id, kind FROM logs_1a; CREATE POLICY few ON logs_1 USING (id IN (SELECT id FROM logs_1a));
        CREATE RULE r AS ON INSERT TO logs_1a WHERE new.id < 0 DO INSTEAD NOTHING;
        CREATE TRIGGER u AFTER UPDATE ON logs_1a FOR EACH ROW WHEN (old.id IS DISTINCT FROM new.id) EXECUTE FUNCTION nothing();
        CREATE PUBLICATION few FOR TABLE logs_1a; CREATE VIEW last AS SELECT * FROM logs;
        INSERT INTO logs VALUES (1, DEFAULT, '2024-01-05', 1)""")
    own(house)
    say(house)
    assert [line[1:3] for line in house.plan("logs.old")] == [("logs_1", "removed")]
    assert house.done("logs.old")[0] == {"removed": 1, "updated_rows": 1} and tables(house) == ["logs"]


# --- what an operator sees

def test_check_says_who_must_own_what(house):  # noqa: F811
    house.sql("CREATE TABLE logs (at date) PARTITION BY RANGE (at); CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2024-02-01')")
    say(house)
    done = house.pruned.run("check", "logs.old", "--json")
    assert done.code == 3
    rights = [one for one in done.json() if one["check"] == "rights"]
    assert "logs" in rights[0]["detail"] and "OWNER TO" in rights[0]["remedy"], rights
    run = house.run("logs.old")
    assert run["result"]["status"] == "blocked" and "must be owner" in run["result"]["reason"]


def test_grants_make_the_role_a_member_of_the_owner(house):  # noqa: F811
    house.sql("""DO $$ BEGIN CREATE ROLE pruned_test_owner NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$""")
    make(house, OLD[:1])
    house.sql("ALTER TABLE logs OWNER TO pruned_test_owner; ALTER TABLE logs_1 OWNER TO pruned_test_owner")
    say(house)
    assert f"GRANT pruned_test_owner TO {ROLE};" in house.database.grants("run.jobs=none", f"run.jobs_dir={house.folder}").splitlines()
    house.database.grant("run.jobs=none", f"run.jobs_dir={house.folder}")
    assert house.pruned.run("check", "logs.old").code == 0
    assert house.done("logs.old")[0] == {"removed": 1, "updated_rows": 1}


@pytest.mark.check_all
@pytest.mark.parametrize("beside", [False, True])
def test_who_must_own_what_lies_below_a_partition(house, beside):  # noqa: F811
    """DETACH CONCURRENTLY adds a constraint to all of it; other ways ask for the partition."""
    house.sql("""DO $$ BEGIN CREATE ROLE pruned_test_below NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$""")
    house.sql(f"""CREATE TABLE logs (at date, kind int) PARTITION BY RANGE (at);
        CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY LIST (kind);
        CREATE TABLE logs_1a PARTITION OF logs_1 DEFAULT;
        ALTER TABLE logs OWNER TO {ROLE}; ALTER TABLE logs_1 OWNER TO {ROLE}; ALTER TABLE logs_1a OWNER TO pruned_test_below""")
    if beside:
        house.sql(f"CREATE TABLE logs_rest PARTITION OF logs DEFAULT; ALTER TABLE logs_rest OWNER TO {ROLE}")
    say(house)
    granted = f"GRANT pruned_test_below TO {ROLE};" in house.database.grants("run.jobs=none", f"run.jobs_dir={house.folder}").splitlines()
    done = house.pruned.run("check", "logs.old", "--json")
    wrong = [(one["check"], one["remedy"]) for one in done.json() if not one["ok"]]
    assert (granted, done.code, wrong) == ((False, 0, []) if beside else (True, 3, [("rights", f"GRANT pruned_test_below TO {ROLE};")]))
    if not beside:
        assert "must be owner of table logs_1a" in house.run("logs.old")["result"]["reason"]
        house.sql(f"ALTER TABLE logs_1a OWNER TO {ROLE}")
    assert house.pruned.run("check", "logs.old").code == 0
    assert house.done("logs.old")[0] == {"removed": 1, "updated_rows": 1}
    assert house.database.value("SELECT count(*) FROM pg_class WHERE relname ~ '^logs_1'") == 0


def test_check_tells_the_default_partition_and_what_is_due(house):  # noqa: F811
    make(house, default=True)
    say(house)
    lines = house.pruned.run("check", "logs.old", "--json").ok().json()
    assert ("partitions", "ok", "3 of 4 would go now") in [(one["check"], one["level"], one["detail"]) for one in lines]
    assert [one["detail"] for one in lines if one["level"] == "warning"] == [
        "logs has the default partition logs_rest: PostgreSQL detaches others only under a lock of logs that all queries wait for, a second at most"]
    assert house.pruned.run("check", "logs.old", "--apply", "1").code == 1


def test_jobs_show_prints_what_runs_and_no_folder_can_take_its_place(house, tmp_path):  # noqa: F811
    make(house)
    say(house)
    shown = house.pruned.run("jobs", "show", "logs.old").ok().stdout
    assert "DETACH PARTITION ... CONCURRENTLY" in shown and "INSERT INTO pruned.partitions" in shown and "interval '90 days'" in shown
    assert "[retention logs.old], in whose place it can stand" not in shown
    done = house.pruned.run("jobs", "show", "logs.old", "--to", tmp_path / "taken")
    assert done.code == 2 and "SQL files drop no partitions" in done.stderr
    assert not (tmp_path / "taken").exists()
