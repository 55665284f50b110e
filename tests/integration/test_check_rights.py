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


@pytest.mark.parametrize("job, right, table", LACKS)
def test_check_names_the_right_and_its_grant(house, job, right, table):  # noqa: F811
    make(house, job)
    assert [line for line in house.pruned.run("check", job, "--json").json() if not line["ok"]] == []
    revoke(house, (right, table))
    found = errors(house, "check", job)
    assert [(line["detail"], line["remedy"]) for line in found if line["check"] == "rights"] == [
        (f"this role lacks {right} on {table}", f"GRANT {right} ON public.{table} TO {ROLE};")]
    assert all("pruned grants --role" in line["remedy"] for line in found if line["check"] == "statements")
    house.database.connection.execute(next(line["remedy"] for line in found if line["check"] == "rights"))
    assert house.pruned.run("check", job).code == 0


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
