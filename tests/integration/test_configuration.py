"""Settings: where they come from, which source wins, and that a wrong one is said. Each mistake:
unit/config/test_config_refused.c."""

import pytest


@pytest.fixture
def bare(new_pruned, new_database, new_topics):
    """An installation without schema and topics: no test here needs them."""
    return new_pruned(new_database("empty"), new_topics())


def settings(done):
    return {line["key"]: (line["value"], line["origin"]) for line in done.ok().json()}


def refused(done, *words):
    assert done.code == 2, done
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done
    return done


def test_every_setting_has_a_value_and_an_origin(bare):
    done = bare.run("--json", "config")
    assert all(set(line) == {"key", "value", "origin"} for line in done.ok().json())
    known = settings(done)
    assert known["postgres.app_schema"] == ("public", "built-in")
    assert known["jobs.members.remove_expired.batch"] == ("1000", "job.conf")
    assert known["jobs.members.remove_expired.schedule"] == ("10 0 * * *", "job.conf")
    assert known["topics.prefix"] == (bare.topics.prefix, "-s")


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(bare):
    bare.configuration.write_text(
        "# ours\n[jobs.members.remove_expired]\nbatch = 1\ndelay_ms = 2\ncapacity = 3\n")
    known = settings(bare.run(
        "--json", "config", settings={"jobs.members.remove_expired.batch": 10},
        environment={"PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_BATCH": 5,
                     "PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_DELAY_MS": 6}))
    section = "jobs.members.remove_expired."
    assert known[section + "batch"] == ("10", "-s")
    assert known[section + "delay_ms"] == ("6", "PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_DELAY_MS")
    assert known[section + "capacity"] == ("3", f"{bare.configuration}:5")


def test_an_empty_variable_is_the_empty_value(bare):
    bare.configuration.write_text("[http]\nlisten = 127.0.0.1:8080\n")
    known = settings(bare.run("--json", "config", environment={"PRUNED_HTTP_LISTEN": ""}))
    assert known["http.listen"] == ("", "PRUNED_HTTP_LISTEN")


def test_secrets_are_masked(bare):
    done = bare.run("--json", "config", settings={
        "store.object.secret_key": "not-to-be-seen",
        "kafka.sasl.password": "nor-this",
        "postgres.url": "postgresql://somebody:nor-that@127.0.0.1:1/x"})
    known = settings(done)
    assert known["store.object.secret_key"][0] == "***"
    for secret in ("not-to-be-seen", "nor-this", "nor-that"):
        assert secret not in done.stdout
    assert known["store.object.access_key"][0] == ""


def test_a_mistake_in_the_file_is_named_with_its_line(bare):
    bare.configuration.write_text("[log]\nlevel = info\n[postgres]\nulr = x\n")
    refused(bare.run("config"), f"{bare.configuration}:4: ", "ulr", "did you mean 'url'")


def test_an_unknown_variable_is_refused(bare):
    refused(bare.run("config", environment={"PRUNED_POSTGRES_ULR": "x"}),
            "PRUNED_POSTGRES_ULR", "did you mean 'PRUNED_POSTGRES_URL'")


def test_a_wrong_override_is_refused(bare):
    refused(bare.run("-s", "jobs.members.remove_expired.bacth=1", "config"), "-s", "did you mean 'batch'?")


def test_a_file_that_is_named_must_exist(bare):
    bare.configuration.unlink()
    refused(bare.run("config"), str(bare.configuration))
    missing = bare.folder / "elsewhere.conf"
    bare.configuration.write_text("")
    done = bare.run("config", environment={"PRUNED_CONFIG": missing})
    assert done.code == 0, done  # -c names another file


def test_kafka_settings_go_to_librdkafka_as_they_are(bare):
    known = settings(bare.run("--json", "config", settings={"kafka.fetch.wait.max.ms": 7}))
    assert known["kafka.fetch.wait.max.ms"] == ("7", "-s")
    refused(bare.run("topics", settings={"kafka.no.such.property": 1}), "kafka.no.such.property")
    refused(bare.run("topics", settings={"kafka.socket.timeout.ms": "soon"}), "kafka.socket.timeout.ms")


@pytest.mark.check_first(2)
@pytest.mark.parametrize("key, value, words", [
    ("partition.assignment.strategy", "cooperative-sticky", "cannot be cooperative-sticky: partitions are taken and given back all at once"),
    ("transactional.id", "x", "cannot be set: messages are sent without transactions"),
    ("isolation.level", "read_uncommitted", "only read_committed works: a message of a transaction that was aborted was never sent"),
    ("enable.auto.commit", "true", "only false works"), ("acks", "1", "only -1 works"),
    ("test.mock.num.brokers", "1", "only 0 works: each process would have a broker of its own"),
    ("connections.max.idle.ms", "1", "at least 10000 works: a connection that waits for an answer counts as idle"),
    ("socket.timeout.ms", "10", "at least 1000 works"), ("fetch.wait.max.ms", "300000", "at most 5000 works")])
def test_kafka_settings_that_are_ours_are_refused_with_their_place(bare, key, value, words):
    """Taken, they would stop everything, or let rows go that nobody asked for."""
    bare.configuration.write_text(f"[kafka]\n\n{key} = {value}\n")
    for command in ("run", "doctor", "tick"):
        refused(bare.run(command, *(["x"] if command == "tick" else [])), f"{bare.configuration}:3: setting kafka.{key}: ", words)
    bare.configuration.write_text("")
    refused(bare.run("jobs", settings={f"kafka.{key}": value}), f"-s kafka.{key}: setting kafka.{key}: ", words)
    variable = "PRUNED_KAFKA_" + key.upper().replace(".", "_")
    refused(bare.run("jobs", environment={variable: value}), f"{variable}: setting kafka.{key}: ", words)


def test_without_a_broker_the_missing_setting_is_named(bare):
    refused(bare.run("topics", settings={"kafka.bootstrap.servers": None}), "bootstrap.servers")


def test_jobs_of_a_folder_have_sections_too(bare):
    folder = bare.folder / "jobs"
    (folder / "sessions.expire" / "apply" / "removed").mkdir(parents=True)
    (folder / "sessions.expire" / "job.conf").write_text(
        "[job]\nstarts = tick\nschedule = 15 * * * *\nbatch = 77\ntable = sessions\n"
        "unique_key = sessions.expire\ncursor = id bigint desc\n\n[what removed]\ncounts_as_updated = true\n")
    (folder / "sessions.expire" / "page.sql").write_text(
        "SELECT id AS key, id FROM sessions WHERE id < :cursor.id::bigint ORDER BY id DESC LIMIT :limit::int\n")
    (folder / "sessions.expire" / "apply" / "removed" / "10-sessions.sql").write_text(
        "DELETE FROM sessions s USING unnest(:key::bigint[]) AS k(id) WHERE s.id = k.id\n"
        "RETURNING s.id AS key, to_jsonb(s) AS row\n")
    for named in ({"settings": {"run.jobs_dir": folder}},
                  {"environment": {"PRUNED_RUN_JOBS_DIR": folder}}):
        known = settings(bare.run("--json", "config", **named))
        assert known["jobs.sessions.expire.batch"] == ("77", "job.conf")
    bare.configuration.write_text(f"[run]\njobs_dir = {folder}\n[jobs.sessions.expire]\nbatch = 5\n")
    assert settings(bare.run("--json", "config"))["jobs.sessions.expire.batch"][0] == "5"
