"""What changes between the search of a page on the standby and the locks is decided by the primary:
also where the process dies in between."""

import contextlib

import pytest

from support.places import ROLE
from support.scene import fill
from support.standby import NEVER, SENTENCE, scene, server  # noqa: F401

# PostgreSQL ends a transaction that was held for 10 s; then the page is searched again.
HELD_TOO_LONG = "idle-in-transaction"


@contextlib.contextmanager
def held_at_the_page(scene, page=1):  # noqa: F811
    """Holds the daemon between the search and the locks; at the end of the block it continues."""
    scene.with_faults()
    daemon = scene.start(environment={"PRUNED_FAULT": f"replica.page_found:stop:{page}"})
    daemon.run_id = scene.tick()
    daemon.wait_stopped()
    yield daemon
    daemon.thaw()


def done(scene, daemon, removed, **found_late):  # noqa: F811
    """The run has ended; FOUND_LATE counts what the primary decided, unless it was searched
    again."""
    scene.wait_run(daemon.run_id, deadline_s=90)
    scene.done(daemon.run_id, removed, **({} if HELD_TOO_LONG in daemon.text() else found_late))


@pytest.mark.check_all
def test_what_changes_after_the_search_is_decided_by_the_primary(scene):  # noqa: F811
    fill(scene.database, 25)
    with held_at_the_page(scene) as daemon:
        scene.database.execute("UPDATE scratch SET day = %s WHERE id IN (2, 3)", [NEVER])
        scene.database.execute("DELETE FROM scratch WHERE id IN (4, 14)")
    done(scene, daemon, 21, kept=2, gone=1)
    assert scene.left() == [2, 3]


@pytest.mark.check_all
def test_with_keep_a_row_that_has_become_one_of_the_newest_stays(scene):  # noqa: F811
    scene.say("[retention scratch.old]\ntable = scratch\nkeep = 5 per note by id desc\nbatch = 10\ndata_consistency = sticky\n")
    scene.database.execute("INSERT INTO scratch SELECT i, '2026-01-01', 'same' FROM generate_series(1, 30) i")
    with held_at_the_page(scene) as daemon:
        scene.database.execute("DELETE FROM scratch WHERE id BETWEEN 11 AND 28")
    done(scene, daemon, 7, kept=3)
    assert scene.left() == [8, 9, 10, 29, 30]


@pytest.mark.check_all
def test_an_orphan_that_has_found_its_parent_stays(scene):  # noqa: F811
    scene.database.execute("CREATE TABLE parents (id bigint PRIMARY KEY)")
    scene.database.execute(f"GRANT SELECT ON parents TO {ROLE}")
    scene.say("[retention scratch.old]\ntable = scratch\nwhere = NOT EXISTS (SELECT FROM parents p WHERE p.id = scratch.id)\n"
              "batch = 10\ndata_consistency = sticky\n")
    fill(scene.database, 25)
    with held_at_the_page(scene) as daemon:
        scene.database.execute("INSERT INTO parents VALUES (5), (15)")
    done(scene, daemon, 23, kept=1)
    assert scene.left() == [5, 15]


def test_rows_that_refer_to_each_other_go_with_all_that_has_come_meanwhile(scene):  # noqa: F811
    scene.database.execute("CREATE TABLE nodes (id bigint PRIMARY KEY, above bigint REFERENCES nodes, day date NOT NULL)")
    scene.database.execute("CREATE INDEX ON nodes (above)")
    scene.database.execute(f"GRANT SELECT, UPDATE, DELETE ON nodes TO {ROLE}")
    scene.database.execute("INSERT INTO nodes SELECT i, CASE WHEN i > 1 THEN i - 1 END, '2026-01-01' FROM generate_series(1, 25) i")
    scene.say(SENTENCE.replace("scratch\n", "nodes\n") + "children = auto\n")
    with held_at_the_page(scene) as daemon:
        scene.database.execute("INSERT INTO nodes VALUES (101, 10, '2026-01-01'), (102, 101, '2026-01-01')")
    scene.wait_run(daemon.run_id)
    assert scene.database.value("SELECT count(*) FROM nodes") == 0
    assert scene.pages().get(("replica", "used"), 0) >= 1


@pytest.mark.check_all
@pytest.mark.parametrize("page", [1, 2, 3])
def test_killed_between_the_search_and_the_locks_each_row_goes_once(scene, page):  # noqa: F811
    fill(scene.database, 25)
    scene.with_faults()
    killed = scene.start(environment={"PRUNED_FAULT": f"replica.page_found:kill:{page}"})
    run_id = scene.tick()
    assert killed.wait(60) == -9
    scene.start()
    scene.done(run_id, 25)
    assert scene.database.value("SELECT count(*) FROM pruned.deletions d, jsonb_array_elements(d.keys)") == 25
