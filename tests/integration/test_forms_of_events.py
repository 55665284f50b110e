"""Ticks and events in each form that docs/messages.md allows, as kcat and a serializer for a schema
registry write them."""

import base64
import http.server
import re
import ssl
import subprocess
import threading

import pytest
import requests

from stack.found import PROJECT
from support.avro_events import datum, register, registry, wire  # noqa: F401
from support.certificates import make_authority, make_certificate
from support.pruned import clean_environment

pytestmark = pytest.mark.built_in

RECORD = {"type": "record", "name": "PlaceholderUserOrphaned", "namespace": "pruned.events",
          "fields": [{"name": "placeholder_user_id", "type": "long"}]}
ELSEWHERE = RECORD | {"namespace": "com.example", "fields": [{"name": "note", "type": ["null", "string"]},
                                                           {"name": "placeholder_user_id", "type": "int"}]}
TICK = {"type": "record", "name": "Tick", "namespace": "pruned", "fields": [{"name": "job", "type": "string"}]}


def examples():
    """The lines that send an event with kcat."""
    text = (PROJECT / "docs/messages.md").read_text()
    return [line for line in text.splitlines() if re.search(r"kcat -P .* -t pruned.events ", line)]


def kcat(scene, line):
    ours = line.replace("broker:9092", scene.topics.bootstrap).replace("pruned.events ", f"{scene.topics.full('events')} ")
    subprocess.run(["sh", "-c", ours], check=True, timeout=60, env=clean_environment())


def started(scene, job):
    return scene.database.rows("SELECT args, state FROM pruned.runs WHERE job = %s", [job])


def dead(scene):
    return sorted(m.headers["pruned_reason"] for m in scene.topics.read("dead"))


def test_each_form_of_the_page_starts_the_same_run(scene):
    *lines, without_fields = examples()
    assert len(lines) == 5
    kcat(scene, without_fields)
    for i, line in enumerate(lines):
        assert '"placeholder_user_id":9' in line
        kcat(scene, line.replace('"placeholder_user_id":9', f'"placeholder_user_id":{i + 100}'))
    scene.run_until_idle()
    runs = started(scene, "scratch.one")
    assert sorted(run["args"]["placeholder_user_id"] for run in runs) == [100, 101, 102, 103, 104]
    assert {run["state"] for run in runs} == {"finished"} and dead(scene) == []
    assert len(started(scene, "ci.schedule_delete_objects")) == 1


def test_an_event_without_fields_needs_no_value(scene):
    scene.topics.produce("events", None, key="k", headers={"ce_type": "ObjectsMarkedForDeletion", "ce_id": "1", "ce_source": "/a"})
    scene.topics.produce("events", b"", key="k", headers={"ce_type": "pruned.events.ObjectsMarkedForDeletion", "ce_id": "2", "ce_source": "/a"})
    scene.topics.produce("events", None, key="k", headers={"ce_type": "PlaceholderUserOrphaned"})
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'ci.schedule_delete_objects'") >= 1
    assert dead(scene) == ["empty value"]


@pytest.fixture
def registered(new_scene, registry):  # noqa: F811
    return new_scene({"registry.url": registry.url})


@pytest.mark.check_all
def test_ticks_and_events_in_the_frame_of_a_registry(registered, registry):  # noqa: F811
    topics = registered.topics
    ours, theirs, tick = (register(registry, schema) for schema in (RECORD, ELSEWHERE, TICK))
    wide = TICK | {"fields": [*TICK["fields"], {"name": "limit", "type": "int"}]}
    text = RECORD | {"fields": [{"name": "placeholder_user_id", "type": "string"}]}
    less = RECORD | {"fields": []}
    topics.produce("events", wire(ours, datum(RECORD, {"placeholder_user_id": 1})))
    topics.produce("events", wire(theirs, datum(ELSEWHERE, {"note": "x", "placeholder_user_id": 2})), headers={"ce_type": "PlaceholderUserOrphaned"})
    topics.produce("ticks", wire(tick, datum(TICK, {"job": "scratch.remove"})), headers={"content-type": "application/avro"})
    refused = {
        "unknown type com.example.PlaceholderUserOrphaned": ("events", ELSEWHERE, {"note": None, "placeholder_user_id": 3}, {}),
        "unknown field limit": ("ticks", wide, {"job": "scratch.remove", "limit": 1}, {}),
        "undecodable: field placeholder_user_id: not an integer": ("events", text, {"placeholder_user_id": "4"}, {}),
        "undecodable: missing field placeholder_user_id": ("events", less, {}, {}),
        "undecodable: the value is a pruned.Tick, ce_type says pruned.events.PlaceholderUserOrphaned":
            ("events", TICK, {"job": "j"}, {"ce_type": "PlaceholderUserOrphaned"}),
        "unexpected type pruned.Tick": ("events", TICK, {"job": "j"}, {}),
        "undecodable: the value is no record": ("events", "int", 7, {}),
    }
    for topic, schema, content, headers in refused.values():
        topics.produce(topic, wire(register(registry, schema), datum(schema, content)), headers=headers)
    topics.produce("events", wire(ours, b""))
    topics.produce("events", wire(1 << 30, b"\2"))
    topics.produce("events", b"\0\0")
    registered.run_until_idle()
    assert sorted(run["args"]["placeholder_user_id"] for run in started(registered, "scratch.one")) == [1, 2]
    assert len(started(registered, "scratch.remove")) == 1
    assert dead(registered) == sorted([*refused, "undecodable: field placeholder_user_id: the bytes end too early", f"unknown schema {1 << 30}",
                                       "undecodable: the bytes end within the number of the schema"])


@pytest.mark.check_all
def test_while_the_registry_is_away_its_messages_wait(registered, registry):  # noqa: F811
    number = register(registry, RECORD)
    registry.freeze()
    try:
        registered.topics.produce("events", wire(number, datum(RECORD, {"placeholder_user_id": 6})), partition=0)
        daemon = registered.start()
        line = daemon.wait_line("A dependency is down; the lane waits")
        assert line["detail"].startswith("the schema registry does not answer")
        assert started(registered, "scratch.one") == []
    finally:
        registry.thaw()
    registered.database.wait("SELECT count(*) = 1 FROM pruned.runs WHERE job = 'scratch.one' AND state = 'finished'")
    assert dead(registered) == []


class Guard(http.server.ThreadingHTTPServer):
    """Before the registry: who does not say `said` gets 401. It counts what it is asked for."""

    daemon_threads = True

    def __init__(self, registry, said, certificate=None):  # noqa: F811
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.server.asked.append(self.path)
                knows = self.headers["Authorization"] == self.server.said
                answer = requests.get(registry.url + self.path, timeout=30) if knows else None
                body = answer.content if knows else b"{}"
                self.send_response(answer.status_code if knows else 401)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.said, self.asked = said, []
        self.port = self.server_address[1]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate[:2])
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.mark.check_all
def test_a_registry_that_wants_to_know_who_asks(new_scene, registry, tmp_path):  # noqa: F811
    token = tmp_path / "token"
    guard = Guard(registry, "Bearer of-the-day")
    try:
        scene = new_scene({"registry.url": f"http://127.0.0.1:{guard.port}", "registry.token_file": str(token)})
        number = register(registry, RECORD)
        scene.topics.produce("events", wire(number, datum(RECORD, {"placeholder_user_id": 7})))
        daemon = scene.start()
        daemon.wait_line("A dependency is down; the lane waits", detail=f"[registry] token_file: Failed to open file “{token}”: No such file or directory")
        token.write_text("of-the-day\n")
        scene.database.wait("SELECT count(*) = 1 FROM pruned.runs WHERE job = 'scratch.one' AND state = 'finished'")
        assert daemon.stop() == 0
        guard.said = "Basic " + base64.b64encode(b"pruned:of-the-night").decode()
        guard.asked.clear()
        for _ in range(3):
            scene.topics.produce("events", wire(1 << 30, b"\2"))
        scene.topics.produce("events", wire(number, datum(RECORD, {"placeholder_user_id": 8})))
        scene.run_until_idle(settings={"registry.url": f"http://pruned:of-the-night@127.0.0.1:{guard.port}", "registry.token_file": ""})
        assert len(started(scene, "scratch.one")) == 2 and dead(scene) == [f"unknown schema {1 << 30}"] * 3
        assert sorted(guard.asked) == sorted([f"/schemas/ids/{1 << 30}", f"/schemas/ids/{number}"])
    finally:
        guard.shutdown()


@pytest.mark.check_all
def test_a_registry_whose_authority_is_not_trusted_is_asked_nothing(new_scene, registry, tmp_path):
    """Its messages wait; with the authority in ca_file they go on."""
    make_authority(tmp_path, "ours")
    make_authority(tmp_path, "others")
    certificate = make_certificate(tmp_path, "ours", "127.0.0.1")
    guard = Guard(registry, None, certificate)
    try:
        scene = new_scene({"registry.url": f"https://127.0.0.1:{guard.port}", "registry.ca_file": str(tmp_path / "others.pem")})
        number = register(registry, RECORD)
        scene.topics.produce("events", wire(number, datum(RECORD, {"placeholder_user_id": 9})))
        daemon = scene.start()
        line = daemon.wait_line("A dependency is down; the lane waits")
        assert "certificate" in line["detail"] and guard.asked == [], line
        assert daemon.stop() == 0 and started(scene, "scratch.one") == [] and dead(scene) == []
        scene.run_until_idle(settings={"registry.ca_file": str(certificate[2])})
        assert len(started(scene, "scratch.one")) == 1 and guard.asked == [f"/schemas/ids/{number}"]
    finally:
        guard.shutdown()
