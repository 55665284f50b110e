"""What `pruned check` and `pruned doctor` say of rights that a job of one's own lacks, and what to
do about them."""

import pytest

from support.places import ROLE
from support.sentences import house  # noqa: F401

TABLES = """CREATE TABLE r (id bigint PRIMARY KEY, dead boolean, mail text); CREATE TABLE r_c (id bigint PRIMARY KEY, o bigint REFERENCES r);
    CREATE TABLE r_g (id bigint PRIMARY KEY, c bigint REFERENCES r_c ON DELETE CASCADE); CREATE TABLE r_old (LIKE r); CREATE TABLE closed (id bigint, why text);
    CREATE INDEX ON r_c (o); CREATE INDEX ON r_g (c)"""
DOES = {
    "plain": "where = dead", "children": "where = dead\nchildren = auto", "archive": "where = dead\narchive = r_old",
    "reads": "where = dead AND NOT EXISTS (SELECT FROM closed c WHERE c.id = r.id)", "sets": "where = dead\nset = mail = (SELECT max(c.why) FROM closed c)"}
LACKS = [("plain", "SELECT", "r"), ("plain", "DELETE", "r"), ("plain", "UPDATE", "r"), ("children", "DELETE", "r_c"), ("children", "SELECT", "r_g"),
         ("children", "DELETE", "r_g"), ("archive", "INSERT", "r_old"), ("archive", "DELETE", "r_old"), ("reads", "SELECT", "closed"), ("sets", "SELECT", "closed")]


def make(house, *does):  # noqa: F811
    house.sql(TABLES)
    for name in does:
        house.say(name, f"table = r\n{DOES[name]}")


def revoke(house, *rights):  # noqa: F811
    for right, table in rights:
        house.database.connection.execute(f"REVOKE {right} ON {table} FROM {ROLE}")


def errors(house, command, *arguments):  # noqa: F811
    done = house.pruned.run(command, *arguments, "--json", settings={"run.jobs": "none"})
    assert done.code == 3 or command == "doctor" and done.code != 0, done
    return [line for line in done.json() if not line["ok"] and line["level"] == "error" and line["check"] != "topics"]


@pytest.mark.check_all
def test_check_names_the_right_and_its_grant(house):  # noqa: F811
    """One after the other; each is granted again."""
    make(house, *DOES)
    for job, right, table in LACKS:
        revoke(house, (right, table))
        found = errors(house, "check", job)
        assert [(line["detail"], line["remedy"]) for line in found if line["check"] == "rights"] == [
            (f"this role lacks {right} on {table}", f"GRANT {right} ON public.{table} TO {ROLE};")], (job, right, table)
        assert all("pruned grants --role" in line["remedy"] for line in found if line["check"] == "statements")
        house.database.connection.execute(next(line["remedy"] for line in found if line["check"] == "rights"))
    assert [line for line in house.pruned.run("check", "--json", settings={"run.jobs": "none"}).ok().json() if not line["ok"]] == []


def test_check_grants_a_function_of_a_condition(house):  # noqa: F811
    """`pruned grants` knows tables only."""
    house.sql(TABLES)
    house.sql("""CREATE FUNCTION "is Gone"(bigint, text DEFAULT '') RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
        REVOKE EXECUTE ON FUNCTION "is Gone" FROM public""")
    house.say("calls", 'table = r\nwhere = dead AND "is Gone"(id)')
    found = errors(house, "check", "calls")
    assert {line["remedy"] for line in found} == {f'GRANT EXECUTE ON FUNCTION public."is Gone"(bigint, text) TO {ROLE};'}
    house.database.connection.execute(found[0]["remedy"])
    assert house.pruned.run("check", "calls").code == 0


def test_columns_that_are_enough_are_enough(house):  # noqa: F811
    make(house, "reads")
    revoke(house, ("SELECT", "closed"))
    house.database.connection.execute(f"GRANT SELECT (id) ON closed TO {ROLE}")
    house.pruned.run("check", "reads").ok()


def test_doctor_knows_the_children_that_the_catalogue_names(house):  # noqa: F811
    make(house, "children")
    revoke(house, ("DELETE", "r_c"), ("UPDATE", "r_g"))
    found = errors(house, "doctor")
    assert {"this role lacks DELETE on r_c, UPDATE on r_g"} == {line["detail"] for line in found if line["check"] == "rights"}
    assert all("pruned grants" in line["remedy"] for line in found)


def test_doctor_is_no_remedy_of_its_own(house):  # noqa: F811
    make(house, *DOES)
    revoke(house, ("SELECT", "closed"), ("INSERT", "r_old"), ("SELECT", "r_g"))
    found = errors(house, "doctor")
    assert {line["check"] for line in found} == {"rights", "own jobs"}
    assert all("pruned grants --role" in line["remedy"] for line in found), found


def test_a_schema_that_the_role_may_not_use(house):  # noqa: F811
    house.database.connection.execute("CREATE SCHEMA billing; CREATE TABLE billing.orders (id bigint PRIMARY KEY, old boolean)")
    house.say("billed", "table = billing.orders\nwhere = old")
    found = errors(house, "check", "billed")
    assert f"GRANT USAGE ON SCHEMA billing TO {ROLE};" in {line["remedy"] for line in found}
    assert all(line["file"].endswith("billed.conf") and line["line"] == 1 for line in found)
    for line in found:
        if line["check"] == "rights":
            house.database.connection.execute(line["remedy"])
    house.pruned.run("check", "billed").ok()


# --- for another role ---

def as_owner(house):  # noqa: F811
    return {"run.jobs": "none", "postgres.url": house.database.url}


def check_as(house, job, *more, settings=None):  # noqa: F811
    return house.pruned.run("check", job, "--json", *more, settings=settings or as_owner(house))


@pytest.mark.check_all
def test_check_asks_for_the_role_that_it_is_given(house):  # noqa: F811
    """A superuser lacks nothing; the daemon's role does."""
    make(house, *DOES)
    for job, right, table in LACKS:
        revoke(house, (right, table))
        done = check_as(house, job, "--role", ROLE)
        assert done.code == 3 and [(line["detail"], line["remedy"]) for line in done.json() if line["check"] == "rights"] == [
            (f"{ROLE} lacks {right} on {table}", f"GRANT {right} ON public.{table} TO {ROLE};")], (job, right, table)
        house.database.connection.execute(f"GRANT {right} ON {table} TO {ROLE}")
    for job in DOES:
        assert check_as(house, job, "--role", ROLE).code == 0
    revoke(house, *{(right, table) for _, right, table in LACKS})
    for job in DOES:
        assert check_as(house, job).code == 0


def test_rows_that_are_hidden_from_the_role(house):  # noqa: F811
    make(house, "plain")
    house.sql("ALTER TABLE r ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON r USING (id < 5)")
    assert check_as(house, "plain").code == 0
    done = check_as(house, "plain", "--role", ROLE)
    (hidden,) = [line for line in done.json() if not line["ok"]]
    assert done.code == 3 and "row-level security hides rows of r from this role" in hidden["detail"]


def test_apply_has_the_rights_of_the_role(house):  # noqa: F811
    make(house, "plain")
    house.sql("INSERT INTO r VALUES (1, true)")
    revoke(house, ("DELETE", "r"))
    assert check_as(house, "plain", "--apply", "5").code == 0
    assert check_as(house, "plain", "--apply", "5", "--role", ROLE).code == 3


def test_a_role_that_is_not_there_and_one_that_is_not_ours(house):  # noqa: F811
    make(house, "plain")
    done = check_as(house, "plain", "--role", "nobody_here")
    assert done.code == 6 and "there is no role nobody_here" in done.stderr
    done = house.pruned.run("check", "plain", "--role", "postgres" if ROLE != "postgres" else "other", settings={"run.jobs": "none"})
    assert done.code in (3, 6) and "--role" in done.stderr
    if done.code == 3:
        assert f"{ROLE} may not act as" in done.stderr and "GRANT" in done.stderr


def test_check_says_that_a_daemon_has_another_role(house):  # noqa: F811
    make(house, "plain")
    house.start()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    seen = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %'"
    house.database.wait(seen)
    done = check_as(house, "plain")
    (said,) = [line for line in done.json() if line["check"] == "role"]
    assert done.code == 0 and said["level"] == "warning" and f"a daemon runs as {ROLE}" in said["detail"]
    assert said["remedy"] == f"pruned check plain --role '{ROLE}'"
    assert [line for line in check_as(house, "plain", "--role", ROLE).json() if line["check"] == "role"] == []
    assert [line for line in house.pruned.run("check", "plain", "--json").json() if line["check"] == "role"] == []
