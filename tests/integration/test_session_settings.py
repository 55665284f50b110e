"""Settings of PostgreSQL that a role, a database or the server gives our sessions: those that would
stop us are set by each transaction, the others are named by doctor."""

import pytest

from support.doctors import about
from support.places import ROLE
from support.sentences import house  # noqa: F401

TABLE = """CREATE TABLE kept (id bigint PRIMARY KEY, old boolean); INSERT INTO kept SELECT g, true FROM generate_series(1, 3) g;
    CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = 2 THEN RAISE 'no'; END IF; RETURN OLD; END $$;
    CREATE TRIGGER t BEFORE DELETE ON kept FOR EACH ROW EXECUTE FUNCTION no()"""


def test_a_session_that_would_end_with_each_error_goes_on(house):  # noqa: F811
    house.sql(TABLE)
    house.sql(f"ALTER ROLE {ROLE} IN DATABASE {house.database.name} SET exit_on_error = on")
    house.say("kept", "table = kept\nwhere = old")
    counters, _ = house.done("kept")
    assert counters == {"removed": 2, "updated_rows": 2, "failed": 1} and house.rows("kept", "id") == [(2,)]


@pytest.mark.check_all
@pytest.mark.parametrize("setting, value, level", [
    ("zero_damaged_pages", "on", "error"), ("ignore_checksum_failure", "on", "error"), ("synchronous_commit", "off", "warning"),
    ("idle_session_timeout", "'20 s'", "warning"), ("idle_session_timeout", "'5 min'", None)])
def test_what_changes_a_promise_is_named_by_doctor(stored, setting, value, level):
    name = stored.database.name
    for scope in (f"DATABASE {name}", f"ROLE {ROLE} IN DATABASE {name}"):
        stored.database.execute(f"ALTER {scope} SET {setting} = {value}")
        found = about(stored, "sessions")
        assert [f["level"] for f in found] == ([level] if level else []), found
        if found:
            assert found[0]["detail"].startswith(f"{setting} is ") and f"ALTER {scope} RESET {setting}" in found[0]["remedy"]
        stored.database.execute(f"ALTER {scope} RESET {setting}")
    assert about(stored, "sessions") == []
