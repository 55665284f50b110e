"""Paths of programs. Only deps.sh knows them; this asks it."""

import functools
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent


@functools.cache
def _all():
    text = subprocess.run([HERE / "deps.sh", "where"], check=True, text=True, stdout=subprocess.PIPE)
    return dict(line.split("=", 1) for line in text.stdout.splitlines())


def _one(name, install):
    value = _all().get(name)
    if not value:
        raise RuntimeError(f"{name} not found; run: tests/stack/deps.sh {install}")
    return pathlib.Path(value)


def deps():
    return _one("DEPS", "test")


def pg_bin():
    return _one("PG_BIN", "build")


def pg_server_bin():
    """Where the server is that tests start: TEST_POSTGRES_VERSION=16 is another version than the
    clients'."""
    major = os.environ.get("TEST_POSTGRES_VERSION")
    return _one(f"PG{major}_BIN", f"test pg{major}") if major else pg_bin()


def kafka():
    """The folder of the broker's libraries; TEST_KAFKA_VERSION=3.9 is another version."""
    other = os.environ.get("TEST_KAFKA_VERSION")
    return deps() / (f"kafka-{other}" if other else "kafka")


def pgbouncer():
    return _one("PGBOUNCER", "test pgbouncer")


def java():
    return _one("JAVA", "test kafka")


def promtool():
    """None: it cannot be had on this machine. In CI, which sets CI=true, that is an error."""
    if os.environ.get("CI") != "true" and not _all().get("PROMTOOL"):
        return None
    return _one("PROMTOOL", "test promtool")


def nginx():
    """None: as for promtool."""
    if os.environ.get("CI") != "true" and not _all().get("NGINX"):
        return None
    return _one("NGINX", "test nginx")
