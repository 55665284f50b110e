"""Which schemas of the application's own path stand in ours (src/pg/sql/path.sql)."""

import psycopg

from support.places import ROLE
from support.statements import files, numbered

# schema: whether it is in the path
SCHEMAS = {"owned": True, "by_superuser": True, "with_table": False, "of_stranger": False, "open_to_all": False,
           "open_to_stranger": False, "never_made": False}


def test_only_schemas_that_are_there_and_that_no_stranger_can_fill(database):
    """Also for a role that may not read pg_roles."""
    stranger = f"{database.name}_stranger"
    database.execute(f"CREATE ROLE {stranger}")
    try:
        for name in SCHEMAS.keys() - {"never_made", "of_stranger"}:
            database.execute(f"CREATE SCHEMA {name}")
        database.execute(f"""CREATE SCHEMA of_stranger AUTHORIZATION {stranger}; ALTER SCHEMA owned OWNER TO {ROLE};
            CREATE TABLE with_table.t (id int); GRANT CREATE ON SCHEMA open_to_all TO PUBLIC; GRANT CREATE ON SCHEMA open_to_stranger TO {stranger};
            ALTER DATABASE {database.name} SET search_path = public, {', '.join(SCHEMAS)};
            REVOKE SELECT ON pg_catalog.pg_roles FROM PUBLIC""")
        sql, names = numbered(files()["pg/sql/path.sql"])
        values = {"app_schema": "public", "schemas": "auto"}
        with psycopg.connect(database.role_url) as session:
            session.execute(f"PREPARE path AS {sql}".encode())
            (path,) = session.execute(f"EXECUTE path({', '.join(repr(values[name]) for name in names)})").fetchone()
        assert path.split(", ") == ["pg_catalog", "public", *(name for name, there in SCHEMAS.items() if there), "pg_temp"]
    finally:
        database.execute(f"DROP OWNED BY {stranger} CASCADE; DROP ROLE {stranger}")
