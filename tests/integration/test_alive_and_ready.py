"""Over HTTP a daemon says whether it is alive and whether it is ready, also while PostgreSQL or
Kafka is away, and what its process takes."""

import os
import signal
import threading
import time

import pytest

from stack.process import wait_until
from support.metrics import SLOT, counted, http, ready, start  # noqa: F401

pytestmark = pytest.mark.built_in

CONNECTION = "application_name = 'pruned http' AND datname = current_database()"


def test_unknown_paths_and_methods_are_refused(scene, http):  # noqa: F811
    start(scene, http)
    assert http.ask("/healthz").text == "ok\n" and http.ask("/healthz", "HEAD").status_code == 200
    assert http.ask("/metrics/").status_code == 404 and http.ask("/metrics", "POST").status_code == 405


@pytest.mark.check_all
def test_without_postgres_it_lives_and_is_not_ready(own_postgres, new_scene, http):  # noqa: F811
    scene = new_scene(server=own_postgres)
    daemon = start(scene, http)
    scene.database.close()
    own_postgres.stop()
    assert "PostgreSQL does not answer" in ready(http, 503)
    assert http.ask("/healthz").status_code == 200
    metrics = http.metrics()
    assert "pruned_oldest_due_seconds" not in metrics and metrics.of("pruned_runs_total", job=SLOT, state="dead") == 0
    own_postgres.start()
    ready(http)
    assert "pruned_oldest_due_seconds" in http.metrics() and daemon.running


@pytest.mark.check_all
def test_without_kafka_it_lives_and_is_not_ready(own_kafka, new_scene, http):  # noqa: F811
    scene = new_scene(bootstrap=own_kafka.bootstrap)
    daemon = start(scene, http)
    own_kafka.kill()
    assert "Kafka is away" in ready(http, 503)
    assert http.ask("/healthz").status_code == 200 and http.metrics()["pruned_ready"] == 0
    own_kafka.start()
    counted(http, 1, "pruned_ready")  # the process may join twice
    assert ready(http) and daemon.running


@pytest.mark.check_all
def test_a_database_that_does_not_answer_delays_only_requests_about_it(scene, http):  # noqa: F811
    start(scene, http)

    def another_is_answered_meanwhile():
        server = scene.database.wait(f"SELECT pid FROM pg_stat_activity WHERE {CONNECTION} ORDER BY backend_start DESC")
        os.kill(server, signal.SIGSTOP)
        answers, healthy_s, began = [], [], time.monotonic()
        asker = threading.Thread(target=lambda: answers.append(http.ask("/readyz")))
        asker.start()
        try:
            while asker.is_alive():
                assert http.ask("/healthz").status_code == 200
                healthy_s.append(time.monotonic() - began)
            all_s = time.monotonic() - began
            assert [a.status_code for a in answers] == [503] and "no answer" in answers[0].text
        finally:
            os.kill(server, signal.SIGCONT)
        ready(http)
        return min(healthy_s, default=all_s) < all_s / 2

    wait_until(another_is_answered_meanwhile, 60, "an answer to somebody else long before the one about the database")


@pytest.mark.check_all
def test_a_wrong_or_used_address_is_reported(scene, http):  # noqa: F811
    scene.settings["http.listen"] = http.listen
    start(scene, http)
    second = scene.run("run", "--until-idle")
    assert second.code == 2 and f"cannot listen on {http.listen}" in second.stderr
    wrong = scene.run("run", "--until-idle", settings={"http.listen": "here"})
    assert wrong.code == 2 and "host:port" in wrong.stderr


def test_metrics_of_the_process(scene, http):  # noqa: F811
    daemon = start(scene, http)
    metrics = http.metrics()
    version = [dict(labels)["version"] for (name, labels), value in metrics.samples.items() if name == "pruned_build_info" and value == 1]
    assert version == [next(line["version"] for line in scene.run("version", "--json").ok().json() if line["name"] == "pruned")]
    with open(f"/proc/{daemon.pid}/statm") as statm:
        resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    assert resident / 2 < metrics["process_resident_memory_bytes"] < resident * 2
    assert 0 <= time.time() - metrics["process_start_time_seconds"] < 300
    assert metrics["process_open_fds"] > 3 and metrics["process_cpu_seconds_total"] > 0
