"""Objects on an S3 service, and a proxy that behaves badly in front of it."""

import contextlib
import hashlib
import hmac
import http.server
import re
import threading
import urllib.error
import urllib.request

import pytest

from support.objects import TICK, waits_for_its_store

BUCKET = "artifacts"


class Proxy:
    """Forwards requests unchanged. `misbehave(command, request_body, go)` may answer instead: it
    returns (status, body, promised length or None, headers...); go() forwards the request."""

    def __init__(self, endpoint):
        self.endpoint, self.misbehave, self.requests = endpoint, None, []
        self.seen, self.connections = [], 0  # headers and body of each request
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def setup(self):
                super().setup()
                proxy.connections += 1

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                proxy.requests.append((self.command, self.path))
                proxy.seen.append((self.headers, body))
                own = proxy.misbehave and proxy.misbehave(self.command, body, proxy.forward(self, body))
                status, answer, promised, *headers = own or (*proxy.forwarded, None)
                self.send_response(status)
                self.send_header("Content-Length", promised or len(answer))
                self.send_header("Content-Type", "application/xml")
                for header in headers:
                    self.send_header(*header)
                self.end_headers()
                self.wfile.write(answer)
                if promised:
                    self.close_connection = True

            do_DELETE = do_GET = do_PUT = do_POST

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, handler, body):
        """A function that forwards the request when it is called."""
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


def signature(secret, region, command, path, headers, body):
    """The signature (AWS V4) that a received request should have, over the headers that it names as
    signed."""
    [names] = re.findall("SignedHeaders=([^,]*)", headers["Authorization"])
    at, (address, _, query) = headers["x-amz-date"], path.partition("?")
    canonical = "\n".join([command, address, query, *(f"{name}:{headers[name].strip()}" for name in names.split(";")), "", names,
                           hashlib.sha256(body).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in (at[:8], region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    said = f"AWS4-HMAC-SHA256\n{at}\n{at[:8]}/{region}/s3/aws4_request\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    return hmac.digest(key, said.encode(), "sha256").hex()


@pytest.fixture
def proxy(gateway):
    made = Proxy(gateway.endpoint)
    yield made
    made.close()


@pytest.fixture
def let_go(proxy):
    """A store that hangs waits for this."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def objects_behind(pruned_with_slots, database, gateway, proxy, request):
    """Objects whose store is asked through the proxy."""
    one = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))
    one.settings["store.object.endpoint"] = proxy.url
    return one


class Objects:
    def __init__(self, pruned, database, gateway, prefix):
        self.pruned, self.database, self.gateway, self.prefix = pruned, database, gateway, prefix
        # the second reading of a run that has ended asks the store, too, sooner or later
        self.settings = {
            "jobs.ci.delete_objects.verify_rows": 0, "store.object.endpoint": gateway.endpoint, "store.object.ca_file": gateway.ca_file, "store.object.bucket": BUCKET,
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

    def again(self, **settings):
        """Runs the slot again, without the pause of a retry."""
        if (run := self.run())["state"] == "waiting":
            self.pruned.run("retry", run["run_id"]).ok()
        return self.pruned.run_until_idle(settings=self.settings | settings)

    def left(self):
        return self.database.column("SELECT id FROM ci_deleted_objects ORDER BY id")

    def keys(self):
        listed = self.gateway.client().list_objects_v2(Bucket=BUCKET, Prefix=self.prefix + "/")
        return [item["Key"] for item in listed.get("Contents", [])]

    def run(self):
        return self.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects' ORDER BY slot LIMIT 1")

    @contextlib.contextmanager
    def nobody_charged(self, words):
        """The store is down: the object stays, its lease is given back, and the run waits with an
        error that says why."""
        id_ = self.add("a", "file")
        before = self.database.value("SELECT pick_up_at FROM ci_deleted_objects")
        said = len(self.pruned.daemons)
        yield
        run = self.run()
        assert self.left() == [id_] and self.keys() == [f"{self.prefix}/a/file"]
        assert waits_for_its_store(run) and re.search(words, run["error"]), run
        lines = self.pruned.daemons[said].lines("The store cannot be used; the slot waits", level="warning")
        assert run["error"] in [line["error"] for line in lines]  # one for each pause
        assert self.database.value("SELECT pick_up_at FROM ci_deleted_objects") == before
        assert self.database.value("SELECT count(*) FROM pruned.quarantine") == 0
