"""Values that are never recorded are not shown elsewhere either."""

import json

import pytest

from support.sentences import house  # noqa: F401

H = "HUSHHUSH"
STORE = {"store.object.endpoint": f"http://user:{H}@127.0.0.1:1", "store.object.bucket": "b", "store.object.access_key": "k",
         "store.object.secret_key": "s"}


@pytest.mark.check_all
@pytest.mark.parametrize("column, settings", [
    ("session_token", {}), ("encrypted_password", {}), ("otp_secret", {}), ("email", {"audit.secret_columns": "email"}),
    *((column, {"audit.secret_columns": "email"}) for column in ("otp_secret", "client_secret", "private_key", "encrypted_password"))])
def test_the_commonest_values_of_a_held_run_are_masked(house, column, settings):  # noqa: F811
    house.sql(f"""CREATE TABLE sessions (id bigint PRIMARY KEY, {column} text, at date);
        INSERT INTO sessions SELECT i, '{H}' || i % 3, '2020-01-01' FROM generate_series(1, 200) i""")
    house.say("s.a", f"table = sessions\nwhere = {column} < 'ZZZ'\nmax_rows = 10\nbatch = 5")
    run = house.run("s.a", **settings)
    assert run["state"] == "held" and [v["value"] for v in run["held"]["values"]] == ["***"] * 3
    shown = [json.dumps(run["held"]), house.daemons[-1].text(), house.pruned.run("runs", str(run["run_id"])).stdout,
             repr([m.value for m in house.pruned.topics.outcomes("RunHeld")])]
    assert [text for text in shown if H in text] == []


@pytest.mark.parametrize("audit, shown", [("keys", ["***"] * 3), pytest.param("full", [f"{H}{n}" for n in range(3)], marks=pytest.mark.check_all)])
def test_values_that_the_audit_is_not_to_have_are_masked(house, audit, shown):  # noqa: F811
    """Where only keys are recorded, nobody is to read what stands in the rows. Days say nothing of
    a person."""
    house.sql(f"""CREATE TABLE people (id bigint PRIMARY KEY, city text, at timestamptz);
        INSERT INTO people SELECT i, '{H}' || i % 3, '2020-01-01 10:00+00' FROM generate_series(1, 21) i""")
    house.say("s.a", f"table = people\nwhere = city < 'ZZZ'\nmax_rows = 10\nbatch = 5\naudit = {audit}")
    house.say("s.b", f"table = people\nwhere = at < '2021-01-01'\nmax_rows = 10\nbatch = 5\naudit = {audit}")
    assert sorted(v["value"] for v in house.run("s.a")["held"]["values"]) == shown
    assert house.run("s.b")["held"]["values"] == [{"value": "2020-01-01", "rows": 21}]


def test_the_values_of_another_column_are_shown(house):  # noqa: F811
    house.sql("CREATE TABLE sessions (id bigint PRIMARY KEY, at date); INSERT INTO sessions SELECT i, '2020-01-01' FROM generate_series(1, 20) i")
    house.say("s.a", "table = sessions\nwhere = at < '2021-01-01'\nmax_rows = 10\nbatch = 5")
    assert house.run("s.a")["held"]["values"] == [{"value": "2020-01-01", "rows": 20}]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("command", ["status", "status --json", "doctor", "config"])
def test_a_password_in_the_endpoint_is_masked(stored, command):
    done = stored.run(*command.split(), settings=STORE)
    assert H not in done.stdout + done.stderr


@pytest.mark.check_all
@pytest.mark.parametrize("url", [f"postgresql:/u:{H}@h/x", f"postgresql//u:{H}@h/x", f"u:{H}@h/x", f"garbage={H}",
                                 f"postgres://u:{H}", f"host=127.0.0.1 port=1 garbage={H}"])
@pytest.mark.parametrize("command", ["status", "doctor", "config", "grants", "run"])
def test_no_part_of_an_address_that_cannot_be_read_is_shown(bare, command, url):
    done = bare.run(*command.split(), settings={"postgres.url": url})
    assert H not in done.stdout + done.stderr and (command != "config" or "***" in done.stdout)
