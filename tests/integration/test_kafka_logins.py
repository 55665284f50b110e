"""Each way to log in to Kafka works for the daemon and for commands: PLAIN, SCRAM, OAUTHBEARER with
tokens that nobody signs, a certificate of the client."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import wait_until
from support.certificates import make_authority, make_certificate
from support.places import kafka_library
from support.scene import fill

JOB = "scratch.remove"
NAME, PASSWORD = "daemon", "a password"
SASL = {"kafka.security.protocol": "SASL_PLAINTEXT"}
PASSED = {"kafka.sasl.username": NAME, "kafka.sasl.password": PASSWORD}
LOGINS = {
    "PLAIN": SASL | PASSED | {"kafka.sasl.mechanism": "PLAIN"},
    "SCRAM": SASL | PASSED | {"kafka.sasl.mechanism": "SCRAM-SHA-256"},
    "OAUTHBEARER": SASL | {"kafka.sasl.mechanism": "OAUTHBEARER", "kafka.enable.sasl.oauthbearer.unsecure.jwt": "true",
                           "kafka.sasl.oauthbearer.config": f"principal={NAME} lifeSeconds=600"},
}
CHECKS = {"Kafka", "Kafka's rights", "Kafka's clock", "group", "dead letters", "topics"}
FAULT = "The Kafka library has a known fault"


@pytest.fixture(scope="module")
def certificates():
    folder = new_folder("pruned-kafka-tls-")
    make_authority(folder, "ours")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def strict_kafka(certificates):
    """A broker that lets in who has a password, a token or a certificate, and who comes by another
    door."""
    folder = new_folder("pruned-kafka-")
    certificate, key, authority = make_certificate(certificates, "ours", "127.0.0.1")
    own = certificates / "broker.pem"
    own.write_text(key.read_text() + certificate.read_text())
    server = Kafka(folder / "kafka", sasl={NAME: PASSWORD}, tls=(own, authority)).start()
    admin = AdminClient({"bootstrap.servers": server.bootstrap, "log_level": 2})
    admin.alter_user_scram_credentials([UserScramCredentialUpsertion(
        NAME, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), PASSWORD.encode())])[NAME].result(60)
    wait_until(lambda: NAME in admin.describe_user_scram_credentials().result(60), 60, "the credentials")
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def logged_in(new_scene, strict_kafka, certificates):
    """An installation whose every command and daemon logs in so."""

    def make(way):
        scene = new_scene(bootstrap=strict_kafka.bootstrap)
        if way == "certificate":
            certificate, key, authority = make_certificate(certificates, "ours", "daemon.example", who="daemon")
            login = {"kafka.security.protocol": "SSL", "kafka.bootstrap.servers": strict_kafka.tls_door,
                     "kafka.ssl.ca.location": authority, "kafka.ssl.certificate.location": certificate, "kafka.ssl.key.location": key}
        else:
            login = LOGINS[way] | {"kafka.bootstrap.servers": strict_kafka.strict}
        scene.settings |= login
        return scene

    return make


def assert_it_works(scene):
    scene.run("topics", "--apply").ok()
    fill(scene.database, 3)
    scene.run("tick", JOB).ok()
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    for words in (["status"], ["dead", "list"]):
        scene.run(*words).ok()
    said = [line for line in scene.run("doctor", "--json").json() if line["check"] in CHECKS]
    assert {line["check"] for line in said} == CHECKS and all(line["ok"] for line in said), said


@pytest.mark.parametrize("way", ["PLAIN", "OAUTHBEARER", "certificate"])
def test_daemon_and_commands_log_in(logged_in, way):
    assert_it_works(logged_in(way))


def test_scram_works_and_a_library_that_cannot_is_named(logged_in):
    """Before 2.6.1 it sends a wrong nonce; Kafka 4 only says that the password is wrong, Kafka 3
    takes it."""
    scene = logged_in("SCRAM")
    if kafka_library() >= (2, 6, 1) or os.environ.get("TEST_KAFKA_VERSION", "4") < "4":
        assert_it_works(scene)
        return
    with ThreadPoolExecutor(2) as pool:  # each waits for some seconds
        done, refused = pool.map(lambda words: scene.run(*words), [("doctor", "--json"), ("run",)])
    (said,) = [line for line in done.json() if line["check"] == "librdkafka" and "SCRAM" in line["detail"]]
    assert said["remedy"].startswith("install librdkafka 2.6.1 or newer") and done.code == 4
    assert refused.code == 4 and FAULT in refused.stderr and "SCRAM" in refused.stderr
