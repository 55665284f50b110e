"""Kafka Connect with one connector, in one process: the file sink, Debezium."""

import pathlib
import re
import urllib.error
import urllib.request

from stack import found
from stack.kafka import SHORT_LIVED
from stack.ports import HeldPort
from stack.process import Server

LIBRARIES = found.deps() / "interop/connect"
JSON = {"key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "false"}


def properties(path, settings):
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    return path


class Connect(Server):
    name = "connect"

    def __init__(self, folder, bootstrap, connector):
        """CONNECTOR: its settings; it converts as JSON does unless they say otherwise."""
        super().__init__(folder)
        folder.mkdir(parents=True)
        self.held = HeldPort()
        self.worker = properties(folder / "worker.properties", JSON | {
            "bootstrap.servers": bootstrap, "offset.storage.file.filename": folder / "offsets", "offset.flush.interval.ms": 500,
            "listeners": f"http://127.0.0.1:{self.held.number}", "plugin.discovery": "only_scan"})
        self.connector = properties(folder / "connector.properties", {"name": "one", "tasks.max": 1} | connector)

    def argv(self):
        return [found.java(), "-Xmx384m", *SHORT_LIVED, "-cp", f"{LIBRARIES}/*",
                "org.apache.kafka.connect.cli.ConnectStandalone", self.worker, self.connector]

    def ready(self):
        """The task runs."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.held.number}/connectors/one/status", timeout=10) as answer:
                states = re.findall(r'"state":"(\w+)"', answer.read().decode())
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
        if "FAILED" in states:
            raise RuntimeError(f"the connector failed: {self.log}")
        return states == ["RUNNING", "RUNNING"]


def recipe(page):
    """The blocks of a recipe's page, by their kind: `sql`, `conf`, `properties`."""
    text = (found.PROJECT / "docs/recipes" / page).read_text()
    return {kind: block for kind, block in reversed(re.findall(r"```(\w+)\n(.*?)```", text, re.S))}


def log_of(server):
    return pathlib.Path(server.log).read_text(errors="replace")
