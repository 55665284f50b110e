"""A private schema registry that speaks Confluent's API: Apicurio."""

import urllib.error
import urllib.request

from . import found
from .kafka import SHORT_LIVED
from .ports import HeldPort
from .process import Server


class Registry(Server):
    name = "registry"
    start_deadline_s = 180

    def __init__(self, folder, outlive_us=False):
        super().__init__(folder, outlive_us)
        folder.mkdir(parents=True)
        self.held = HeldPort()
        self.port = self.held.number

    def argv(self):
        (jar,) = (found.deps() / "registry").glob("apicurio-registry-app-*-runner.jar")
        return [found.java(), "-Xmx256m", *SHORT_LIVED, "-Dquarkus.http.host=127.0.0.1",
                f"-Dquarkus.http.port={self.port}", "-jar", jar]

    def ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}/subjects", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/apis/ccompat/v7"
