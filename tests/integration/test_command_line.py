"""The contract of the command line: help, usage errors, and what is said when a server, a right or
the schema is missing."""

import json
import re
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg import conninfo

from support.command_line import FEW, JOB, says
from support.pruned import clean_environment


# --- help and usage

def test_help_lists_every_command_and_each_shows_an_example(bare):
    whole = bare.run("--help").ok().stdout
    assert max(map(len, whole.splitlines())) <= 80, whole
    listed = re.findall(r"^  ([a-z]+) +\S", whole.split("Options:")[0], re.M)
    assert {"run", "demo", "migrate", "topics", "jobs", "status", "config", "tick", "emit", "runs", "plan",
            "quarantine", "pause", "resume", "retry", "discard", "version"} <= set(listed)
    for command in listed:
        text = bare.run(command, "--help").ok().stdout
        assert max(map(len, text.splitlines())) <= 80, text
        assert re.match(rf"Usage: pruned {command}( \S.*)?\n", text)
        assert re.search(rf"Example:\n  pruned( .*)? {command}\b", text)


@pytest.mark.parametrize("arguments, words", [
    ([], ["--help"]),
    (["tik", JOB], ["unknown command 'tik'", "did you mean 'tick'"]),
    (["tick", JOB, "--wiat"], ["unknown option '--wiat'", "did you mean '--wait'"]),
    (["--jsno", "jobs"], ["unknown option '--jsno'", "did you mean '--json'"]),
    (["tick"], ["usage: pruned tick JOB"]),
    (["tick", JOB, "more"], ["too many"]),
    (["tick", JOB, "--at", "yesterday"], ["--at"]),
    (["tick", JOB, "--at", "2026-11-21T10:00:00"], ["--at"]),
    (["tick", JOB, "--wait=soon"], ["--wait"]),
    (["tick", JOB, "--arg", "cursor"], ["cursor"]),
    (["tick", JOB, "--arg", "cursr=1"], ["unknown argument 'cursr'", "did you mean 'cursor'"]),
    (["tick", JOB, "--arg", "cursor=1", "--arg", "cursor=2"], ["cursor"]),
    (["tick", JOB, "--at", "2999-01-01"], ["24 hours"]),
    (["tick", "users.refresh_authorizations", "--arg", "a=1"], ["unknown argument 'a'"]),
    (["runs", "--state", "finishd"], ["did you mean 'finished'"]),
    (["runs", "--since", "then"], ["--since"]),
    (["runs", "--limit", "0"], ["--limit"]),
    (["runs", "--limit", "x"], ["--limit"]),
    (["quarantine", "lst"], ["did you mean 'list'"]),
    (["emit", "MemberExpirySet", "membr_id=1"], ["unknown field 'membr_id'", "did you mean 'member_id'"]),
    (["emit", "MemberExpirySet", "member_id=1"], ["expires_at"]),
    (["emit", "MemberExpirySet", "member_id=x", "expires_at=null"], ["member_id"]),
    (["emit", "MemberExpirySet", "member_id"], ["FIELD=VALUE"]),
    (["emit", "MemberExpirySet", "member_id=1", "member_id=2"], ["twice"]),
    (["emit", "MemberExpirySet", "--json-file", "/nonexistent"], ["/nonexistent"]),
])
def test_a_usage_error_names_the_thing_and_ends_with_1(bare, arguments, words):
    assert says(bare.run(*arguments), 1, *words).stdout == ""


@pytest.mark.parametrize("arguments, words", [
    (["tick", "members.remove_expird"], ["did you mean 'members.remove_expired'"]),
    (["runs", "--job", "nothing"], ["unknown job 'nothing'"]),
    (["pause", "nothing"], ["unknown job"]),
    (["resume", "nothing"], ["unknown job"]),
    (["quarantine", "retry", "nothing"], ["unknown job"]),
    (["emit", "MemberExpirySte"], ["unknown event type", "did you mean 'MemberExpirySet'"]),
    (["emit", "pruned.outcomes.MemberRemoved"], ["unknown event type"]),
])
def test_an_unknown_name_ends_with_6(bare, arguments, words):
    says(bare.run(*arguments), 6, *words)


def test_global_options_stand_before_or_behind_the_command(bare):
    before, behind = bare.run("--json", "version").ok(), bare.run("version", "--json").ok()
    assert before.json() == behind.json()


def test_version_names_what_it_is_made_of(bare):
    lines = bare.run("version", "--json").ok().json()
    assert {line["name"] for line in lines} >= {
        "pruned", "librdkafka", "libpq", "avro-c", "libcurl", "glib", "jansson"}
    assert all(re.match(r"\d", line["version"]) for line in lines)


def terminal_of(pruned, *arguments, **options):
    """What a command writes to a terminal."""
    argv = pruned.argv(*arguments, **options)
    return subprocess.run(
        ["script", "-qec", " ".join(f"'{word}'" for word in argv), "/dev/null"],
        env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def test_a_terminal_gets_a_table_and_a_pipe_plain_lines(stored):
    piped = stored.run("jobs").ok().stdout
    assert piped.splitlines()[0].split("\t")[:2] == ["job", "enabled"]
    on_terminal = terminal_of(stored, "jobs")
    assert "\x1b[" in on_terminal and "\t" not in on_terminal and "\x1b[" not in piped


# --- PostgreSQL

@pytest.mark.parametrize("command", [["jobs"], ["runs"], ["quarantine"], ["pause", JOB], ["status"],
                                     ["tick", JOB, "--wait=1"], ["retry", str(uuid.uuid4())]])
def test_without_the_schema_the_remedy_is_named(bare, command):
    done = bare.run(*command)
    assert done.code == 3, done
    assert "run: pruned migrate" in done.stdout + done.stderr


def test_no_postgres(bare):
    done = bare.run("jobs", settings={"postgres.url": "postgresql://somebody@127.0.0.1:1/x"})
    says(done, 3, "127.0.0.1", "[postgres] url")


def test_wrong_database(bare):
    url = bare.database.url.replace(bare.database.name, "no_such_database")
    says(bare.run("jobs", settings={"postgres.url": url}), 3, "no_such_database")


def test_wrong_password(bare):
    # another worker has created it
    bare.database.execute("""DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'asked_for_password') THEN
            CREATE ROLE asked_for_password LOGIN PASSWORD 'the right one';
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$""")
    url = conninfo.make_conninfo(bare.database.url, user="asked_for_password", password="hush-hush")
    done = says(bare.run("jobs", settings={"postgres.url": url}), 3, "password authentication failed",
                "[postgres] url")
    assert "hush-hush" not in done.stderr


def test_a_password_is_not_shown(bare):
    url = "postgresql://somebody:hush-hush@127.0.0.1:1/x"
    assert "hush-hush" not in says(bare.run("jobs", settings={"postgres.url": url}), 3).stderr


def test_an_older_schema_is_told_from_a_newer_one(new_pruned, new_database, topics):
    database = new_database("migrated")
    pruned = new_pruned(database, topics)
    wanted = database.value("SELECT max(version) FROM pruned.schema_version")
    database.execute("INSERT INTO pruned.schema_version (version) VALUES (%s)", [wanted + 1])
    says(pruned.run("jobs"), 3, "newer", str(wanted + 1))
    says(pruned.run("migrate", settings={"postgres.url": database.url}), 3, "newer")
    database.execute("DELETE FROM pruned.schema_version WHERE version > 0")
    database.execute("INSERT INTO pruned.schema_version (version) VALUES (0)")
    says(pruned.run("jobs"), 3, "run: pruned migrate")


@pytest.fixture
def newer(new_pruned, database, topics):
    """A later version has migrated. COMPATIBLE_FROM: the oldest version that may still run; None:
    only versions that know the step."""
    pruned = new_pruned(database, topics, settings=FEW)
    pruned.run("topics", "--apply").ok()
    wanted = database.value("SELECT max(version) FROM pruned.schema_version")

    def of(compatible_from):
        database.execute("INSERT INTO pruned.schema_version (version, compatible_from) VALUES (%s, %s)",
                         [wanted + 1, compatible_from and wanted + compatible_from])
        return pruned

    return of


@pytest.mark.check_first(1)
@pytest.mark.parametrize("compatible_from", [1, None])
def test_stop_works_with_a_newer_schema_that_run_refuses(newer, compatible_from):
    pruned = newer(compatible_from)
    pruned.run("pause", JOB).ok()
    assert pruned.database.value("SELECT paused FROM pruned.controls WHERE job = %s", [JOB])
    pruned.run("resume", JOB).ok()
    pruned.run("stop").ok()
    assert pruned.run("status", "--json").json()[0]["stop"]["since"]
    pruned.run("go").ok()
    assert pruned.run("status", "--json").json()[0]["stop"] is None
    assert pruned.run("runs", "--json").ok().json() == []
    status = pruned.run("status", "--json")
    assert status.code != 3 and status.json()[0]["postgres"]["connected"]
    says(pruned.run("run", "--until-idle"), 3, "newer")
    says(pruned.run("jobs"), 3, "newer")


def test_a_newer_schema_that_allows_it_is_worked_with(newer):
    pruned = newer(-1)
    pruned.run_until_idle()
    pruned.run("jobs").ok()


def test_a_missing_right_is_named(stored):
    stored.database.execute("REVOKE SELECT ON pruned.quarantine FROM PUBLIC, pruned_test_daemon")
    says(stored.run("quarantine"), 3, "quarantine", "pruned grants")


def test_a_missing_table_is_named(stored):
    stored.database.execute("DROP TABLE pruned.quarantine")
    says(stored.run("quarantine"), 3, "quarantine", "run: pruned migrate")


# --- Kafka

@pytest.mark.check_all
def test_no_broker(stored):
    """Each waits for it for some seconds; here side by side."""
    nowhere = {"kafka.bootstrap.servers": "127.0.0.1:1", "kafka.message.timeout.ms": 2000}
    commands = [("topics",), ("tick", JOB), ("run",), ("dead",), ("replay", "--from", "-1h")]
    with ThreadPoolExecutor(len(commands)) as pool:
        for done in pool.map(lambda words: stored.run(*words, settings=nowhere), commands):
            says(done, 4, "127.0.0.1:1")


def test_topics_are_compared_and_made(bare):
    names = {"ticks", "events", "outcomes", "dead", f"work.{JOB}"}
    missing = bare.run("topics", "--json")
    assert missing.code == 6, missing
    lines = {line["topic"]: line for line in missing.json()}
    assert {bare.topics.full(name) for name in names} <= set(lines)
    assert all(line["state"] == "missing" and line["partitions"] is None for line in lines.values())
    assert bare.topics.partitions() == {}
    bare.run("topics", "--apply").ok()
    bare.run("topics").ok()
    assert bare.topics.partitions() == {
        name.removeprefix(f"{bare.topics.prefix}."): line["wanted"] for name, line in lines.items()}


def test_a_topic_with_too_few_partitions_grows(bare):
    bare.run("topics", "--apply").ok()
    more = {f"jobs.{JOB}.capacity": 3}
    done = bare.run("topics", "--json", settings=more)
    assert done.code == 6, done
    small = [line for line in done.json() if line["state"] != "ok"]
    assert [(line["topic"], line["partitions"], line["wanted"]) for line in small] == [
        (bare.topics.full(f"work.{JOB}"), 1, 3)]
    bare.run("topics", "--apply", settings=more).ok()
    assert bare.topics.partitions()[f"work.{JOB}"] == 3
    bare.run("topics").ok()  # more partitions than needed are fine


def test_a_missing_topic_is_named_with_its_remedy(bare):
    says(bare.run("tick", JOB), 4, bare.topics.full("ticks"), "run: pruned topics --apply")
    says(bare.run("emit", "ObjectsMarkedForDeletion"), 4, bare.topics.full("events"), "run: pruned topics --apply")


# --- the daemon's start

def test_the_daemon_does_not_start_without_its_schema(bare):
    says(bare.run("run"), 3, "run: pruned migrate")


def test_the_daemon_does_not_start_without_postgres(stored):
    says(stored.run("run", settings={"postgres.url": "postgresql://somebody@127.0.0.1:1/x"}), 3, "127.0.0.1")


def test_the_daemon_does_not_start_without_its_topics(stored):
    says(stored.run("run"), 4, stored.topics.full("ticks"), "run: pruned topics --apply")


def test_the_daemon_does_not_start_with_a_setting_librdkafka_does_not_know(stored):
    says(stored.run("run", settings={"kafka.no.such.property": 1}), 2, "kafka.no.such.property")


def test_fewer_partitions_than_the_capacity_are_reported(stored):
    stored.run("topics", "--apply").ok()
    done = stored.run("run", "--until-idle", settings={"jobs.users.destroy.capacity": 5})
    assert done.code == 0, done
    [line] = [line for line in map(json.loads, done.stderr.splitlines())
              if line["level"] == "warning" and line.get("topic") == stored.topics.full("work.users.destroy")]
    assert (line["partitions"], line["capacity"]) == ("2", "5") and "pruned topics --apply" in line["remedy"]


def test_a_missing_index_of_a_cursor_is_logged_at_each_start(stored):
    stored.run("topics", "--apply").ok()

    def warned():
        done = stored.run("run", "--until-idle").ok()
        return {(line["job"], line["index"]): line for line in map(json.loads, done.stderr.splitlines())
                if line["level"] == "warning" and "index" in line}

    line = warned()[JOB, "pruned_members_expires_at_id"]
    assert (line["table"], line["remedy"]) == ("members", "pruned migrate --indexes")
    stored.migrate("--indexes")
    assert warned() == {}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("key, shown", [("postgres.standby", "'standby'"), ("registry.topic", "'topic'")])
def test_a_setting_that_nothing_reads_is_not_listed_and_is_refused(bare, key, shown):
    assert key not in {line["key"] for line in bare.run("config", "--json").ok().json()}
    assert shown not in bare.run("config", "--example").ok().stdout
    says(bare.run("config", settings={key: "x"}), 2, shown.strip("[]"))


def test_the_listing_says_where_a_mode_that_is_not_set_is_shown(bare):
    """On a terminal only: for a script each line is a setting."""
    said = terminal_of(bare, "config", settings={"run.mode": "recorded"})
    assert "# run.mode recorded: " in said.splitlines()[-1] and "pruned jobs" in said
    assert "# run.mode" not in terminal_of(bare, "config", settings={"run.mode": "apply"})
    assert "# run.mode" not in bare.run("config", settings={"run.mode": "recorded"}).ok().stdout


def test_the_help_of_the_port_names_what_is_served(bare):
    said = bare.run("config", "--example").ok().stdout.split("[http]")[1].split("[log]")[0]
    assert all(path in said for path in ("/metrics", "/healthz", "/readyz")) and "the page for people at `/`" in said and "API" not in said


def test_on_a_terminal_the_daemon_shows_what_is_done_and_what_is_left(stored):
    stored.run("topics", "--apply").ok()
    words = stored.argv("run", "--until-idle", settings={"log.format": "text"})
    shown = subprocess.run(["script", "-qec", " ".join(f"'{word}'" for word in words), "/dev/null"], env=clean_environment(),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    assert re.search(r"\d+ rows +\d+ rows/s .* \d+ runs finished .* \d+ messages left", shown)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_a_reason_can_have_any_letters_in_any_locale(stored, locale):
    for command, *arguments in (("pause", "users.destroy"), ("stop",), ("go",)):
        stored.run(command, *arguments, "--reason", "Übung – 停止", environment={"LC_ALL": locale, "LANG": locale}).ok()
    assert stored.database.value("SELECT reason FROM pruned.stop") == "Übung – 停止"
    assert stored.database.column("SELECT reason FROM pruned.journal WHERE command <> 'migrate'") == ["Übung – 停止"] * 3
