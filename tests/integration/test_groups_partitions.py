"""Known tables that are partitioned here: a ctid alone does not identify a row, because rows that
stay have the same ctid in other partitions."""

import pytest

from support.doomed import audited, destroy, doom
from support.instance import tenant  # noqa: F401


@pytest.fixture
def doomed(tenant):  # noqa: F811
    return doom(tenant)


@pytest.mark.check_all
@pytest.mark.parametrize("table, kind", [
    ("ci_job_artifacts", "Project"), ("members", "Project"), ("notification_settings", "Project"), ("redirect_routes", "Project"),
    ("members", "Namespace"), ("notification_settings", "Namespace"), ("redirect_routes", "Namespace")])
def test_of_a_table_of_ours_in_partitions_only_rows_of_what_goes_go_with_what_is_below_them(doomed, table, kind):
    """The rows have the same ctid, each in its own partition."""
    doomed.database.connection.execute(f"""
        ALTER TABLE {table} RENAME TO in_one_piece;
        CREATE TABLE {table} (LIKE in_one_piece INCLUDING DEFAULTS, part int, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
        CREATE TABLE first_part PARTITION OF {table} FOR VALUES IN (1);
        CREATE TABLE second_part PARTITION OF {table} FOR VALUES IN (2);
        CREATE TABLE below (id bigserial PRIMARY KEY, of bigint, part int, FOREIGN KEY (of, part) REFERENCES {table} ON DELETE CASCADE);
        GRANT SELECT, INSERT, UPDATE, DELETE ON {table}, below TO PUBLIC""")
    user = doomed.user()
    more = {"ci_job_artifacts": {"job_id": 1, "file": "a.zip"}, "redirect_routes": {"path": "old"}, "notification_settings": {"user_id": user},
            "members": {"user_id": user, "access_level": 30, "type": "ProjectMember" if kind == "Project" else "GroupMember"}}[table]
    sources = (doomed.project_id, doomed.other_project) if kind == "Project" else (doomed.sub, doomed.neighbour)
    rows, below = [], []
    for part, source in enumerate(sources, 1):
        place = {"project_id": source} if table == "ci_job_artifacts" else {"source_type": kind, "source_id": source}
        rows.append(doomed.put(table, part=part, **place, **more))
        below.append(doomed.put("below", of=rows[-1], part=part))
    assert len(set(doomed.database.column(f"SELECT ctid FROM {table}"))) == 1
    assert destroy(doomed)["state"] == "finished"
    assert doomed.ids(table) == rows[1:] and doomed.ids("below") == below[1:]
    assert audited(doomed, table) == rows[:1] and audited(doomed, "below") == below[:1]
