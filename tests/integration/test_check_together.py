"""`pruned check` of all jobs says of each what it says of it alone."""

import pytest

from integration.test_check import JOB, own  # noqa: F401
from support.places import ROLE
from support.scene import fill


@pytest.mark.check_all
def test_jobs_are_told_the_same_together_as_alone(own):  # noqa: F811
    fill(own.database, 10)
    own.database.connection.execute(
        f"""CREATE TABLE orders (id bigint PRIMARY KEY, dead boolean); CREATE TABLE items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders);
            CREATE TABLE locked (id bigint PRIMARY KEY); CREATE TABLE hidden (id bigint PRIMARY KEY); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
            CREATE TABLE large (id bigint PRIMARY KEY, note text); INSERT INTO large SELECT i FROM generate_series(1, 20000) i; ANALYZE large;
            CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
            CREATE TRIGGER seen AFTER DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION nothing();
            GRANT SELECT, UPDATE, DELETE ON orders, items, hidden, large TO {ROLE}; GRANT SELECT, UPDATE ON locked TO {ROLE}""")
    for name, lines in {"orders.well": "table = orders\nwhere = dead\nchildren = items", "orders.held": "table = orders\nwhere = dead AND random() < 1",
                        "orders.wrong": "table = orders\nwhere = died", "nothing": "table = nowhere\nwhere = true",
                        "locked": "table = locked\nwhere = id < 0", "hidden": "table = hidden\nwhere = id < 0", "large": "table = large\nwhere = note = 'x'",
                        "days": "table = scratch\ndrop_partitions_older_than = 9 days"}.items():
        (own.folder / f"jobs/{name}.conf").write_text(f"[retention]\n{lines}\n")
    together = own.run("check", "--json").json()
    names = {one["job"] for one in together}
    assert names >= {JOB, "scratch.one", "orders.well", "orders.held", "orders.wrong", "nothing", "locked", "hidden", "large", "days"}
    for job in names:
        assert own.run("check", job, "--json").json() == [one for one in together if one["job"] == job]
    wrong = {(one["job"], one["check"]) for one in together if not one["ok"]}
    assert wrong == {("orders.wrong", "statements"), ("nothing", "sentence"), ("locked", "statements"), ("locked", "rights"),
                     ("hidden", "row-level security"), ("large", "index"), ("days", "sentence")}
    assert {one["check"] for one in together if one["job"] == JOB} >= {"triggers"}
    assert {one["check"] for one in together if one["job"] == "orders.held"} >= {"condition", "foreign key"}
