"""`pruned check` counts the rows that foreign keys would take, empty or that would block, for the
keys of the page that it looks at."""

import pytest

from support.sentences import house  # noqa: F401

KINDS = {"CASCADE": "cascade", "SET NULL": "set null", "SET DEFAULT": "set default", "NO ACTION": "foreign key", "RESTRICT": "foreign key"}
WORDS = {"CASCADE": "go with those of orders", "SET NULL": "become NULL", "SET DEFAULT": "get their default", "NO ACTION": "block those of orders",
         "RESTRICT": "block those of orders"}


def tables(house, action, key="id int PRIMARY KEY", refers="o int", to="id", rows="n"):  # noqa: F811
    """Ten orders of which 4 are due; each has two items."""
    house.sql(f"""CREATE TABLE orders ({key}, dead bool); CREATE TABLE items (nr serial PRIMARY KEY, {refers});
        INSERT INTO orders SELECT {rows}, n < 5 FROM generate_series(1, 10) AS n;
        INSERT INTO items ({', '.join(one.split()[0] for one in refers.split(','))}) SELECT {rows} FROM generate_series(1, 10) AS n, generate_series(1, 2);
        ALTER TABLE items ADD FOREIGN KEY ({', '.join(one.split()[0] for one in refers.split(','))}) REFERENCES orders ({to}) ON DELETE {action}""")


def ties(house, job="b", **settings):  # noqa: F811
    done = house.pruned.run("check", job, "--json", settings=settings)
    assert done.code == 0, done
    return [(one["check"], one["detail"]) for one in done.json() if one["check"] in KINDS.values()]


def write_folder(house):  # noqa: F811
    """A folder follows nothing."""
    folder = house.folder / "b"
    (folder / "apply/removed").mkdir(parents=True)
    (folder / "job.conf").write_text("[job]\nstarts = tick\ntable = orders\nunique_key = b\ncursor = id int\nbatch = 3\n[what removed]\n")
    (folder / "page.sql").write_text("SELECT o.id AS key, o.id FROM orders o WHERE o.dead AND o.id > :cursor.id::int ORDER BY o.id LIMIT :limit::int")
    (folder / "apply/removed/10-orders.sql").write_text(
        "DELETE FROM orders o WHERE o.id = ANY (:key::int[]) RETURNING o.id AS key, to_jsonb(o.*) AS row")


@pytest.mark.parametrize("action", KINDS)
def test_rows_of_a_folders_page_are_counted(house, action):  # noqa: F811
    tables(house, action)
    write_folder(house)
    ((kind, said),) = ties(house)
    assert kind == KINDS[action] and WORDS[action] in said and said.endswith("; the first page (3 keys) has 6 such rows")


@pytest.mark.parametrize("key, refers, to, rows", [
    ("id int PRIMARY KEY", "o int", "id", "n"), ("id text PRIMARY KEY", "o text", "id", "'k' || n"), ("id char(4) PRIMARY KEY", "o char(4)", "id", "n"),
    ("id int, at date, PRIMARY KEY (id, at)", "o int, d date", "id, at", "n, '2026-01-01'::date + n"),
    ("id int PRIMARY KEY, code numeric(9, 2) UNIQUE", "c numeric(9, 2)", "code", "n, n / 4.0")])
def test_keys_of_any_kind(house, key, refers, to, rows):  # noqa: F811
    """The foreign key can refer to another column than the primary key."""
    if to == "code":
        house.sql("""CREATE TABLE orders (id int PRIMARY KEY, code numeric(9, 2) UNIQUE, dead bool); CREATE TABLE items (nr serial PRIMARY KEY, c numeric(9, 2) REFERENCES orders (code));
            INSERT INTO orders SELECT n, n / 4.0, n < 5 FROM generate_series(1, 10) AS n; INSERT INTO items (c) SELECT n / 4.0 FROM generate_series(1, 10) AS n, generate_series(1, 2)""")
    else:
        tables(house, "NO ACTION", key, refers, to, rows)
    house.say("b", "table = orders\nwhere = dead")
    ((kind, said),) = ties(house)
    assert kind == "foreign key" and said.endswith("; the first page (4 keys) has 8 such rows")


def test_no_rows_and_no_keys(house):  # noqa: F811
    tables(house, "NO ACTION")
    house.sql("DELETE FROM items WHERE o < 5")
    house.say("b", "table = orders\nwhere = dead")
    ((_, said),) = ties(house)
    assert said.endswith("; the first page (4 keys) has 0 such rows")
    house.sql("DELETE FROM orders WHERE dead")
    ((_, said),) = ties(house)
    assert said.endswith("by items_o_fkey")


def test_several_foreign_keys_are_counted_together(house):  # noqa: F811
    tables(house, "NO ACTION")
    house.sql("CREATE TABLE visits (id int PRIMARY KEY, a int REFERENCES orders, b int REFERENCES orders); INSERT INTO visits VALUES (1, 1, 2), (2, 9, 4), (3, 9, 9)")
    house.say("b", "table = orders\nwhere = dead")
    ((_, said),) = ties(house)
    assert said.startswith("rows of items, visits block those of orders") and said.endswith(" has 11 such rows")


def test_rows_of_children_that_go_are_not_counted_twice(house):  # noqa: F811
    tables(house, "NO ACTION")
    house.say("b", "table = orders\nwhere = dead\nchildren = auto")
    assert ties(house) == []


def test_a_large_table_without_an_index_is_not_read(house):  # noqa: F811
    tables(house, "NO ACTION")
    house.sql("INSERT INTO items (o) SELECT 9 FROM generate_series(1, 12000); ANALYZE items")
    house.say("b", "table = orders\nwhere = dead")
    said = [detail for _, detail in ties(house)]
    assert all("such row" not in one for one in said) and any("no index finds the rows of items" in one for one in said)
    house.sql("CREATE INDEX ON items (o)")
    assert ties(house)[0][1].endswith("; the first page (4 keys) has 8 such rows")


def test_a_key_that_is_not_the_tables_is_not_counted(house):  # noqa: F811
    tables(house, "NO ACTION")
    write_folder(house)
    page = house.folder / "b/page.sql"
    page.write_text(page.read_text().replace("o.id AS key", "'x' || o.id AS key"))
    done = house.pruned.run("check", "b", "--json")
    (said,) = [one["detail"] for one in done.json() if one["check"] == "foreign key"]
    assert said.endswith("by items_o_fkey")
