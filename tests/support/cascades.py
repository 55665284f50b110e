"""A group that is due for deletion, with tables that are tied to it by foreign keys of every
kind."""

import pytest

from .doomed import doom
from .instance import tenant  # noqa: F401

TABLES = """
CREATE TABLE plans (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE plan_lines (id bigserial PRIMARY KEY, plan_id bigint REFERENCES plans ON DELETE CASCADE,
                         project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE plan_tags (id bigserial PRIMARY KEY, plan_id bigint REFERENCES plans ON DELETE CASCADE);
CREATE TABLE tasks (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE,
                    parent_id bigint REFERENCES tasks ON DELETE CASCADE);
CREATE TABLE builds (partition_id bigint, id bigint, project_id bigint REFERENCES projects ON DELETE CASCADE,
                     PRIMARY KEY (partition_id, id));
CREATE TABLE build_logs (id bigserial PRIMARY KEY, partition_id bigint, build_id bigint,
                         FOREIGN KEY (partition_id, build_id) REFERENCES builds ON DELETE CASCADE);
CREATE TABLE build_hints (id bigserial PRIMARY KEY, partition_id bigint, build_id bigint,
                          FOREIGN KEY (partition_id, build_id) REFERENCES builds ON DELETE SET NULL);
CREATE TABLE odd_names (id bigserial PRIMARY KEY, t text, x text, d text, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE odd_hints (id bigserial PRIMARY KEY, t text, x text, d text, project_id bigint REFERENCES projects ON DELETE SET NULL);
CREATE TABLE odd_lines (t text, x text, d text, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE visits (project_id bigint REFERENCES projects ON DELETE CASCADE, day date) PARTITION BY RANGE (day);
CREATE TABLE visits_before PARTITION OF visits FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE visits_after PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE TABLE group_notes (id bigserial PRIMARY KEY, group_id bigint REFERENCES namespaces ON DELETE CASCADE);
GRANT SELECT, UPDATE, DELETE ON plans, plan_lines, plan_tags, tasks, builds, build_logs, build_hints, group_notes, odd_names, odd_hints, odd_lines, visits TO PUBLIC;
"""


@pytest.fixture
def doomed(tenant):  # noqa: F811
    doom(tenant)
    tenant.database.connection.execute(TABLES)
    return tenant


def once(tenant, table, what):  # noqa: F811
    """WHAT runs the first time that a statement deletes rows of TABLE."""
    tenant.database.connection.execute(f"""
        CREATE SEQUENCE times;
        CREATE FUNCTION once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          IF EXISTS (SELECT FROM gone) AND nextval('times') = 1 THEN {what}; END IF; RETURN NULL; END $$;
        CREATE TRIGGER once AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION once()""")
