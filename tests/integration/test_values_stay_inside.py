"""Values of rows and secrets of the configuration are in no message: neither in logs, errors of
runs and outcomes, nor in output of commands."""

import json

import pytest

from support.scene import fill, now, tick_id

JOB = "scratch.remove"
SECRET = "s3cr3t-h4sh"


def everything_said(scene, daemon):
    return daemon.text() + json.dumps(
        scene.database.rows("SELECT to_jsonb(r.*) AS r FROM pruned.runs r UNION ALL SELECT to_jsonb(q.*) FROM pruned.quarantine q"), default=str
    ) + "".join(str((m.value, m.headers)) for m in scene.topics.outcomes()) + scene.run("quarantine", "list", "--all").stdout + scene.run("runs").stdout


def provoke(scene, body):
    """Removes a row while this SQL is in force. Returns everything that was said about it."""
    scene.database.execute(f"""
        CREATE TABLE secrets (id bigint PRIMARY KEY, hash text, n int, CONSTRAINT of_hash CHECK (hash IS NULL OR hash = 'fine'));
        CREATE TABLE below (id bigint REFERENCES secrets, hash text UNIQUE);
        INSERT INTO secrets VALUES (1, NULL, 1);
        CREATE FUNCTION provoked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {body} RETURN OLD; END $$;
        CREATE TRIGGER provoked BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION provoked()""")
    fill(scene.database, 1)
    scene.settings |= {"log.level": "debug"}
    scene.topics.tick(JOB, at := now(minutes=-5))
    daemon = scene.run_until_idle()
    row = scene.run_row(tick_id(JOB, at))
    said = everything_said(scene, daemon)
    reasons = " ".join(scene.database.column("SELECT reason FROM pruned.quarantine")) + str(row["error"])
    return said, reasons


@pytest.mark.check_all
@pytest.mark.parametrize("body, stays", [
    (f"INSERT INTO secrets VALUES (2, '{SECRET}', 2);", ["of_hash", "secrets"]),
    (f"INSERT INTO below VALUES (1, '{SECRET}'), (1, '{SECRET}');", ["below_hash_key", "Key (hash) already exists"]),
    (f"INSERT INTO below VALUES (1, '{SECRET}'') already exists.'), (1, '{SECRET}'') already exists.');", ["Key (hash) already exists"]),
    ("INSERT INTO below VALUES (4711471147, 'x');", ["below_id_fkey", 'Key (id) is not present in table "secrets"']),
    (f"UPDATE secrets SET id = NULL, hash = '{SECRET}';", ["null value in column", "id"]),
    (f"PERFORM ('{SECRET}' || OLD.id::text)::int;", ["invalid input syntax for type integer", "22P02"]),
    (f"PERFORM ('{SECRET}\"' || OLD.id::text)::date;", ["invalid input syntax for type date", "22007"]),
    (f"PERFORM ('{{\"' || '{SECRET}' || '\": ' || '{SECRET}}}')::jsonb;", ["invalid input syntax for type json"]),
    (f"RAISE EXCEPTION 'kept by the law' USING DETAIL = '{SECRET}', HINT = '{SECRET}';", ["kept by the law"]),
    (f"RAISE NOTICE 'look' USING DETAIL = '{SECRET}'; RAISE EXCEPTION '\"%\" is kept', 7 USING ERRCODE = '22023';", ['"7" is kept']),
])
def test_only_texts_of_postgresql_without_values_leave_the_process(scene, body, stays):
    said, reasons = provoke(scene, body)
    assert SECRET not in said and "4711471147" not in said
    for words in stays:
        assert words in reasons, reasons


URL = "postgresql://somebody:{}@127.0.0.1:1/x"


@pytest.mark.check_first(2)
@pytest.mark.parametrize("variable, commands", [
    ("PRUNED_KAFKA_SASL_PASSWRD", ["config", "doctor", "run"]), ("PRUNED_STORE_OBJECT_SECRET_KEYS", ["config", "doctor", "status"]),
    ("PRUNED_KAFKA_SSL_KEYSTORE_PASSWROD", ["config"]), ("PRUNED_NOBODY_KNOWS", ["config", "topics"]),
    ("PRUNED_STORE_OBJECT_SECRET_KEY", ["config", "doctor"]), ("PRUNED_KAFKA_SASL_PASSWORD", ["config"])])
def test_no_value_of_a_variable_that_is_secret_or_unknown_is_shown(bare, variable, commands):
    settings = {"kafka.log_level": 0, "postgres.url": URL.format("x")}
    for command in commands:
        for more in ([], ["--json"]):
            done = bare.run(command, *more, environment={variable: SECRET}, settings=settings)
            assert SECRET not in done.stdout + done.stderr


def test_a_property_that_librdkafka_does_not_know_is_named_and_not_shown(bare):
    done = bare.run("config", "--json", environment={"PRUNED_KAFKA_SASL_PASSWRD": SECRET, "PRUNED_KAFKA_LINGER_MS": 7}).ok()
    known = {line["key"]: line["value"] for line in done.json()}
    assert (known["kafka.sasl.passwrd"], known["kafka.linger.ms"]) == ("***", "7")


@pytest.mark.check_all
@pytest.mark.parametrize("url", [
    URL.format(f"x@{SECRET}"), URL.format(f"x%{SECRET}"), f"host=127.0.0.1 port=1 password=x {SECRET}", f"host=127.0.0.1 port=1 pasword={SECRET}",
    f"postgresql://127.0.0.1:1/x?pasword={SECRET}", URL.format(f"x/{SECRET}"), URL.format(f"x:{SECRET}")])
def test_a_password_that_ends_too_early_is_not_quoted(bare, url):
    for command in ("jobs", "config"):
        done = bare.run(command, settings={"postgres.url": url})
        assert SECRET not in done.stdout + done.stderr
