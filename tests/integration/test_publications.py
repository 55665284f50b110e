"""A publication of all tables, as Debezium makes it: PostgreSQL refuses to change a row of a table
without a replica identity, so each table of the service has one."""

import pytest

from support.sentences import house  # noqa: F401

WITHOUT = """SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'pruned'::regnamespace AND c.relkind IN ('r', 'p') AND CASE c.relreplident
    WHEN 'f' THEN false WHEN 'n' THEN true
    WHEN 'i' THEN NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident)
    ELSE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) END"""


def test_each_table_of_the_service_has_an_identity_and_so_has_a_new_day(house):  # noqa: F811
    for parent in ("deletions", "runs_done"):
        house.database.execute("SELECT pruned.ensure_day(%s, '2031-01-01')", [parent])
    assert house.database.value("SELECT count(*) FROM pg_class WHERE relname LIKE '%\\_20310101' AND relkind = 'r'") == 2
    assert house.database.column(WITHOUT) == []


@pytest.mark.check_all
def test_with_a_publication_of_all_tables_a_bad_row_stops_no_other_and_all_comes_back(house):  # noqa: F811
    house.sql("""CREATE TABLE ev (id bigint PRIMARY KEY, at timestamptz NOT NULL, v text);
        CREATE TABLE child (id bigint PRIMARY KEY, ev_id bigint REFERENCES ev); CREATE INDEX ON child (ev_id);
        INSERT INTO ev SELECT i, now() - interval '100 days', 'x' FROM generate_series(1, 50) i;
        INSERT INTO ev SELECT i, now(), 'x' FROM generate_series(51, 5000) i; INSERT INTO child VALUES (1, 7); ANALYZE;
        CREATE PUBLICATION everything FOR ALL TABLES""")
    house.say("ev", "table = ev\nwhere = at < :T - interval '30 days'")
    done, run = house.done("ev")
    assert done["removed"] == 49 and done["failed"] == 1, done
    assert [r for r, in house.rows("ev", "id") if r <= 50] == [7]
    house.restore(run)
    assert house.database.value("SELECT count(*) FROM ev WHERE id <= 50") == 50
    owner = {"postgres.url": house.database.url}
    house.pruned.run("forget", "ev", "8", settings=owner).ok()
    assert house.database.value("SELECT count(*) FROM pruned.deletions WHERE action = 'forgotten'") == 1
    house.pruned.run("quarantine", "retry", "ev", "ev:7").ok()
    assert house.database.value("SELECT count(*) FROM pruned.quarantine WHERE NOT parked") >= 1
