"""What needs a person is posted to `[notify] url`: each thing once, at least; no step waits for it,
and what cannot be delivered is said."""

import json
import shutil
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stack.pair import new_folder
from stack.process import wait_until
from support.certificates import make_authority, make_certificate
from support.doctors import about
from support.metrics import http  # noqa: F401
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "orders.purge"
SENTENCE = "table = orders\nwhere = gone\nmax_share = off\nmax_rows = 2\n"


class Receiver:
    """A web address that answers as it is told: a status, or nothing (`None`) until it is freed."""

    def __init__(self, certificate=None):
        self.got, self.status, self.free = [], 200, threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, dict(self.headers), json.loads(body)))
                status = receiver.status
                if status is None:
                    receiver.free.wait(60)
                    return
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"no")

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}/hook/T0/x"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def told(self, n):
        return wait_until(lambda: len(self.got) >= n and [body for _, _, body in self.got], 30, f"{n} notices")

    def close(self):
        self.free.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.close()


@pytest.fixture
def held(house):  # noqa: F811
    """Six orders are due, and a run may take two."""
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean); INSERT INTO orders SELECT n, true FROM generate_series(1, 6) n")
    house.say(JOB, SENTENCE)
    house.start()
    house.at = now(minutes=-1)
    house.pruned.topics.tick(JOB, house.at)
    house.run_id = tick_id(JOB, house.at)
    return house


def start(house, receiver, **settings):  # noqa: F811
    return house.pruned.start(settings={"notify.url": receiver.url, **settings})


def tried(house, what="told_at IS NOT NULL"):  # noqa: F811
    """The notice, once this is so of it."""
    return wait_until(lambda: house.database.rows(f"SELECT * FROM pruned.notices WHERE {what}"), 30, what)[0]


def again(house):  # noqa: F811
    """It is due now, and not in seconds."""
    house.database.execute("UPDATE pruned.notices SET next_try_at = now()")


def doctor(house, receiver):  # noqa: F811
    said = about(house.pruned, "notices", settings={"notify.url": receiver.url})
    return [one["detail"] for one in said]


def test_a_held_run_and_a_reading_that_disagrees_are_told_once(held, receiver):
    token = held.folder.parent / "token"
    token.write_text("for tests\n")
    start(held, receiver, **{"http.public_url": "https://pruned.example.org/below", "notify.token_file": str(token)})
    (body,) = receiver.told(1)
    path, headers, _ = receiver.got[0]
    assert (path, headers["Content-Type"], headers["Authorization"]) == ("/hook/T0/x", "application/json", "Bearer for tests")
    assert body.pop("at").endswith("Z") and body.pop("prefix")
    assert body == {"kind": "held", "job": JOB, "run_id": held.run_id, "says": "held: max_rows",
                    "commands": [f"pruned {word} {held.run_id}" for word in ("runs", "approve", "discard")],
                    "link": f"https://pruned.example.org/below/run?id={held.run_id}"}
    tried(held)
    held.database.execute("""INSERT INTO pruned.readings (run_id, job, rows, read, wrong, left_over, lost, unsure, named, unread)
        VALUES (gen_random_uuid(), %s, 1, 1, 1, 0, 0, 0, '[{"table": "orders", "key": "5", "says": "its rule does not take it"}]', '[]')""", [JOB])
    body = receiver.told(2)[1]
    assert (body["kind"], body["says"]) == ("disagreed", "the second reading disagrees: orders:5: its rule does not take it")
    tried(held, "kind = 'disagreed' AND told_at IS NOT NULL")
    # What is so no more is forgotten; what comes again is told again. What still is, is not.
    held.database.execute("DELETE FROM pruned.readings; UPDATE pruned.notices SET seen_at = now() - interval '11 minutes'")
    wait_until(lambda: not held.database.rows("SELECT FROM pruned.notices WHERE kind = 'disagreed'"), 30, "it to be forgotten")
    assert len(receiver.got) == 2 and tried(held)["kind"] == "held"


def test_what_cannot_be_delivered_is_tried_again_and_said(held, receiver, http):  # noqa: F811
    receiver.status = 500
    start(held, receiver, **{"http.listen": http.listen})
    first = tried(held, "error IS NOT NULL")
    assert first["error"] == "HTTP status 500: no" and 0 < (first["next_try_at"] - first["at"]).total_seconds() < 40
    assert doctor(held, receiver)[0].startswith("1 notice could not be delivered to [notify] url, the first for ")
    wait_until(lambda: http.metrics()["pruned_notices_undelivered"] == 1, 30, "the metric")
    receiver.status = 302
    again(held)
    assert "a redirect: set [notify] url" in tried(held, "attempts = 2 AND error LIKE '%302%'")["error"]
    assert [path for path, _, _ in receiver.got] == ["/hook/T0/x"] * 2, "who is told is said by the setting alone"
    receiver.status = 204
    again(held)
    assert tried(held)["error"] is None and len(receiver.got) == 3
    assert doctor(held, receiver) == []
    # Not for ever: after three days it is left, and said.
    held.database.execute("UPDATE pruned.notices SET told_at = NULL, error = 'x', at = now() - interval '3 days 1 minute', next_try_at = now()")
    wait_until(lambda: http.metrics()["pruned_notices_undelivered"] == 1, 30, "the metric")
    assert len(receiver.got) == 3


def test_a_service_that_hangs_delays_nothing(held, receiver):
    receiver.status = None
    daemon = start(held, receiver)
    receiver.told(1)
    began = time.monotonic()
    held.pruned.run("approve", held.run_id).ok()
    held.pruned.wait_run(held.run_id, "finished")
    wait_until(lambda: held.database.value("SELECT seen_at > now() - interval '2 seconds' FROM pruned.processes"), 20, "housekeeping")
    assert time.monotonic() - began < 9, "less than the service is waited for"
    assert tried(held, "attempts = 1")["told_at"] is None
    daemon.stop()
    # It ends at once, and another tells it: at least once.
    assert time.monotonic() - began < 15
    receiver.status = 200
    again(held)
    start(held, receiver)
    tried(held)


@pytest.mark.check_all
def test_certificates(held):
    folder = new_folder("pruned-notices-")
    make_authority(folder, "ours")
    receiver = Receiver(make_certificate(folder, "ours", "127.0.0.1")[:2])
    try:
        daemon = start(held, receiver)
        assert "no answer: SSL" in tried(held, "error IS NOT NULL")["error"] and not receiver.got
        daemon.stop()
        again(held)
        start(held, receiver, **{"notify.ca_file": str(folder / "ours.pem")})
        tried(held)
    finally:
        receiver.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_addresses(held, receiver):
    secret = held.folder.parent / "url"
    secret.write_text("hooks.example.org/secret\n")
    for settings, says in [({"notify.url": "hooks.example.org/secret"}, "[notify] url: it is no address"), ({"notify.url": "file:///etc/passwd"}, "no address"),
                           ({"notify.url_file": str(secret)}, "[notify] url_file: it is no address"), ({"notify.url_file": "/none"}, "[notify] url_file: ")]:
        done = held.pruned.run("run", "--until-idle", settings=settings)
        assert done.code == 2 and says in done.stderr and "secret" not in done.stderr.replace(str(secret), ""), done
    # Off: nothing is noted. On, by a file, in Slack's form; http to another machine is warned of.
    held.work()
    assert held.database.value("SELECT count(*) FROM pruned.notices") == 0
    secret.write_text(receiver.url + "\n")
    daemon = held.pruned.start(settings={"notify.url_file": str(secret), "notify.template": "slack"})
    (body,) = receiver.told(1)
    assert body == {"text": f"*{JOB}*: held: max_rows\n" + "\n".join(f"`pruned {word} {held.run_id}`" for word in ("runs", "approve", "discard"))}
    assert "/hook/" not in daemon.text()
    said = about(held.pruned, "notices", settings={"notify.url": "http://hooks.example.org/x"})
    assert "they go unencrypted to another machine: set [notify] url to https://..." in [one["detail"] for one in said]
