"""Secrets are neither in keys nor in rows of the audit. Settings say for each table what is
recorded. People's rows can be forgotten."""

import hashlib
import json

import pytest

from integration.test_users_catalogue import running  # noqa: F401
from support.places import ROLE
from support.restored import EXPIRED, QUIET, actions, expired, restore, tenant  # noqa: F401

SECRET = "s3cr3t"
# Tables without a primary key: one in the references of users.destroy, one with a foreign key; and
# a table whose key is a secret.
TABLES = f"""
    CREATE TABLE devices (user_id bigint, name text, encrypted_password text, otp_secret text, private_key text, client_secret text,
                          "feedToken" text, hash text, odd_column text);
    CREATE TABLE sessions (user_id bigint REFERENCES users ON DELETE CASCADE, name text, access_token text, otp_secret text);
    CREATE TABLE tokens (token text PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE);
    GRANT SELECT, INSERT, UPDATE, DELETE ON devices, sessions, tokens TO {ROLE};
"""
REFERENCES = {"jobs.users.destroy.references": "devices.user_id; issues.author_id"}


@pytest.fixture
def gone(expired):  # noqa: F811
    """A bot with devices is destroyed with its membership."""
    database = expired.database
    database.connection.execute(TABLES)
    for name in ("one", "two", "three"):
        database.execute("INSERT INTO devices VALUES (%(u)s, %(n)s, %(s)s, %(s)s, %(s)s, %(s)s, %(s)s, 'a hash', %(s)s)",
                         {"u": expired.bot, "n": name, "s": SECRET})
    database.execute("INSERT INTO sessions VALUES (%(u)s, 'here', %(s)s, %(s)s), (%(u)s, 'there', %(s)s, %(s)s)", {"u": expired.bot, "s": SECRET})
    database.execute("INSERT INTO tokens VALUES (%s, %s)", [SECRET, expired.bot])
    return expired


def end(gone, **settings):
    run = gone.tick(EXPIRED, **{"audit.secret_columns": "odd_column"} | QUIET | REFERENCES | settings)
    child = gone.database.value("SELECT run_id::text FROM pruned.runs WHERE job = 'users.destroy'")
    assert gone.row("users", gone.bot) is None
    return str(run["run_id"]), child


def audit(gone, table):
    return gone.database.row("SELECT keys, rows FROM pruned.deletions WHERE table_name = %s", [table])


def test_no_secret_is_in_the_audit_and_rows_without_a_key_are_known_by_their_columns(gone):
    end(gone)
    whole = json.dumps(gone.database.rows("SELECT keys, rows FROM pruned.deletions"))
    assert SECRET not in whole and "a hash" in whole
    devices, sessions, tokens = (audit(gone, t) for t in ("devices", "sessions", "tokens"))
    assert sorted(k["name"] for k in devices["keys"]) == ["one", "three", "two"]
    assert set(devices["keys"][0]) == {"user_id", "name", "hash"} and devices["keys"] == devices["rows"]
    assert sessions["keys"] == sessions["rows"] and set(sessions["keys"][0]) == {"user_id", "name"}
    assert tokens["keys"] == ["sha256:" + hashlib.sha256(SECRET.encode()).hexdigest()]


def test_the_usual_secrets_are_masked_without_a_setting(gone):
    gone.database.execute("UPDATE devices SET odd_column = 'odd'")
    gone.tick(EXPIRED, **QUIET | REFERENCES)
    whole = json.dumps(gone.database.rows("SELECT keys, rows FROM pruned.deletions"))
    assert SECRET not in whole and "a hash" in whole and '"odd"' in whole


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["ALTER TABLE notes ADD api_token text DEFAULT %s", "ALTER TABLE notes RENAME remark TO otp_secret",
                                    "ALTER TABLE notes DROP remark, ADD remark text DEFAULT 'a remark', ADD push_token text DEFAULT %s"])
def test_a_secret_column_that_appears_is_masked_by_the_very_next_run(running, change):  # noqa: F811
    """The connection and its prepared statements are the same."""
    running.database.execute("ALTER TABLE notes ADD remark text DEFAULT 'a remark'")
    running.rows = [("notes", "author_id")]
    running.pruned.start().wait_line("Partitions assigned")
    _, run = running.destroy()
    before = recorded(running, run)
    assert before["remark"] == "a remark"
    running.database.execute(change.replace("%s", f"'{SECRET}'"))
    _, run = running.destroy()
    after = recorded(running, run)
    gone = {"remark"} if "RENAME" in change else set()
    assert set(after) == set(before) - gone and SECRET not in json.dumps(after)


def recorded(running, run):  # noqa: F811
    (rows,) = running.database.column("SELECT rows FROM pruned.deletions WHERE run_id = %s AND table_name = 'notes'", [run["run_id"]])
    return rows[0]


def test_rows_without_a_key_come_back_without_their_secrets(gone):
    run, child = end(gone)
    lines = restore(gone.pruned, child, "--partial")
    back = [line for line in lines if line["table"] == "sessions"]
    assert actions(back) == {"restored"} and len(back) == 2 and all("otp_secret" in line["reason"] for line in back)
    assert gone.database.rows("SELECT * FROM sessions ORDER BY name") == [
        {"user_id": gone.bot, "name": name, "access_token": None, "otp_secret": None} for name in ("here", "there")]
    again = [line for line in restore(gone.pruned, child, "--partial") if line["table"] == "sessions"]
    assert actions(again) == {"exists again"}


def test_a_table_can_be_recorded_otherwise_than_the_others(gone):
    end(gone, **{"audit.rows_of": "sessions: keys; members: off"})
    assert audit(gone, "members") is None and audit(gone, "sessions")["rows"] is None and audit(gone, "users")["rows"] is not None


@pytest.mark.check_all
def test_a_users_rows_are_forgotten_and_the_audit_says_so(gone):
    run, child = end(gone)
    owner = {"postgres.url": gone.database.url}
    person = gone.people[0]
    gone.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) VALUES (%s, 9, 'users', 'deleted', %s, %s)",
                          [run, f"[{person}, 4711]", json.dumps([{"id": person, "email": "a@b"}, {"id": 4711, "email": "c@d"}])])
    refused = gone.pruned.run("forget", "users", person)
    assert refused.code == 3 and "owner of schema pruned" in refused.stderr
    done = gone.pruned.run("forget", "users", person, "--json", settings=owner).ok()
    said = {line["table"]: line["forgotten"] for line in done.json()}
    assert said == {"users": 1, "members": 1, "notification_settings": 1, "todos": 1}
    rows = gone.database.rows("SELECT table_name, keys, rows FROM pruned.deletions WHERE action <> 'forgotten'")
    assert not [r for r in rows for row in r["rows"] if person == row.get("user_id") or (r["table_name"] == "users" and row["id"] == person)]
    assert all(len(r["keys"]) == len(r["rows"]) for r in rows) and any(4711 in r["keys"] for r in rows)
    traces = gone.database.rows("SELECT run_id::text, table_name, keys, rows FROM pruned.deletions WHERE action = 'forgotten' ORDER BY table_name")
    assert {(t["run_id"], t["table_name"]) for t in traces} == {(run, t) for t in said} and all(t["rows"] is None for t in traces)
    assert traces[0]["keys"] == [gone.ids_gone[0]] and "a@b" not in json.dumps(traces)
    again = gone.pruned.run("forget", "users", person, settings=owner)
    assert again.code == 6
    gone.database.execute("DELETE FROM pruned.deletions WHERE step = 9")
    lines = {(line["table"], line["key"]): line for line in restore(gone.pruned, run, "--partial")}
    assert lines["members", str(gone.ids_gone[0])]["action"] == "cannot be"
    assert "forget" in lines["members", str(gone.ids_gone[0])]["reason"]
    assert lines["members", str(gone.ids_gone[1])]["action"] == "restored"
