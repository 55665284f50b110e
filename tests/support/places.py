"""Where things are: the project, the binary under test, the components it is tested with."""

import os
import pathlib
from dataclasses import dataclass

from stack.found import PROJECT
from stack.pair import Pair

ROLE = "pruned_test_daemon"
GRANTS = PROJECT / "deploy/grants.sql"
APP_TABLES = PROJECT / "schemas/app/tables.sql"
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


@dataclass(frozen=True)
class Places:
    """The components a test works with: the shared ones, or some of its own."""

    postgres_url: str  # superuser, database postgres
    kafka: str

    @classmethod
    def shared(cls):
        return cls(os.environ[Pair.POSTGRES], os.environ[Pair.KAFKA])
