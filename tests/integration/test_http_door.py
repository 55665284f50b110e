"""Slow clients, or many, do not block health and metrics for long at the HTTP port. `listen`
accepts the usual forms of an address."""

import concurrent.futures
import socket
import time

import pytest
import requests

from stack.process import patient, wait_until
from support.exposition import Listening

SLOW = 40


@pytest.fixture
def http():
    one = Listening()
    yield one
    one.close()


@pytest.fixture
def slow():
    made = []

    def connect(http, n=1, source="127.0.0.1", said=b"GET /metrics HTTP/1.1\r\n"):
        host, _, port = http.listen.rpartition(":")
        for _ in range(n):
            made.append(socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0)))
            made[-1].sendall(said)
        return made

    yield connect
    for one in made:
        one.close()


@pytest.fixture
def daemon(scene, http):
    scene.settings["http.listen"] = http.listen
    one = scene.start()
    one.wait_line("Partitions assigned")
    return one


def is_open(one):
    one.setblocking(False)
    try:
        return one.recv(65536) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def healthy(http, path):
    """It answers at once: well before slow clients are disconnected."""
    began = time.monotonic()
    wait_until(lambda: asked(http, path), 3, path)
    assert time.monotonic() - began < patient(3)


def asked(http, path):
    try:
        return http.ask(path, within_s=2).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.fixture
def ready(daemon, http):
    wait_until(lambda: asked(http, "/readyz"), 30, "readiness")


HEALTH = pytest.mark.parametrize("path", ["/healthz", "/readyz"])


@pytest.mark.check_all
@HEALTH
def test_forty_slow_clients_do_not_take_health_away(ready, http, slow, path):
    connections = slow(http, SLOW)
    healthy(http, path)
    wait_until(lambda: sum(map(is_open, connections)) <= 10, 5, "eight connections of an address, and two more")


@HEALTH
def test_slow_clients_of_many_addresses_do_not_take_health_away(ready, http, slow, path):
    for n in range(2, 8):
        connections = slow(http, 8, f"127.0.0.{n}")
    healthy(http, path)
    wait_until(lambda: sum(map(is_open, connections)) <= 34, 3, "32 connections in all, and two more")


WAITS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pruned http' AND wait_event_type = 'Lock'"


def test_metrics_that_wait_for_the_database_do_not_delay_readiness(scene, ready, http):
    """Metrics and readiness have separate connections to PostgreSQL; that of the metrics waits here
    until its time-out."""
    with concurrent.futures.ThreadPoolExecutor() as beside, scene.database.connect() as other, other.transaction():
        other.execute("LOCK TABLE pruned.quarantine")
        # the query ends after 2 s: if the machine stood still, that was before this check
        for _ in range(5):
            figures = beside.submit(http.ask, "/metrics")
            scene.database.wait(WAITS)
            answer = http.ask("/readyz", within_s=2).status_code
            meanwhile = scene.database.value(WAITS) == 1
            figures.result()
            if meanwhile:
                break
    assert meanwhile and answer == 200


@pytest.mark.check_all
def test_a_request_takes_at_most_five_seconds(daemon, http, slow):
    """This also holds for a client that sends a few bytes at a time."""
    (one,) = slow(http)
    began = time.monotonic()
    while is_open(one) and time.monotonic() - began < 30:
        try:
            one.send(b"X: y\r\n")
        except OSError:
            break
        time.sleep(0.1)  # this makes the client slow
    assert 4 < time.monotonic() - began < patient(8)


@pytest.mark.check_all
def test_after_slow_clients_all_is_as_before(daemon, http, slow):
    connections = slow(http, SLOW)
    wait_until(lambda: not any(map(is_open, connections)), 30, "the slow ones gone")
    for _ in range(50):
        assert http.ask("/healthz").status_code == 200
        http.metrics()


@pytest.mark.check_first(2)
@pytest.mark.parametrize("listen, hosts", [
    ("127.0.0.1:{}", ["127.0.0.1"]), (":{}", ["127.0.0.1"]), ("[::1]:{}", ["[::1]"]), ("localhost:{}", ["localhost"]),
    ("*:{}", ["127.0.0.1", "[::1]"])])
def test_listen_accepts_the_usual_forms(scene, http, listen, hosts):
    port = http.listen.rpartition(":")[2]
    scene.settings["http.listen"] = listen.format(port)
    daemon = scene.start()
    daemon.wait_line("Started")
    for host in hosts:
        assert requests.get(f"http://{host}:{port}/healthz", timeout=10).status_code == 200


def test_an_address_that_cannot_be_listened_on_is_reported(scene):
    done = scene.run("run", settings={"http.listen": "nonsense"})
    assert done.code == 2 and "[http] listen" in done.stderr and "is not host:port" in done.stderr


def test_a_port_in_use_is_named_with_errno(scene):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = scene.run("run", settings={"http.listen": f"127.0.0.1:{other.getsockname()[1]}"})
    assert done.code == 2 and "Address already in use (errno 98)" in done.stderr
