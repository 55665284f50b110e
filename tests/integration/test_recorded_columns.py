"""A column is kept out of the audit if its name looks like that of a secret and its type can hold
one. What is left out, and what cannot be put back without it, is said before rows go."""

import hashlib
import json

import pytest

from support.doctors import about, well  # noqa: F401
from support.places import ROLE
from support.sentences import house  # noqa: F401

SECRET = "s3cr3t"
NUMBERS = """CREATE TYPE digest_kind AS ENUM ('md5', 'none'); CREATE DOMAIN token_count AS numeric(20, 0);
    CREATE TABLE llm_usage (token_id bigint PRIMARY KEY, tokens_used int NOT NULL, email_digest_sent_at timestamptz, password_changed_on date NOT NULL,
      is_token bool NOT NULL, digest digest_kind NOT NULL, token_total token_count NOT NULL, token_ids bigint[] NOT NULL, token_valid tstzrange NOT NULL, at timestamptz);
    INSERT INTO llm_usage SELECT g, 10 * g, now(), '2026-01-01', true, 'md5', g, ARRAY[g], tstzrange(NULL, now()), now() - interval '100 days' FROM generate_series(1, 20) g"""
JOB = "table = {}\nwhere = at < :T - interval '30 days'\nmax_share = off"


def findings(house, job):  # noqa: F811
    done = house.pruned.run("check", job, "--json")
    return done.code, [(f["level"], f["detail"]) for f in done.json() if f["check"] == "record"]


def hashed(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_number_or_a_time_is_no_secret_whatever_its_name(house):  # noqa: F811
    house.sql(NUMBERS)
    house.say("llm.purge", JOB.format("llm_usage"))
    before = house.rows("llm_usage")
    assert findings(house, "llm.purge") == (0, [])
    _, run = house.done("llm.purge")
    assert house.rows("llm_usage") == []
    assert sorted(house.database.value("SELECT keys FROM pruned.deletions WHERE run_id = %s", [run])) == list(range(1, 21))
    who = house.pruned.run("who", "llm_usage:7").ok().stdout
    assert str(run) in who
    assert {line["action"] for line in house.restore(run)} == {"restored"}
    assert house.rows("llm_usage") == before


@pytest.mark.check_all
def test_a_key_that_is_a_secret_is_recorded_as_a_hash(house):  # noqa: F811
    house.sql(f"""CREATE TABLE sessions (token text PRIMARY KEY, note text, at timestamptz);
        CREATE TABLE grants (tenant int, reset_token uuid, at timestamptz, PRIMARY KEY (tenant, reset_token));
        INSERT INTO sessions VALUES ('{SECRET}', 'a note', now() - interval '100 days');
        INSERT INTO grants VALUES (5, '00000000-0000-0000-0000-00000000000a', now() - interval '100 days')""")
    house.say("sessions.purge", JOB.format("sessions"))
    code, said = findings(house, "sessions.purge")
    assert code == 2 and said == [("error", "sessions.token is not recorded, and it is the key, of which only a hash is recorded:"
                                            " the rows cannot be put back")]
    house.say("sessions.purge", JOB.format("sessions") + "\naudit = keys")
    house.say("grants.purge", JOB.format("grants") + "\naudit = keys")
    assert findings(house, "sessions.purge") == (0, [])
    _, run = house.done("sessions.purge")
    _, other = house.done("grants.purge")
    records = house.rows("pruned.deletions", "keys, rows", "table_name DESC")
    whole = json.dumps(records)
    assert SECRET not in whole and "00000000000a" not in whole
    assert [r[0] for r in records] == [[hashed(SECRET)], [{"tenant": 5, "reset_token": hashed("00000000-0000-0000-0000-00000000000a")}]]
    assert str(run) in house.pruned.run("who", f"sessions:{SECRET}").ok().stdout
    refused = house.pruned.run("restore", str(run), "--only", f"sessions:{SECRET}", "--json")
    assert refused.code == 6 and "only their keys" in refused.stdout + refused.stderr
    assert other


@pytest.mark.check_all
def test_what_cannot_be_put_back_is_said_before_rows_go(house):  # noqa: F811
    house.sql(f"""CREATE TABLE hooks (id int PRIMARY KEY, api_token text NOT NULL, pin_digest bytea, at timestamptz);
        INSERT INTO hooks SELECT g, '{SECRET}', '\\x00', now() - interval '100 days' FROM generate_series(1, 3) g""")
    named = "hooks.api_token (its rows cannot be put back), hooks.pin_digest"
    house.say("hooks.purge", JOB.format("hooks") + "\napprove = first")
    code, said = findings(house, "hooks.purge")
    assert code == 2 and [s[0] for s in said] == ["error", "warning"]
    assert f"not recorded: {named}" in house.pruned.run("plan", "hooks.purge").ok().stdout
    house.say("hooks.purge", JOB.format("hooks") + "\napprove = first\nrecord = api_token")
    held = house.run("hooks.purge")
    assert held["state"] == "held" and held["error"].endswith("; not recorded: hooks.pin_digest")
    house.pruned.run("discard", str(held["run_id"])).ok()
    house.say("hooks.purge", JOB.format("hooks") + "\nrecord = api_token\napprove = never")
    assert findings(house, "hooks.purge") == (0, [("warning", "hooks.pin_digest is not recorded: the rows come back without it")])
    _, run = house.done("hooks.purge")
    back = house.pruned.run("restore", str(run)).ok().stdout
    assert "3 restored (3 of them incomplete), 0 exist again, 0 cannot be" in back
    assert named in house.pruned.run("new", "hooks.other", "--table", "hooks", "--where", "at < :T", "--json").ok().stdout
    assert house.rows("hooks", "id, api_token, pin_digest") == [(i, SECRET, None) for i in (1, 2, 3)]


def own_files(house):  # noqa: F811
    """The same as a folder."""
    house.pruned.run("jobs", "show", "hooks.purge", "--to", house.folder).ok()
    (house.folder / "hooks.purge.conf").unlink()


@pytest.mark.parametrize("form", ["sentence", "folder"])
def test_a_job_whose_rows_could_not_come_back_is_refused_and_one_that_says_so_is_not(house, form):  # noqa: F811
    house.sql(f"""CREATE TABLE hooks (id int PRIMARY KEY, api_token text NOT NULL, at timestamptz);
        INSERT INTO hooks SELECT g, '{SECRET}', now() - interval '100 days' FROM generate_series(1, 3) g""")
    house.say("hooks.purge", JOB.format("hooks"))
    if form == "folder":
        own_files(house)
    house.work()
    [refused] = house.daemons[-1].lines("Job refused")
    assert refused["reason"] == ("hooks.api_token is not recorded, and it must not be null: the rows cannot be put back;"
                                 " if it is no secret, say record = hooks.api_token; if the rows need not come back, audit = keys")
    house.pruned.run("tick", "hooks.purge").ok()
    house.work()
    assert len(house.rows("hooks")) == 3
    house.say("hooks.keys", JOB.format("hooks") + "\naudit = keys")
    house.made = False
    _, run = house.done("hooks.keys")
    assert house.rows("hooks") == []
    shown = house.pruned.run("runs", str(run)).ok().stdout
    assert "nothing of it can be restored: " in shown and "--dry-run" not in shown


def test_a_run_of_which_nothing_can_come_back_says_why(house):  # noqa: F811
    """The column is not recorded since the run: its record is what counts."""
    house.sql("CREATE TABLE hooks (id int PRIMARY KEY, note text, at timestamptz); INSERT INTO hooks SELECT g, 'a', now() - interval '100 days' FROM generate_series(1, 3) g")
    house.say("hooks.purge", JOB.format("hooks"))
    _, run = house.done("hooks.purge")
    assert f"pruned restore {run} --dry-run" in house.pruned.run("runs", str(run)).ok().stdout
    house.sql("ALTER TABLE hooks ADD COLUMN kind text NOT NULL")
    shown = house.pruned.run("runs", str(run)).ok().stdout
    assert "nothing of it can be restored: not in the record, and must not be null: hooks.kind" in shown and "--dry-run" not in shown
    assert house.pruned.run("runs", str(run), "--json").ok().json()[-1] == {"next": [], "no_restore": "not in the record, and must not be null: hooks.kind"}


def test_a_name_that_is_recorded_in_vain_is_wrong(house):  # noqa: F811
    house.sql("CREATE TABLE hooks (id int PRIMARY KEY, api_token text, at timestamptz)")
    house.say("hooks.purge", JOB.format("hooks") + "\nrecord = api_tokn, id, hooks.api_token")
    assert findings(house, "hooks.purge") == (2, [("error", "record = hooks.api_tokn: there is no such column"),
                                                  ("error", "record = hooks.id: it is recorded anyway")])


@pytest.mark.check_all
def test_what_no_restore_brings_back_of_a_built_in_job_is_an_error_too(well):  # noqa: F811
    job, lost = "members.remove_expired", "members.invite_digest (its rows cannot be put back)"
    assert about(well, "restore") == []
    well.database.connection.execute("ALTER TABLE members ADD COLUMN invite_digest text NOT NULL, ADD COLUMN digest_sent_at timestamptz")
    checked = well.run("check", job, "--json")
    said = [(f["level"], f["detail"], f["remedy"]) for f in checked.json() if f["check"] == "record"]
    assert checked.code == 2 and said == [("error", "members.invite_digest is not recorded, and it must not be null: the rows cannot be put back",
                                           "if the rows need not come back, say [audit] rows_of = members: keys")]
    assert f"not recorded: {lost}" in well.run("plan", job).ok().stdout
    assert (job, lost) in [tuple(f["detail"].split(": not recorded: ")) for f in about(well, "restore")]
    kept = {"audit.rows_of": "members: keys"}
    assert [f for f in about(well, "restore", settings=kept) if f["detail"].startswith(job)] == []


def test_doctor_promises_no_restore_of_what_a_job_of_ones_own_loses(house):  # noqa: F811
    house.sql("CREATE TABLE hooks (id int PRIMARY KEY, api_token text NOT NULL, at timestamptz)")
    house.say("hooks.purge", JOB.format("hooks"))
    lines = house.pruned.run("doctor", "--json").json()
    assert [line["ok"] for line in lines if line["check"] == "restore"] == []
    assert any("hooks.api_token is not recorded" in line["detail"] for line in lines if line["check"] == "own jobs")


@pytest.mark.check_all
def test_a_look_that_fails_is_no_look_that_found_nothing(house):  # noqa: F811
    house.sql("CREATE TABLE docs (id bigint PRIMARY KEY, pin_token text NOT NULL, at timestamptz); INSERT INTO docs VALUES (1, 'x', now())")
    house.say("docs.purge", JOB.format("docs"))
    house.start()
    house.database.connection.execute(f"REVOKE EXECUTE ON FUNCTION pruned.secret_columns FROM {ROLE}")
    unknown = "permission denied for function secret_columns"
    for command in (("plan", "docs.purge"), ("new", "docs.other", "--table", "docs", "--where", "at < :T - interval '9 days'")):
        done = house.pruned.run(*command).ok()
        assert "It is not known what the audit leaves out" in done.stderr and unknown in done.stderr
    restore = [f for f in house.pruned.run("doctor", "--json").json() if f.get("check") == "restore"]
    assert [(f["level"], unknown in f["detail"]) for f in restore] == [("error", True)]
