"""`pruned demo`: everything on this machine, and nothing left behind."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from stack.process import patient, spawn, wait_until
from support.places import binary
from support.pruned import clean_environment


started = {}  # the running demos, by folder


@pytest.fixture
def place():
    """The demo makes its folder here; PostgreSQL's user must be able to enter it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pruned-demo-test-"))
    folder.chmod(0o755)
    yield folder
    end_what_still_runs(folder)
    shutil.rmtree(folder, ignore_errors=True)


def end_what_still_runs(folder):
    """Ends demos that a failed test left: a demo cleans up when it is asked to end."""
    for demo in started.pop(folder, []):
        if demo.poll() is None:
            demo.terminate()
            demo.communicate(timeout=60)


def start(place, *arguments):
    demo = spawn([binary(), "demo", *arguments], env=clean_environment(TMPDIR=place), cwd="/",
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started.setdefault(place, []).append(demo)
    return demo


def processes_in(place):
    """The processes that still work in the folder."""
    found = []
    for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(place):
                found.append(link)
        except OSError:  # ended meanwhile, or of another user
            continue
    return found


def assert_nothing_left(place):
    assert list(place.iterdir()) == []
    assert processes_in(place) == []


def difference(text, what):
    return int(re.search(rf"^ *{what}\t\d+\t\d+\t(-?\d+)\b", text, re.M)[1])


@pytest.mark.check_all
@pytest.mark.timeout(patient(300))
def test_the_demo_shows_before_after_and_why(place):
    demo = start(place)
    text, complaints = demo.communicate(timeout=patient(280))
    assert demo.returncode == 0 and complaints == "", text + complaints
    assert difference(text, "whose last day is over") < -4000
    assert "last_owner" in text and "membership 117 is on legal hold" in text
    assert re.search(r"kcat -b 127\.0\.0\.1:\d+ ", text) and re.search(r"pruned -c \S+ runs", text)
    assert_nothing_left(place)


@pytest.mark.timeout(patient(180))
def test_an_interrupted_demo_leaves_nothing_behind(place):
    demo = start(place)
    wait_until(lambda: list(place.glob("pruned-demo-*/data")), 60, "the demo's PostgreSQL")
    demo.send_signal(signal.SIGINT)
    _, complaints = demo.communicate(timeout=patient(100))
    assert demo.returncode != 0 and "interrupted" in complaints
    assert_nothing_left(place)


def daemon_in(place):
    """The process id of `pruned run`; None: not yet."""
    for command in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command.read_bytes().split(b"\0")
            if b"run" in words and (command.parent / "cwd").readlink().is_relative_to(place):
                return int(command.parent.name)
        except OSError:
            continue
    return None


@pytest.mark.check_all
@pytest.mark.timeout(patient(300))
@pytest.mark.parametrize("command", ["migrate --indexes", "tick"])
def test_a_daemon_that_dies_ends_the_demo_with_its_last_words(place, command):
    """It is killed when it starts, or when it is sent a tick."""
    demo = start(place)
    assert any(line.startswith(f"$ pruned {command}") for line in demo.stdout)
    os.kill(wait_until(lambda: daemon_in(place), 200, "the demo's daemon"), signal.SIGKILL)
    rest, complaints = demo.communicate(timeout=patient(100))
    assert demo.returncode != 0 and "The work" not in rest
    assert complaints.splitlines()[-1].startswith("pruned: the daemon has ended: "), complaints
    assert_nothing_left(place)


@pytest.mark.check_all
@pytest.mark.timeout(patient(300))
def test_the_demo_with_a_real_broker_takes_its_topics_along(place, shared, topics):
    before = set(topics.admin.list_topics(timeout=30).topics)
    demo = start(place, "--kafka", shared.kafka)
    text, complaints = demo.communicate(timeout=patient(280))
    assert demo.returncode == 0 and complaints == "", text + complaints
    assert difference(text, "whose last day is over") < -4000

    def left():
        return {name for name in topics.admin.list_topics(timeout=30).topics if name.startswith("pruned-demo-")} - before

    # the broker shows a deleted topic for a moment
    wait_until(lambda: not left(), 30, lambda: f"{left()} gone")
    assert_nothing_left(place)
