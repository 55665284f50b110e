"""Which index `pruned check` asks for, of large tables: its command cures the finding, and a
finding that no command cures is a warning without one."""

import pytest

from support.sentences import house  # noqa: F401

BIG = """CREATE TABLE big (id bigint PRIMARY KEY, at timestamptz, "User" int, e text);
    INSERT INTO big SELECT i, now() - i * interval '1 s', i % 100, 'e' || i FROM generate_series(1, 12000) i; ANALYZE big"""
# Without an index each row is compared with all others: the catalogue alone says that there are
# many.
FEW = BIG.replace("12000", "1200")
SAY_MANY = "UPDATE pg_catalog.pg_class SET reltuples = 12000 WHERE oid = 'big'::regclass"
PARENTS = "CREATE TABLE parents (id bigint PRIMARY KEY, e text); INSERT INTO parents SELECT i, 'e' || i FROM generate_series(1, 12000) i; ANALYZE parents"


def found(house, job="gone"):  # noqa: F811
    """The exit code, and (level, detail, remedy) about indexes."""
    done = house.pruned.run("check", job, "--json")
    return done.code, [(one["level"], one["detail"], one["remedy"]) for one in done.json() if one["check"] == "index"]


def make(house, remedy):  # noqa: F811
    house.database.connection.execute(remedy)
    house.database.connection.execute("ANALYZE")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("keep, columns", [
    ('20 per "User" by at desc', '"User", at DESC NULLS LAST, id'), ("20 by at", "at, id"), ("20 by at desc, e", "at DESC NULLS LAST, e, id"),
    ('20 per e, "User" by at asc, id desc', 'e, "User", at, id DESC NULLS LAST')])
def test_the_newest_of_a_group_need_an_index_of_the_group_and_the_order(house, keep, columns):  # noqa: F811
    house.sql(f'{FEW}; CREATE INDEX ON big (id, "User"); CREATE INDEX ON big ("User", at); {SAY_MANY}')
    house.say("gone", f"table = big\nkeep = {keep}\nmax_share = off")
    code, [(level, detail, remedy)] = found(house)
    assert (code, level, detail) == (6, "error", "every run has to read all of big; this index avoids it (about 12,000 rows, to find those that stay)")
    assert remedy == f"CREATE INDEX CONCURRENTLY ON big ({columns});"
    make(house, remedy)
    house.sql(SAY_MANY)
    assert found(house) == (0, [])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("keep, columns", [('20 per "User" by at desc', '"User", at NULLS FIRST'), ("20 by at", "at DESC")])
def test_an_index_that_is_read_backwards_serves(house, keep, columns):  # noqa: F811
    house.sql(f"{BIG}; CREATE INDEX ON big ({columns})")
    house.say("gone", f"table = big\nkeep = {keep}")
    assert found(house) == (0, [])


def test_orphans_are_looked_for_in_the_whole_table(house):  # noqa: F811
    house.sql(BIG + ";" + PARENTS)
    house.say("gone", "table = big\nwhere = NOT EXISTS (SELECT FROM parents WHERE parents.id = big.id)")
    code, [(level, detail, remedy)] = found(house)
    assert (code, level, remedy) == (0, "warning", None) and detail.startswith("every run has to read all of big: each row is compared with another table")


def test_what_orphans_are_compared_with_needs_an_index(house):  # noqa: F811
    house.sql(BIG + ";" + PARENTS)
    house.say("gone", "table = big\nwhere = NOT EXISTS (SELECT FROM parents WHERE parents.e = big.e)")
    code, said = found(house)
    assert code == 6 and [remedy for level, _, remedy in said if level == "error"] == ["CREATE INDEX CONCURRENTLY ON parents (e);"]
    make(house, "CREATE INDEX CONCURRENTLY ON parents (e);")
    code, said = found(house)
    assert code == 0 and [level for level, _, _ in said] == ["warning"]


def test_orphans_of_some_time_need_an_index_of_that(house):  # noqa: F811
    house.sql(BIG + ";" + PARENTS)
    house.say("gone", "table = big\nwhere = at < :T - interval '1 hour' AND NOT EXISTS (SELECT FROM parents WHERE parents.id = big.id)")
    code, said = found(house)
    assert code == 6 and said[0][2] == "CREATE INDEX CONCURRENTLY ON big (at);", said
    make(house, said[0][2])
    assert found(house)[0] == 0


@pytest.mark.parametrize("where", ["id < 10 OR id % 40 = 0", "abs(id) < 10", "lower(e) = 'x'"])
def test_a_condition_that_an_index_of_its_column_does_not_serve(house, where):  # noqa: F811
    """The command that makes an index is not given where that index exists."""
    house.sql(f"{BIG}; CREATE INDEX big_e ON big (e)")
    house.say("gone", f"table = big\nwhere = {where}")
    code, [(level, detail, remedy)] = found(house)
    index = "big_e" if "(e)" in where else "big_pkey"
    assert (code, level) == (0, "warning") and detail == f"every run has to read all of big; index {index} does not avoid it (about 12,000 rows)"
    assert "CREATE INDEX" not in remedy and "partial index" in remedy
