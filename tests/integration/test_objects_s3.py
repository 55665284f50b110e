"""Objects on an S3 service: a real gateway, and a proxy of our own that behaves badly in between."""

import http.server
import re
import shutil
import threading
import urllib.error
import urllib.request

import pytest

from stack.pair import new_folder
from stack.s3 import S3

TICK = "ci.schedule_delete_objects"
BUCKET = "artifacts"


@pytest.fixture(scope="module")
def gateway():
    folder = new_folder("pruned-s3-")
    server = S3(folder / "s3").start()
    server.client().create_bucket(Bucket=BUCKET)
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


class Proxy:
    """Hands requests on as they are; `misbehave(request_body) -> (status, body) | None` may answer instead."""

    def __init__(self, endpoint):
        self.endpoint, self.misbehave, self.requests = endpoint, None, []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                proxy.requests.append((self.command, self.path))
                own = proxy.misbehave and proxy.misbehave(self.command, body, proxy.forward(self, body))
                status, answer, promised = own or (*proxy.forwarded, None)
                self.send_response(status)
                self.send_header("Content-Length", promised or len(answer))
                self.send_header("Content-Type", "application/xml")
                self.end_headers()
                self.wfile.write(answer)
                if promised:
                    self.close_connection = True

            do_DELETE = do_POST

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, handler, body):
        """The request goes on when this is called."""
        headers = {k: v for k, v in handler.headers.items() if k.lower() not in ("connection", "content-length")}
        url, command = self.endpoint + handler.path, handler.command

        def go():
            request = urllib.request.Request(url, data=body or None, headers=headers, method=command)
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()

        class Lazily:
            def __call__(self):
                return go()

        if not self.misbehave:
            self.forwarded = go()
        return Lazily()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def proxy(gateway):
    made = Proxy(gateway.endpoint)
    yield made
    made.close()


class Objects:
    def __init__(self, pruned, database, gateway, prefix):
        self.pruned, self.database, self.gateway, self.prefix = pruned, database, gateway, prefix
        self.settings = {
            "store.object.endpoint": gateway.endpoint, "store.object.bucket": BUCKET,
            "store.object.region": gateway.region, "store.object.access_key": gateway.access_key,
            "store.object.secret_key": gateway.secret_key, "store.object.prefix": prefix}

    def add(self, dir_, file, make=True):
        if make:
            self.gateway.client().put_object(Bucket=BUCKET, Key=f"{self.prefix}/{dir_}/{file}", Body=b"x")
        return self.database.value(
            "INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
            " VALUES (2, %s, %s, now() - interval '1 hour') RETURNING id", [dir_, file])

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.pruned.run_until_idle(settings=self.settings | settings)

    def left(self):
        return self.database.column("SELECT id FROM ci_deleted_objects ORDER BY id")

    def keys(self):
        listed = self.gateway.client().list_objects_v2(Bucket=BUCKET, Prefix=self.prefix + "/")
        return [item["Key"] for item in listed.get("Contents", [])]

    def run(self):
        return self.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects' ORDER BY slot LIMIT 1")


@pytest.fixture
def objects(pruned, database, gateway, request):
    return Objects(pruned, database, gateway, re.sub(r"\W+", "-", request.node.name))


def test_listed_objects_go_in_bulk_whatever_their_names(objects):
    names = ["plain", "with space", "ü and é", "per%cent", "plus+plus", "a&b<c>d'e\"f", "semi;colon", "tab\tstop"]
    for name in names:
        objects.add("a", name)
    objects.gateway.client().put_object(Bucket=BUCKET, Key=f"{objects.prefix}/a/other", Body=b"x")
    objects.add("b", "absent", make=False)
    objects.delete()
    assert objects.left() == []
    assert objects.keys() == [f"{objects.prefix}/a/other"]
    assert objects.run()["result"]["updated_rows"] == len(names) + 1


def test_a_service_without_the_bulk_call_is_served_by_single_deletes(objects, proxy):
    for i in range(30):
        objects.add("a", f"file {i}")
    proxy.misbehave = lambda command, body, go: (
        (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None) if command == "POST"
        else (*go(), None))
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [] and objects.keys() == []
    assert [command for command, _ in proxy.requests].count("POST") == 1


def test_a_key_that_is_refused_keeps_its_row_and_its_error_is_named(objects, proxy):
    bad, good = objects.add("a", "refused"), objects.add("a", "fine")

    def refuse(command, body, go):
        _, answer = go()
        key = f"{objects.prefix}/a/refused".encode()
        return 200, re.sub(rb"<Deleted><Key>" + key + rb"</Key>.*?</Deleted>",
                           b"<Error><Key>" + key + b"</Key><Code>AccessDenied</Code><Message>not yours</Message></Error>",
                           answer), None

    proxy.misbehave = refuse
    daemon = objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [bad] and bad != good
    daemon.wait_line("Object cannot be deleted", id=str(bad), error="AccessDenied: not yours")
    assert objects.run()["result"]["failed"] == 1


def test_a_key_that_the_answer_does_not_mention_is_not_believed_to_be_gone(objects, proxy):
    lied = objects.add("a", "unmentioned")
    objects.add("a", "mentioned")

    def lie(command, body, go):
        status, answer = go()
        return status, re.sub(rb"<Deleted><Key>[^<]*unmentioned</Key>.*?</Deleted>", b"", answer), None

    proxy.misbehave = lie
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [lied]


def test_slow_down_is_obeyed_and_nothing_fails(objects, proxy):
    for i in range(20):
        objects.add("a", f"file {i}")
    answers = iter([503, 503])

    def slow_down(command, body, go):
        status = next(answers, None)
        return (status, b"<Error><Code>SlowDown</Code></Error>", None) if status else (*go(), None)

    proxy.misbehave = slow_down
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [] and objects.run()["result"]["failed"] == 0
    assert len(proxy.requests) == 3


def test_an_answer_cut_in_the_middle_of_the_xml_is_asked_for_again(objects, proxy):
    objects.add("a", "file")
    cut = iter([True])

    def cut_once(command, body, go):
        status, answer = go()
        return (status, answer[:len(answer) // 2], len(answer)) if next(cut, False) else (status, answer, None)

    proxy.misbehave = cut_once
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == []


@pytest.mark.parametrize("settings, words", [
    ({"store.object.bucket": "nowhere"}, "NoSuchBucket"),
    ({"store.object.secret_key": "wrong"}, "SignatureDoesNotMatch"),
    ({"store.object.endpoint": "http://127.0.0.1:9"}, "127.0.0.1"),
])
def test_a_store_that_cannot_work_is_said_and_nobody_is_charged(objects, settings, words):
    id_ = objects.add("a", "file")
    before = objects.database.value("SELECT pick_up_at FROM ci_deleted_objects")
    objects.delete(**settings)
    run = objects.run()
    assert objects.left() == [id_]
    assert run["state"] == "waiting" and run["attempts"] == 0 and words in run["error"]
    assert objects.database.value("SELECT pick_up_at FROM ci_deleted_objects") == before
    assert objects.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_an_endpoint_that_is_no_s3_is_said(objects, proxy):
    objects.add("a", "file")
    proxy.misbehave = lambda command, body, go: (200, b"<!DOCTYPE html><html><body>Welcome</body></html>", None)
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert "is the endpoint an S3 service" in objects.run()["error"] and len(objects.left()) == 1


def test_a_key_that_is_too_long_is_its_own_failure(objects):
    long_ = objects.add("d" * 1000, "f" * 100, make=False)
    objects.add("a", "file")
    objects.delete()
    assert objects.left() == [long_]
    assert objects.database.value("SELECT reason FROM pruned.quarantine") == "the key is longer than 1024 bytes"


def test_credentials_from_a_file_that_is_rotated(objects, tmp_path):
    file = tmp_path / "credentials"
    file.write_text("access_key = test\nsecret_key = old\n")
    objects.add("a", "file")
    settings = {"store.object.access_key": None, "store.object.secret_key": None,
                "store.object.credentials_file": file}
    objects.delete(**settings)
    assert "SignatureDoesNotMatch" in objects.run()["error"]
    file.write_text(f"access_key = {objects.gateway.access_key}\nsecret_key = {objects.gateway.secret_key}\n")
    objects.pruned.run("retry", objects.run()["run_id"]).ok()
    objects.pruned.run_until_idle(settings=objects.settings | settings)
    assert objects.left() == [] and objects.keys() == []
