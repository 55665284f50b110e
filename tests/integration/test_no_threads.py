"""A machine that has no thread left is no bug: the daemon says so and ends as in an outage."""

import re

import pytest

MOST = 60
SAID = re.compile(r"cannot start (a thread|the server)|Failed to create thread")


@pytest.fixture
def all_threads(scene, http, tmp_path):
    """An installation in which each thread of the daemon is wanted."""
    nowhere = "http://127.0.0.1:1"
    scene.settings |= {
        "run.workers": 2, "http.listen": http.listen, "registry.url": nowhere, "store.local.root": tmp_path,
        "store.object.endpoint": nowhere, "store.object.bucket": "b", "store.object.access_key": "k", "store.object.secret_key": "s"}
    return scene


def test_whichever_thread_cannot_start_the_daemon_ends_with_an_error_line(all_threads, preload):
    library = preload("no_threads")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    said = []
    for n in range(MOST):
        daemon = all_threads.start("--until-idle", environment={"LD_PRELOAD": library, "THREADS": n})
        if daemon.wait() == 0:
            break
        [line] = daemon.lines(level="error")
        assert daemon.process.returncode == 4 and SAID.search(line["message"]), (n, daemon.process.returncode, line)
        said.append(line["message"])
    # watchdog, server and door, registry, two stores, startup, Kafka's reports, stop, housekeeping,
    # dispatcher, two workers
    assert len([message for message in said if "cannot start" in message]) >= 13
    assert "raise the limit of threads" in said[0]
    assert daemon.process.returncode == 0 and daemon.lines("Started")
