"""While a schema registry is away or slow, events in Avro wait and none is lost; where none is set,
the section is refused."""

import http.server
import threading

import pytest
import requests

from support.avro_events import erasure, registered, registry, say_event, wire  # noqa: F401
from support.own_events import dead, erased, runs, topics  # noqa: F401
from support.sentences import house  # noqa: F401


class Door(http.server.ThreadingHTTPServer):
    """Before the registry: answers with STATUS, and a page that is not the registry's, until it is
    opened."""

    daemon_threads = True
    page, promised = b"<html>", 0  # bytes that it promises beside those that it sends

    def __init__(self, registry, status):  # noqa: F811
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                answer = None if self.server.status else requests.get(registry.url + self.path, timeout=30)
                body = answer.content if answer else self.server.page
                self.send_response(answer.status_code if answer else self.server.status)
                self.send_header("Content-Length", str(len(body) + (0 if answer else self.server.promised)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.url = status, f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def open(self):
        self.status = None


class Half(Door):
    """The answer ends too early: what came of it is a whole schema, of another one."""

    page, promised = b'{"schema": "\\"string\\""}', 9


class Empty(Door):
    page = b"{}"


class Frozen:
    """It accepts connections and never answers."""

    def __init__(self, registry, _):  # noqa: F811
        self.registry, self.url = registry, registry.url
        registry.freeze()

    def open(self):
        self.registry.thaw()

    def shutdown(self):
        self.registry.thaw()


@pytest.mark.check_first(1)
@pytest.mark.parametrize("away, status, told", [
    (Door, 503, "answers with HTTP status 503"), (Door, 404, "answers with HTTP status 404"), (Door, 500, "answers with HTTP status 500"),
    (Door, 200, "answers with HTTP status 200, but no JSON"), (Half, 200, "does not answer: "),
    (Empty, 200, "sends no schema"), (Door, 302, "answers with HTTP status 302"), (Frozen, 0, "does not answer: ")])
def test_while_the_registry_is_away_events_wait_and_none_is_lost(registered, registry, away, status, told):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id")
    registered.start()
    for key in (1, 2, 3):
        registered.send_user(key)
    door = away(registry, status)
    try:
        registered.pruned.settings["registry.url"] = door.url
        daemon = registered.pruned.start()
        line = daemon.wait_line("A dependency is down; the lane waits")
        assert line["detail"].startswith("the schema registry") and told in line["detail"], line
        assert runs(registered) == [] and dead(registered) == {}
        door.open()
        registered.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", count=3, deadline_s=60)
    finally:
        door.shutdown()
    assert erased(registered) == [1, 2, 3] and dead(registered) == {}
    assert daemon.stop() == 0


class Slow(http.server.ThreadingHTTPServer):
    """A registry that knows no schema, and takes its time to say so."""

    daemon_threads = True

    def __init__(self, delay_s):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                threading.Event().wait(delay_s)
                body = b'{"error_code": 40403, "message": "Schema not found"}'
                self.send_response(404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.mark.check_all
def test_a_slow_registry_holds_up_no_batch_for_long(erasure):  # noqa: F811
    """Each message names another schema. Those of one batch would keep their worker busy for ten
    minutes, and after three the process ends."""
    door = Slow(delay_s=0.6)
    try:
        say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
        erasure.pruned.settings["registry.url"] = door.url
        erasure.start()
        erasure.pruned.topics.produce_many("app-users", [("k", wire(n, b"x")) for n in range(500)])
        daemon = erasure.pruned.start()
        first = erasure.pruned.topics.wait("dead", deadline_s=60)[0]
        assert first.headers["pruned_reason"].startswith("unknown schema "), first
        next_one = f"SELECT next_offset FROM pruned.intake WHERE topic = '{erasure.pruned.topics.full('app-users')}'"
        assert 0 < erasure.database.wait(next_one, until=lambda n: n > 0) < 500
        assert daemon.stop(20) == 0
    finally:
        door.shutdown()


def test_without_a_registry_and_a_schema_the_section_is_refused(erasure, registry):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for command in "jobs", "check":
        done = erasure.pruned.run(command)
        said = done.stdout + done.stderr
        assert done.code != 0 and "event-UserErasureRequested.conf:1" in said, done
        assert "format = avro needs a schema: write `schema = FILE.avsc`, or set [registry] url" in said, done
    erasure.pruned.settings["registry.url"] = registry.url
    erasure.pruned.run("jobs").ok()


def test_doctor_looks_whether_the_registry_answers(registered, registry):  # noqa: F811
    def finding(url):
        registered.pruned.settings["registry.url"] = url
        (line,) = [line for line in registered.pruned.run("doctor", "--json").json() if line["check"] == "schema registry"]
        return line["level"], line["detail"]

    assert finding(registry.url) == ("ok", f"it answers: {registry.url}")
    level, detail = finding("http://127.0.0.1:1")
    assert level == "error" and detail.startswith("the schema registry does not answer: "), detail
    level, detail = finding(registry.url.replace("ccompat/v7", "registry/v2"))
    assert level == "error" and "answers with HTTP status 404" in detail and "is the path in [registry] url right?" in detail, detail
