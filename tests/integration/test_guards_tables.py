"""What a job changes is counted in each kind of table: by partitions, through a view, and where
PostgreSQL counts nothing."""

from support.own_job import HIDDEN, OWN, PAGE, blocks, goes_well, hide, own, tick, without_notes  # noqa: F401
from support.places import ROLE
from support.scene import result


def partition(scene):
    scene.database.connection.execute(f"""
        ALTER TABLE scratch RENAME TO flat;
        CREATE TABLE scratch (id bigint, day date NOT NULL, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (id);
        CREATE TABLE scratch_low PARTITION OF scratch FOR VALUES FROM (0) TO (300);
        CREATE TABLE scratch_high PARTITION OF scratch FOR VALUES FROM (300) TO (2000) PARTITION BY RANGE (day);
        CREATE TABLE scratch_high_1 PARTITION OF scratch_high DEFAULT;
        INSERT INTO scratch SELECT * FROM flat;
        GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}""")


def test_rows_of_partitions_are_rows_of_the_table(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    partition(scene)
    assert goes_well(scene)["removed"] == 1000


def test_a_partitioned_table_is_guarded_by_its_partitions(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": HIDDEN}))
    partition(scene)
    hide(scene, "DELETE FROM scratch")
    blocks(scene, "10-scratch.sql", "deletes 1000 rows of scratch", "returns 100")


def test_a_key_that_names_rows_of_several_partitions_removes_none(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    partition(scene)
    scene.database.connection.execute("INSERT INTO scratch VALUES (350, '2026-02-02', 'the same id')")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row)["status"] == "blocked" and "the key 350 twice" in result(row)["reason"], row


def test_updates_that_move_rows_to_another_partition_are_updates(own):  # noqa: F811
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id < 1000 AND"), "apply/removed/10-scratch.update":
                               "WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)"
                               " UPDATE scratch s SET id = s.id + 1000 FROM was WHERE s.id = was.id"
                               " RETURNING was.id AS key, to_jsonb(was) AS row"}, rows=999))
    partition(scene)
    scene.database.connection.execute(f"CREATE TABLE scratch_top PARTITION OF scratch FOR VALUES FROM (2000) TO (9000);"
                                      f" GRANT UPDATE ON scratch_top TO {ROLE}")
    assert goes_well(scene, left=999)["removed"] == 999


def test_a_view_is_not_counted_and_so_not_doubted(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute(f"ALTER TABLE scratch RENAME TO flat; CREATE VIEW scratch AS SELECT * FROM flat;"
                                      f" GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}")
    assert goes_well(scene)["removed"] == 1000


def test_without_counts_the_returned_rows_are_still_checked(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute(f"ALTER ROLE {ROLE} IN DATABASE \"{scene.database.name}\" SET track_counts = off")
    assert goes_well(scene)["removed"] == 1000
