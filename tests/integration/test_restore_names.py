"""Tables that are called as a type of PostgreSQL is: a name in SQL that stands for a type is not
theirs."""

import pytest

from support.sentences import house  # noqa: F401

NAMES = ["line", "name", "time", "box", "json", "jsonb", "text", "record", "bool", "int8", "timestamp", "interval", "trigger"]


@pytest.mark.check_all
@pytest.mark.parametrize("what", ["", "\nset = dead = false", "\narchive = kept"])
def test_rows_of_such_tables_come_back(house, what):  # noqa: F811
    for name in NAMES:
        house.sql(f"""CREATE TABLE "{name}" (id int PRIMARY KEY, dead boolean, n text); INSERT INTO "{name}" VALUES (1, true, 'x'), (2, false, 'y');
            CREATE TABLE "{name}_kept" (LIKE "{name}")""")
        house.say(f"of.{name}", f'table = "{name}"\nwhere = dead{what}'.replace("= kept", f"= {name}_kept"))
    before = {name: house.rows(f'"{name}"') for name in NAMES}
    for run in house.tick(*[f"of.{name}" for name in NAMES]):
        assert run["state"] == "finished" and run["result"]["updated_rows"] == 1, run
        (line,) = house.restore(run["run_id"])
        assert (line["key"], line["action"]) == ("1", "restored"), run
    assert {name: house.rows(f'"{name}"') for name in NAMES} == before
