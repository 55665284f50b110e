"""Settings of PostgreSQL that a role, a database or the server gives our sessions: those that would
stop us are set by each transaction, the others are named by doctor."""

import pytest

from support.database import connect
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


@pytest.mark.parametrize("whose", ["DATABASE {1}", "ROLE {0} IN DATABASE {1}"])
def test_sessions_that_can_write_nothing_are_named_with_who_made_them_so(house, whose):  # noqa: F811
    """By `check`, by `doctor`, in the error of a command and in the log of a daemon that starts."""
    house.sql(TABLE)
    house.say("kept", "table = kept\nwhere = old")
    scope = whose.format(ROLE, house.database.name)
    house.sql(f"ALTER {scope} SET default_transaction_read_only = on")
    try:
        found = [f for f in house.pruned.run("check", "kept", "--json").json() if not f["ok"]]
        named = [f for f in about(house.pruned, "sessions")] + [f for f in found if f["check"] == "session"]
        for one in named:
            assert one["detail"].startswith("default_transaction_read_only is on: nothing can be written"), one
            assert f"ALTER {scope} RESET default_transaction_read_only" in one["remedy"], one
        assert len(named) == 2 and house.pruned.run("check", "kept").code == 3, (named, found)
        stopped = house.pruned.run("stop", "--reason", "x")
        assert stopped.code == 3 and "default_transaction_read_only is on for this role or database" in stopped.stderr, stopped
        house.start()
        daemon = house.pruned.start()
        assert daemon.wait() == 3 and "default_transaction_read_only is on for this role or database" in daemon.text()
    finally:
        with connect(house.database.server_url) as server:
            server.execute(f"ALTER {scope} RESET default_transaction_read_only")


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
