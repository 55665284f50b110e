"""Paths and addresses: the binary under test, and the servers that it is tested with."""

import functools
import json
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

from stack.found import PROJECT
from stack.pair import Pair

ROLE = "pruned_test_daemon"
APP_TABLES = PROJECT / "schemas/app/tables.sql"
APP_FILL = PROJECT / "schemas/app/fill_begin.sql", PROJECT / "schemas/app/fill_end.sql"
AVRO_SCHEMAS = PROJECT / "schemas/avro"


def _build():
    return pathlib.Path(os.environ.get("TEST_BUILD", PROJECT / "build/release"))


def binary():
    return pathlib.Path(os.environ.get("PRUNED_BIN", _build() / "pruned")).absolute()


def binary_with_faults():
    build = _build()
    return pathlib.Path(
        os.environ.get("PRUNED_FAULTS_BIN", build.with_name(build.name + "-faults") / "pruned")
    ).absolute()


@functools.cache
def fault_points():
    """The names of the points at which it can be killed."""
    if not binary_with_faults().exists():
        return ["none: make FAULTS=1"]
    listed = subprocess.run([binary_with_faults(), "version", "--faults"], stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listed.stdout.split() if "." in name]


def binary_without_guards():
    """Of `make UNGUARDED=1`: only measurements use it."""
    build = _build()
    return build.with_name(build.name + "-unguarded").joinpath("pruned").absolute()


@dataclass(frozen=True)
class Places:
    """The servers of a test: the shared ones, or its own."""

    postgres_url: str  # superuser, database postgres
    kafka: str

    @classmethod
    def shared(cls):
        return cls(os.environ[Pair.POSTGRES], os.environ[Pair.KAFKA])


@functools.cache
def kafka_library():
    """The version of librdkafka that the binary runs with, (2, 8, 0)."""
    shown = subprocess.run([binary(), "version", "--json"], capture_output=True, text=True, check=True).stdout
    versions = {line["name"]: line["version"] for line in map(json.loads, shown.splitlines())}
    return tuple(int(part) for part in re.findall(r"\d+", versions["librdkafka"])[:3])


def corrupts_its_memory_when_a_topic_is_made_anew():
    """Whether this librdkafka has the defect that src/kafka/library.h describes."""
    return (2, 4) <= kafka_library() < (2, 10)
