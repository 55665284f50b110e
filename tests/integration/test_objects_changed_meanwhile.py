"""An object whose row another session changes while a step leases objects is no object at fault."""

import threading

import psycopg
import pytest

from support.objects import local_objects as objects  # noqa: F401
from support.statements import numbered, text_of, SRC

ROWS = 20000
GIVEN = {"reached": "NULL::timestamptz", "edge": "NULL::timestamptz", "down": "'{}'::int[]", "kept": "'{}'::bigint[]",
         "limit": f"{ROWS}::int", "setting.lease_ms": "60000::bigint"}
CHANGE = """DO $$ BEGIN FOR n IN 1 .. 400 LOOP
              UPDATE ci_deleted_objects SET pick_up_at = pick_up_at - interval '1 us' WHERE id = %s - n; COMMIT; END LOOP; END $$"""


@pytest.mark.check_all
def test_a_row_that_is_changed_as_it_is_leased_is_left_to_the_next_step(objects):  # noqa: F811
    """In each round the changes of 400 rows are committed one by one while the statement locks
    rows; some come between its snapshot and its lock."""
    objects.database.execute(f"INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at) "
                             f"SELECT 1, 'd', n::text, now() - interval '1 hour' FROM generate_series(1, {ROWS}) AS n")
    last = objects.database.value("SELECT max(id) FROM ci_deleted_objects")
    sql, names = numbered(text_of(SRC / "jobs/ci.delete_objects/lease.sql"))
    with psycopg.connect(objects.database.url, autocommit=True) as one, psycopg.connect(objects.database.url, autocommit=True) as other:
        one.execute(f"PREPARE lease AS {sql}".encode())
        missed = 0
        for _ in range(5):
            writer = threading.Thread(target=lambda: other.execute((CHANGE % last).encode()))
            writer.start()
            found = one.execute(f"EXECUTE lease({', '.join(GIVEN[name] for name in names)})".encode()).fetchall()
            writer.join()
            assert [row for row in found if not row[-1]] == []
            missed += ROWS - len(found)
            one.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
    assert missed > 0, "no change came between"
