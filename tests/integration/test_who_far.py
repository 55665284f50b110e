"""`pruned who` finds what a run did to rows that name a row long before it removed the row
itself."""

import json

import pytest

from test_who import who

RUN = "7fecac87-579a-560b-ad38-6378e9e225c0"
USER = 4711


def record(scene, step, table, row, action="updated", run=RUN):
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) VALUES (%s, %s, %s, %s, %s, %s)",
                           [run, step, table, action, json.dumps([row["id"]]), json.dumps([row])])


def test_a_user_whose_references_took_many_steps(scene):
    record(scene, 0, "issues", {"id": 1, "author_id": USER})
    record(scene, 1, "issues", {"id": 2, "author_id": 12})
    record(scene, 149, "merge_requests", {"id": 3, "author_id": USER})
    record(scene, 200, "users", {"id": USER}, "deleted")
    record(scene, 201, "issues", {"id": 4, "author_id": USER})  # behind its end
    record(scene, 0, "issues", {"id": 5, "author_id": USER}, run="00000000-0000-0000-0000-000000000001")
    found = [(line["table"], line["key"]) for line in who(scene, f"users:{USER}")]
    assert found == [("issues", "1"), ("merge_requests", "3"), ("users", str(USER))]


def test_a_group_whose_end_took_many_steps(scene):
    scene.database.connection.execute("CREATE TABLE boards (id bigint PRIMARY KEY, group_id bigint REFERENCES namespaces)")
    record(scene, 0, "boards", {"id": 1, "group_id": 12}, "deleted")
    record(scene, 1, "members", {"id": 2, "source_type": "Namespace", "source_id": 12}, "deleted")
    record(scene, 2, "members", {"id": 3, "source_type": "Project", "source_id": 12}, "deleted")
    record(scene, 3, "boards", {"id": 4, "group_id": 13}, "deleted")
    record(scene, 99, "namespaces", {"id": 12}, "deleted")
    found = [(line["table"], line["key"]) for line in who(scene, "namespaces:12")]
    assert found == [("boards", "1"), ("members", "2"), ("namespaces", "12")]


def test_records_without_rows_are_known_by_their_keys(scene):
    """[audit] rows = keys."""
    for step, table, key in ((0, "issue_assignees", {"user_id": USER, "issue_id": 7}), (99, "users", USER)):
        scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys) VALUES (%s, %s, %s, 'deleted', %s)",
                               [RUN, step, table, json.dumps([key])])
    assert [line["table"] for line in who(scene, f"users:{USER}")] == ["issue_assignees", "users"]


STEPS, BATCH = 2000, 300


@pytest.fixture
def long_run(scene):
    """A run of 600,000 rows, one of which is the row asked for."""
    scene.database.execute("SELECT pruned.ensure_day('deletions', current_date)")
    scene.database.execute(f"""
        INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows)
        SELECT '{RUN}', p, 'issues', 'updated', jsonb_agg(q.id),
               jsonb_agg(jsonb_build_object('id', q.id, 'author_id', CASE WHEN q.id = 5 THEN {USER} ELSE 1 END, 'note', md5(q.id::text)))
        FROM generate_series(0, {STEPS - 1}) p CROSS JOIN LATERAL (SELECT p * {BATCH} + i AS id FROM generate_series(0, {BATCH - 1}) i) q
        GROUP BY p""")
    record(scene, STEPS, "users", {"id": USER}, "deleted")
    return scene


@pytest.mark.check_all
def test_a_long_run_is_read_by_its_index(long_run):
    scanned = "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_all_tables WHERE schemaname = 'pruned' AND relname LIKE 'deletions%%'"
    before = long_run.database.value(scanned)
    assert [(line["table"], line["key"]) for line in who(long_run, f"users:{USER}")] == [("issues", "5"), ("users", str(USER))]
    long_run.database.execute("SELECT pg_stat_clear_snapshot()")
    assert long_run.database.value(scanned) == before
