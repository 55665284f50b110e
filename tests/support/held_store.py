"""An S3 service that cannot delete in bulk, behind a proxy that holds each delete, or is slow."""

import re
import threading
import time

import pytest

from .s3 import Objects, Proxy

NO_BULK = (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None)


class Store:
    """Holds each single delete until it is let go. From then on each takes slow_s."""

    def __init__(self, gateway):
        self.proxy, self.go_on, self.slow_s = Proxy(gateway.endpoint), threading.Event(), 0
        self.came_at = []  # of each delete, seconds since 1970
        self.proxy.misbehave = self._answer

    def _answer(self, command, body, go):
        if command == "POST":
            return NO_BULK
        self.came_at.append(time.time())
        self.go_on.wait(60)
        time.sleep(self.slow_s)
        return (*go(), None)

    def deletes(self):
        return len(self.came_at)

    def deleted(self):
        """The paths, each as often as it was to be deleted."""
        return [path for command, path in self.proxy.requests if command == "DELETE"]

    def close(self):
        self.go_on.set()
        self.proxy.close()


@pytest.fixture
def store(gateway):
    made = Store(gateway)
    yield made
    made.close()


@pytest.fixture
def objects(new_scene, gateway, store, request):
    """Makes installations with so many objects in that store."""
    def make(n, settings=None, **where):
        scene = new_scene(settings, **where)
        one = Objects(scene, scene.database, gateway, re.sub(r"\W+", "-", request.node.name))
        scene.settings.update(one.settings | {"store.object.endpoint": store.proxy.url})
        for i in range(n):
            one.add("a", f"file {i}", make=False)
        return one
    return make
