"""Rows below a job's own go with them, before or after: those of a row that stays are kept, and all
others go."""

import pytest

from support.own_job import NOTES, OWN, PAGE, blocks, counts, own, tick, without_notes  # noqa: F401
from support.scene import refuse_rows, result


@pytest.mark.check_all
def test_children_go_before_the_jobs_own_rows(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row) == {"status": "completed", "updated_rows": 1000, "removed": 1000}
    assert counts(scene) == counts(scene, "scratch_notes") == 0
    audited = scene.database.rows("SELECT table_name, sum(jsonb_array_length(keys))::int AS n FROM pruned.deletions GROUP BY 1 ORDER BY 1")
    assert {a["table_name"]: a["n"] for a in audited} == {"scratch_notes": 2000, "scratch": 1000}
    scene.run("restore", run_id).ok()
    assert (counts(scene), counts(scene, "scratch_notes")) == (1000, 2000)


def test_children_first_without_the_own_table_is_no_failure_of_the_rows(own):  # noqa: F811
    """The file on the job's own table is forgotten: the children would have gone, and their rows
    would be `failed`."""
    scene = own({"apply/removed/10-scratch_notes": NOTES})
    blocks(scene, "apply/removed/10-scratch_notes.sql", "200 rows of scratch_notes for 100 keys")
    assert counts(scene, "scratch_notes") == 2000


# --- the children of a row that stays

def test_a_row_that_stays_keeps_its_children_and_the_others_go(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    refuse_rows(scene.database, "OLD.id % 100 = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    stay = list(range(5, 1000, 100))
    assert (row["state"], row["attempts"], result(row)["removed"], result(row)["failed"]) == ("finished", 0, 990, 10)
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == stay
    assert scene.database.column("SELECT DISTINCT scratch_id FROM scratch_notes ORDER BY 1") == stay
    assert counts(scene, "scratch_notes") == 20
    assert scene.database.column("SELECT item FROM pruned.quarantine ORDER BY length(item), item") == [f"scratch:{key}" for key in stay]
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions WHERE table_name = 'scratch_notes'") == 1980


def test_a_row_that_fails_keeps_its_children_too(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    refuse_rows(scene.database, "OLD.id IN (5, 950)")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["failed"] == 2
    assert scene.database.column("SELECT DISTINCT scratch_id FROM scratch_notes ORDER BY 1") == [5, 950]


def test_files_behind_the_own_table_do_not_see_its_refused_rows(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_notes": NOTES})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["failed"] == 1
    assert scene.database.column("SELECT scratch_id FROM scratch_notes") == [5, 5]


def test_files_behind_and_before_the_own_table_go_together(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN,
                 "apply/removed/30-scratch_log.insert": "INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) k"})
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 999
    assert counts(scene, "scratch_log") == 999 and scene.database.value("SELECT count(*) FROM scratch_log WHERE id = 5") == 0


def test_all_rows_below_a_row_may_go_before_it(own):  # noqa: F811
    """Several files on the job's own table: the last one that deletes is about the decided rows."""
    below = "DELETE FROM scratch s WHERE s.id > 500 AND s.id - 500 = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s) AS row"
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id <= 500 AND"), "apply/removed/10-scratch": below,
                               "apply/removed/20-scratch": OWN}))
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 500 and counts(scene) == 0


@pytest.mark.check_all
def test_two_processes_share_children_first_pages(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN}, batch=10)
    refuse_rows(scene.database, "OLD.id % 100 = 5", how="RETURN NULL")
    daemons = [scene.start() for _ in range(2)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    run_id = tick(scene)
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], result(row)["failed"], counts(scene), counts(scene, "scratch_notes")) == (990, 10, 10, 20)
