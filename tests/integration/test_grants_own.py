"""`pruned grants` for jobs of one's own: tables of other schemas, partitions, and what their
expressions and files read."""

import json
import subprocess

import pytest

from stack.found import pg_bin
from support.database import with_database
from support.places import ROLE
from support.sentences import house  # noqa: F401

RIGHTS = """SELECT n.nspname || '.' || c.relname AS name, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) AS rights
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE r.rolname = %s AND n.nspname <> 'pruned' AND c.relkind <> 'S' GROUP BY 1"""
ALL = "DELETE, INSERT, SELECT, UPDATE"
BILLING = """CREATE SCHEMA billing; CREATE TABLE billing.orders (id bigint PRIMARY KEY, old boolean); CREATE TABLE public.orders (id bigint PRIMARY KEY, old boolean);
    INSERT INTO billing.orders VALUES (1, true), (2, false); INSERT INTO public.orders VALUES (1, true)"""
LOGS = """CREATE TABLE lg (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id);
    CREATE TABLE lg_1 PARTITION OF lg FOR VALUES FROM (0) TO (10); CREATE TABLE lg_2 PARTITION OF lg FOR VALUES FROM (10) TO (20);
    INSERT INTO lg VALUES (1, true), (2, false), (11, true)"""


def make(house, statements):  # noqa: F811
    """Without rights for the daemon's role."""
    house.database.connection.execute(statements)


def granted(house):  # noqa: F811
    """Applies what is printed, as its reader would. Returns the rights on the application's
    tables."""
    house.database.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {ROLE}")
    house.database.grant("run.jobs=none", f"run.jobs_dir={house.folder}")
    return {row["name"]: row["rights"] for row in house.database.rows(RIGHTS, [ROLE])}


def lacks(house):  # noqa: F811
    """What doctor says of rights."""
    lines = house.pruned.run("doctor", "--json", settings={"run.jobs": "none"}).json()
    return [line["detail"] for line in lines if line["check"] in ("rights", "restore", "own jobs") and line["level"] != "ok"]


@pytest.mark.check_all
def test_a_table_of_another_schema_and_not_its_namesake(house):  # noqa: F811
    make(house, BILLING)
    house.say("billed", "table = billing.orders\nwhere = orders.old")
    assert granted(house) == {"billing.orders": ALL} and lacks(house) == []
    counters, run = house.done("billed")
    assert counters == {"removed": 1, "updated_rows": 1} and house.rows("public.orders", "id") == [(1,)]
    house.restore(run)
    assert house.rows("billing.orders", "id") == [(1,), (2,)]


def test_the_daemons_own_role_can_print_it_before_it_may_see_the_schema(house):  # noqa: F811
    make(house, BILLING + "; CREATE TABLE public.items (id bigint PRIMARY KEY)")
    house.say("billed", "table = billing.orders\nwhere = orders.old")
    house.say("items", "table = items\nwhere = id < 0")
    make(house, "CREATE TABLE billing.logs (day date) PARTITION BY RANGE (day)")
    house.say("logs", "table = billing.logs\ndrop_partitions_older_than = 9 days")
    printed = house.pruned.run("grants", settings={"run.jobs": "none"}).ok().stdout.splitlines()
    assert {f"GRANT USAGE ON SCHEMA billing TO {ROLE};", f"GRANT SELECT, INSERT, UPDATE, DELETE ON billing.orders TO {ROLE};",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON public.items TO {ROLE};", f"GRANT SELECT ON billing.logs TO {ROLE};"} <= set(printed)
    assert not [line for line in printed if "public.orders" in line]


def test_names_that_need_quotes(house):  # noqa: F811
    make(house, """CREATE SCHEMA "The. app"; CREATE TABLE "The. app"."Old "" rows" (id bigint PRIMARY KEY);
        CREATE TABLE "The. app"."Über" (id bigint, at date); INSERT INTO "The. app"."Old "" rows" VALUES (1)""")
    house.say("odd", """table = "The. app"."Old "" rows"\nwhere = NOT EXISTS (SELECT FROM ONLY "The. app"."Über" u WHERE u.id = "Old "" rows".id)""")
    assert granted(house) == {'The. app.Old " rows': ALL, "The. app.Über": "SELECT"} and lacks(house) == []
    assert house.done("odd")[0] == {"removed": 1, "updated_rows": 1}


@pytest.mark.check_all
def test_one_partition(house):  # noqa: F811
    make(house, LOGS)
    house.say("one", "table = lg_1\nwhere = dead")
    assert granted(house) == {"public.lg_1": ALL} and lacks(house) == []
    counters, run = house.done("one")
    assert counters == {"removed": 1, "updated_rows": 1} and house.rows("lg", "id") == [(2,), (11,)]
    house.restore(run)
    assert house.rows("lg", "id") == [(1,), (2,), (11,)]


@pytest.mark.check_all
def test_children_and_an_archive_of_another_schema(house):  # noqa: F811
    make(house, """CREATE SCHEMA old; CREATE TABLE memos (id bigint PRIMARY KEY, dead boolean); CREATE TABLE old.memos (LIKE memos);
        CREATE TABLE goods (id bigint PRIMARY KEY, dead boolean); CREATE TABLE old.parts (id bigint PRIMARY KEY, goods bigint REFERENCES goods);
        CREATE TABLE old.labels (id bigint PRIMARY KEY, part bigint REFERENCES old.parts ON DELETE CASCADE);
        INSERT INTO memos VALUES (1, true); INSERT INTO goods VALUES (1, true); INSERT INTO old.parts VALUES (1, 1); INSERT INTO old.labels VALUES (1, 1)""")
    house.say("memos", "table = memos\nwhere = dead\narchive = old.memos")
    house.say("goods", "table = goods\nwhere = dead\nchildren = auto")
    assert granted(house) == {"public.memos": ALL, "old.memos": ALL, "public.goods": ALL, "old.parts": ALL, "old.labels": ALL} and lacks(house) == []
    for job in ("memos", "goods"):
        _, run = house.done(job)
        house.restore(run)
    assert house.rows("old.memos") == [] and house.rows("old.labels", "id") == [(1,)] and house.rows("memos", "id") == [(1,)]


@pytest.mark.check_all
def test_sequences_of_an_archives_own_columns(house):  # noqa: F811
    """Of its table's columns the archive gets the values; an identity needs no right."""
    make(house, """CREATE SCHEMA old; CREATE SEQUENCE old."Nr"; CREATE TABLE memos (id bigserial PRIMARY KEY, dead boolean);
        CREATE TABLE old.memos (LIKE memos INCLUDING DEFAULTS, at bigserial, nr bigint DEFAULT nextval('old."Nr"') * 2, n bigint GENERATED ALWAYS AS IDENTITY);
        INSERT INTO memos VALUES (1, true)""" + f"; GRANT USAGE ON SCHEMA old TO {ROLE}; GRANT ALL ON memos, old.memos TO {ROLE}")
    house.say("memos", "table = memos\nwhere = dead\narchive = old.memos")
    lacking = {"old.memos_at_seq", 'old."Nr"'}
    said = {line["remedy"] for line in house.pruned.run("check", "memos", "--json").json() if "on sequence" in line["detail"]}
    assert said == {f"GRANT USAGE ON SEQUENCE {name} TO {ROLE};" for name in lacking}
    (line,) = [line for line in house.pruned.run("doctor", "--json").json() if line["check"] == "rights" and "sequence" in line["detail"]]
    assert all(f"USAGE on sequence {name}" in line["detail"] for name in lacking)
    granted(house)
    assert set(house.database.column("SELECT c.oid::regclass::text FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee"
                                     " WHERE r.rolname = %s AND c.relkind = 'S' AND c.relname ~ '^(memos|Nr)'", [ROLE])) == lacking
    assert lacks(house) == [] and house.done("memos")[0] == {"removed": 1, "updated_rows": 1}
    assert house.rows("old.memos") == [(1, True, 1, 2, 1)]


@pytest.mark.parametrize("where, reads", [
    ("id IN (SELECT a.id FROM one a, other.two AS b , ONLY three, four WHERE a.id = b.id)", {"one", "other.two", "three", "four"}),
    ("id IN (SELECT a.id FROM one AS a JOIN other.two USING (id))", {"one", "other.two"}),
    ("EXISTS (WITH one AS (SELECT 1) SELECT FROM other.TWO)", {"other.two"}),
    ("id > (SELECT count(*) FROM other.nothing())", set()),
    ("id > (SELECT count(*) FROM pg_class, pg_catalog.pg_type, information_schema.tables)", set()),
])
def test_what_an_expression_reads(house, where, reads):  # noqa: F811
    make(house, """CREATE SCHEMA other; CREATE TABLE things (id bigint PRIMARY KEY); CREATE TABLE one (id bigint); CREATE TABLE other.two (id bigint);
        CREATE TABLE three (id bigint); CREATE TABLE four (id bigint); CREATE TABLE five (id bigint);
        CREATE FUNCTION other.nothing() RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 1::bigint'""")
    house.say("things", f"table = things\nwhere = {where}")
    assert granted(house) == {"public.things": ALL} | {one if "." in one else f"public.{one}": "SELECT" for one in reads}


def write(house, files):  # noqa: F811
    """The folder of a job."""
    for file, text in files.items():
        path = house.folder / "orders" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_folder_reads_another_schema(house):  # noqa: F811
    make(house, BILLING + "; CREATE TABLE billing.lines (id bigint PRIMARY KEY); CREATE TABLE billing.closed (id bigint)")
    write(house, {
        "job.conf": "[job]\nstarts = tick\ntable = orders\ncursor = id bigint\n[what removed]\n",
        "page.sql": "SELECT o.id AS key, o.id FROM orders o, billing.lines l WHERE o.id = l.id AND o.id > :cursor.id::bigint"
                    " AND o.id NOT IN (SELECT c.id FROM billing.closed c) ORDER BY o.id LIMIT :limit::int\n",
        "apply/removed/20-orders.sql": "DELETE FROM orders t USING unnest(:key::bigint[]) k (id) WHERE t.id = k.id RETURNING t.id AS key, to_jsonb(t.*) AS row\n"})
    assert granted(house) == {"public.orders": ALL, "billing.lines": "SELECT", "billing.closed": "SELECT"} and lacks(house) == []
    make(house, f"REVOKE SELECT ON billing.closed FROM {ROLE}")
    assert "this role lacks SELECT on billing.closed" in lacks(house)


def test_all_of_the_table_of_a_folder_is_granted_and_only_what_its_files_do_is_missed(house):  # noqa: F811
    make(house, BILLING + "; CREATE TABLE seen (id bigint PRIMARY KEY)")
    write(house, {
        "job.conf": "[job]\nstarts = tick\ntable = seen\ncursor = id bigint\n[what noted]\n",
        "page.sql": "SELECT o.id AS key, o.id FROM orders o WHERE o.id > :cursor.id::bigint ORDER BY o.id LIMIT :limit::int\n",
        "decide.sql": "SELECT u.key AS key, 'noted' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) u (key)\n",
        "apply/noted/10-seen.insert.sql":
            "INSERT INTO seen SELECT k.id FROM unnest(:key::bigint[]) k (id) RETURNING id AS key, to_jsonb(seen.*) AS row\n"})
    assert granted(house) == {"public.seen": ALL, "public.orders": "SELECT"}
    make(house, f"REVOKE UPDATE, DELETE ON seen FROM {ROLE}")
    assert lacks(house) == []
    make(house, f"REVOKE INSERT ON seen FROM {ROLE}")
    assert "this role lacks INSERT on seen" in lacks(house)


def test_without_a_database(house):  # noqa: F811
    house.say("billed", "table = Billing.orders\nwhere = old\nchildren = items(o)")
    house.say("own", 'table = "Old, rows"\nwhere = true')
    printed = house.pruned.run("grants", "--role", "somebody", settings={"run.jobs": "none", "postgres.url": "postgresql://127.0.0.1:1/x"}).ok().stdout.splitlines()
    rights = ("SELECT", "INSERT", "UPDATE", "DELETE")
    names = ('"billing"."orders"', '"public"."items"', '"public"."Old, rows"')
    assert {line for line in printed if '"' in line and "pruned" not in line and "SCHEMA" not in line} == {
        f'GRANT {right} ON {name} TO "somebody";' for right in rights for name in names}
    assert 'GRANT USAGE ON SCHEMA "billing" TO "somebody";' in printed


# --- what doctor says of them

def test_doctor_names_what_another_schema_lacks(house):  # noqa: F811
    make(house, BILLING)
    house.say("billed", "table = billing.orders\nwhere = orders.old")
    granted(house)
    make(house, f"REVOKE DELETE, INSERT ON billing.orders FROM {ROLE}")
    said = lacks(house)
    assert "this role lacks DELETE on billing.orders" in said and "`pruned restore` needs a role with INSERT on billing.orders" in said
    make(house, f"REVOKE USAGE ON SCHEMA billing FROM {ROLE}")
    assert any("USAGE on schema billing" in one for one in lacks(house))


def test_doctor_names_what_a_partition_lacks(house):  # noqa: F811
    make(house, LOGS)
    house.say("one", "table = lg_1\nwhere = dead")
    granted(house)
    make(house, f"REVOKE DELETE ON lg_1 FROM {ROLE}")
    assert "this role lacks DELETE on lg_1" in lacks(house)


def test_what_is_printed_is_taken_by_psql_as_a_whole(house):  # noqa: F811
    make(house, BILLING + ";" + LOGS)
    house.say("billed", "table = billing.orders\nwhere = orders.old")
    house.say("one", "table = lg_1\nwhere = dead")
    lines = [json.loads(line)["sql"] for line in house.pruned.run("grants", "--json", settings={"run.jobs": "none"}).ok().stdout.splitlines()]
    done = subprocess.run([pg_bin() / "psql", "-q", "-v", "ON_ERROR_STOP=1", house.database.url], text=True, capture_output=True,
                          input=";\n".join(lines) + ";")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def managed(house):  # noqa: F811
    """As a managed service has it: (a role that owns what it has made and is no superuser, the
    owner of a table of logs, of which it is a member)."""
    master, keeper = (f"{name}_{house.database.name}" for name in ("master", "keeper"))
    make(house, f"""CREATE ROLE {keeper}; CREATE ROLE {master} LOGIN IN ROLE {keeper};
        CREATE TABLE daily_logs (day date) PARTITION BY RANGE (day); ALTER TABLE daily_logs OWNER TO {keeper};
        CREATE TABLE memos (id bigint PRIMARY KEY, old boolean); ALTER TABLE memos OWNER TO {master};
        ALTER SCHEMA public OWNER TO {master}; ALTER SCHEMA pruned OWNER TO {master};
        DO $$ DECLARE statement text; BEGIN
          FOR statement IN SELECT format('ALTER TABLE %s OWNER TO {master}', oid::regclass) FROM pg_class WHERE relnamespace = 'pruned'::regnamespace AND relkind IN ('r', 'p')
            UNION ALL SELECT format('ALTER ROUTINE %s OWNER TO {master}', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'pruned'::regnamespace
          LOOP EXECUTE statement; END LOOP; END $$""")
    yield master, keeper
    make(house, f"REASSIGN OWNED BY {master}, {keeper} TO CURRENT_USER; DROP OWNED BY {master}, {keeper}; DROP ROLE {master}, {keeper}")


def test_what_a_master_may_not_grant_comes_last_and_stops_nothing_else(house, managed):  # noqa: F811
    master, keeper = managed
    house.say("logs", "table = daily_logs\ndrop_partitions_older_than = 9 days")
    house.say("memos", "table = memos\nwhere = old")
    make(house, f"REVOKE ALL ON memos FROM {ROLE}")
    printed = house.pruned.run("grants", "--role", ROLE, settings={"run.jobs": "none"}).ok().stdout
    commit, remark, last = printed.splitlines()[-3:]
    assert (commit, last) == ("COMMIT;", f"GRANT {keeper} TO {ROLE};") and remark.startswith("-- For jobs that drop partitions.") and "ADMIN OPTION" in remark
    done = subprocess.run([pg_bin() / "psql", "-q", "-v", "ON_ERROR_STOP=1", with_database(house.database.url, house.database.name, master)],
                          text=True, capture_output=True, input=printed)
    assert done.returncode == 3 and keeper in done.stderr, done
    assert {"name": "public.memos", "rights": ALL} in house.database.rows(RIGHTS, [ROLE])
    assert not house.database.value("SELECT pg_has_role(%s, %s, 'MEMBER')", [ROLE, keeper])
