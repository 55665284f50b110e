"""The page says what the commands say, from the same statements; texts of others stay texts; it
only reads, and delays nothing."""

import contextlib
import csv
import io
import json
import socket
import time

import pytest
import requests

from stack.process import patient, wait_until
from support.paged import EVIL, JOB, Read, VIEWS, done, paged, renewed  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401


def test_what_the_commands_say(paged):  # noqa: F811
    run = done(paged, now(minutes=-1))
    home = renewed(paged, "/", lambda seen: "3 rows went" in seen.of("sentences") and "agrees" in seen.of("sentences"))
    assert home.of("sentences") == ("✗ 3 rows went in the last night of each job; 2 rows fail; no job has a deadline. "
                                    "✓ The second reading agrees with 1 run of the last day, 3 rows. ✓ Nothing waits for you.")
    # The run was due at its T, a minute before its tick came.
    waits = [(one["runs"], one["longest_s"]) for one in paged.json("/?format=json&table=delays") if one["runs"]]
    assert len(waits) == 1 and waits[0][0] == 1 and waits[0][1] >= 60 and "1 run, at most " in home.of("waits")
    assert "2 fail: refunds_order_id_fkey" in home.of("jobs") and home.of("needs") == ""
    # A third has failed for a day: it needs a person, with the commands of `pruned night`.
    paged.database.execute("UPDATE pruned.quarantine SET first_at = now() - interval '25 hours'")
    home = renewed(paged, "/", lambda seen: seen.of("needs"))
    (said,) = [line for line in paged.house.pruned.run("night", "--json").json() if line["job"] == JOB]
    assert "✗ 1 thing waits for you." in home.of("sentences")
    assert all(command in home.of("needs") for command in [said["says"], *said["commands"]])
    # Tables for machines are the lists of the commands.
    commands = {"/runs?format=json": ("runs", "--job", JOB), "/quarantine?format=json&table=quarantine": ("quarantine", "list", "--all"),
                "/processes?format=json": ("processes",), "/holds?format=json": ("holds",), "/journal?format=json": ("journal",)}
    for path, command in commands.items():
        told = paged.house.pruned.run(*command, "--json").json()
        shown = paged.json(path)
        for one in told + shown:
            one.pop("seen_at", None)
        assert shown == told, path
    (row,) = csv.DictReader(io.StringIO(paged.ask("/runs?format=csv").text, newline=""))
    assert (row["run_id"], row["state"], json.loads(row["result"])["failed"]) == (str(run["run_id"]), "finished", 2)
    # The report: its parts are those of the command.
    report = json.loads(paged.house.pruned.run("report", "--since", "-1d", "--format", "json").ok().stdout)
    page = paged.read("/report?since=-1d")
    assert JOB in page.of("jobs") and "Nobody held or released a row." in page.of("holds")
    assert paged.json("/report?since=-1d&format=json&table=jobs") == report["jobs"]
    assert paged.json("/report?since=-1d&format=json&table=tables") == report["tables"] != []
    # Of one run.
    page = paged.read(f"/run?id={run['run_id']}")
    assert "3 removed" in page.of("about") and f"pruned restore {run['run_id']} --dry-run" in page.of("next")
    assert "orders" in page.of("tables") and "orders:4" in page.of("quarantined")
    page = paged.read(f"/job?name={JOB}")
    assert "gone" in page.of("rule") and "max_share" in page.of("settings") and "refunds_order_id_fkey" in page.of("reasons")


def test_texts_of_others_are_texts(paged):  # noqa: F811
    paged.database.execute(
        "INSERT INTO pruned.quarantine (job, item, reason, attempts, next_try_at) VALUES (%s, %s, %s, 1, now() + interval '1 h')",
        [EVIL, f"members:{EVIL}", f"ERROR: {EVIL}"])
    paged.database.execute("INSERT INTO pruned.journal (role, os_user, host, command, object, reason) VALUES ('a', 'b', 'c', 'pause', %s, %s)", [EVIL, EVIL])
    said = set()
    for path in (*VIEWS, "/quarantine?job=" + requests.utils.quote(EVIL), "/job?name=" + requests.utils.quote(EVIL)):
        answer = paged.ask(path)
        page = paged.read(path, answer.status_code)
        assert [a for tag, a in page.elements if tag == "script"] == [{"src": "page.js", "defer": ""}], path
        assert not any(name.startswith("on") or name == "style" for _, a in page.elements for name in a), path
        links = [a[name] for _, a in page.elements for name in ("href", "src", "action") if name in a]
        assert all(":" not in link.split("?")[0] and not link.startswith("/") for link in links), "links are relative"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "Set-Cookie" not in answer.headers
        said |= {path.split("?")[0]} if "onfocus='x'" in " ".join(page.texts.values()) else set()
    assert {"/quarantine", "/journal"} <= said, "it is shown, as a text"
    rows = list(csv.DictReader(io.StringIO(paged.ask("/quarantine?format=csv&table=quarantine").text, newline="")))
    assert rows[0]["reason"] == f"ERROR: {EVIL}", "as it is"


def test_runs_are_read_from_eight_days_of_the_archive_and_from_all_with_since(paged):  # noqa: F811
    """A statement has 1.5 seconds, and no index finds the runs of a state that few runs have. The
    command reads all of the archive."""
    archived = {}
    for table, days in (("runs_done", 7), ("runs_done", 9), ("runs", 30)):
        paged.database.execute("SELECT pruned.ensure_day('runs_done', (%s AT TIME ZONE 'UTC')::date)", [at := now(days=-days)])
        archived[days] = str(paged.database.value(
            f"INSERT INTO pruned.{table} (run_id, job, state, scheduled_at, due_at, created_at, finished_at)"
            " VALUES (gen_random_uuid(), %s, 'dead', %s, %s, %s, %s) RETURNING run_id", [JOB, at, at, at, at]))
    recent, all_days = {archived[7], archived[30]}, set(archived.values())
    shown = {path: {run["run_id"] for run in paged.json(f"{path}format=json")} for path in ("/runs?", "/runs?since=-40d&", f"/job?name={JOB}&table=runs&")}
    assert shown == {"/runs?": recent, "/runs?since=-40d&": all_days, f"/job?name={JOB}&table=runs&": recent}
    assert {run["run_id"] for run in paged.house.pruned.run("runs", "--json").ok().json()} == all_days
    says = [paged.read(path).of("runs") for path in ("/runs", "/runs?since=-40d", f"/job?name={JOB}")]
    assert ["eight days" in said for said in says] == [True, False, True]


BAD = {
    ("GET", "/none"): 404, ("GET", "//"): 404, ("GET", "/../etc/passwd"): 404, ("GET", "/%2e%2e/%2e%2e/etc/passwd"): 404,
    ("GET", "/runs%2f"): 404, ("GET", "/src/web/page/page.css"): 404,
    ("POST", "/"): 405, ("PUT", "/runs"): 405, ("DELETE", "/run?id=x"): 405, ("TRACE", "/"): 405, ("OPTIONS", "/"): 405,
    ("GET", "/?token=x"): 400, ("GET", "/runs?job=a&job=b"): 400, ("GET", "/runs?x=1"): 400, ("GET", "/runs?=1"): 400,
    ("GET", "/runs?job=%ff"): 400, ("GET", "/runs?format=xml"): 400, ("GET", "/runs?since=yesterday"): 400, ("GET", "/report?since=yesterday"): 400,
    ("GET", "/run"): 404, ("GET", "/run?id=1%27"): 404, ("GET", "/run?id=00000000-0000-0000-0000-000000000000"): 404,
    ("GET", "/job?name=none"): 404, ("GET", "/runs?format=csv&table=none"): 404,
    ("GET", "/runs?job=%27%3B+DROP+TABLE+pruned.runs+--"): 200, ("GET", "/quarantine?job=%27+OR+1%3D1+--"): 200,
    ("GET", "/runs?state=%27+UNION+SELECT+1"): 200, ("HEAD", "/"): 200,
}


def raw(paged, text):  # noqa: F811
    """The first line of the answer to bytes that no client would send; none: it hung up."""
    host, _, port = paged.http.listen.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as one:
        try:
            one.sendall(text)
            return one.recv(65536).partition(b"\r\n")[0]
        except ConnectionError:
            return b""


def test_odd_requests(paged):  # noqa: F811
    for (method, path), code in BAD.items():
        request = requests.Request(method, f"http://{paged.http.listen}/").prepare()
        request.url = f"http://{paged.http.listen}{path}"  # as it stands
        with requests.Session() as session:
            answer = session.send(request, timeout=20)
        assert answer.status_code == code, (method, path, answer.text[:300])
        assert method != "HEAD" or not answer.content
    assert paged.json("/quarantine?job=%27+OR+1%3D1+--&format=json") == []
    for host, code in {"evil.example": 421, "evil.example:80": 421, "127.0.0.1.evil.example": 421, "": 421, "localhost:1": 200}.items():
        assert paged.ask("/", Host=host).status_code == code, host
        assert paged.ask("/healthz", Host=host).status_code == 200, "not of the page"
    huge = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n"
    assert raw(paged, huge).split()[1:2] in ([b"431"], [b"400"], [b"413"], [])
    assert raw(paged, b"GET / HTTP/1.1\r\n\r\n").split()[1] in (b"400", b"421"), "no Host"
    assert raw(paged, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n") == b"" or b"400" in raw(paged, b"\x16\x03\r\n\r\n")
    assert paged.read("/")


def test_a_slow_database_delays_nothing_and_is_not_asked_again_for_what_is_known(paged):  # noqa: F811
    first = paged.ask("/journal")
    paged.database.execute("INSERT INTO pruned.journal (role, os_user, host, command, object) VALUES ('a', 'b', 'c', 'pause', 'x')")
    with paged.database.connection.transaction():
        paged.database.execute("LOCK TABLE pruned.journal")
        again = paged.ask("/journal", **{"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), "no query"
        assert paged.ask("/journal").text == first.text
        began = time.monotonic()
        other = paged.ask("/journal?job=x")
        assert (other.status_code, "canceling statement" in other.text) == (503, True), other.text
        assert time.monotonic() - began < patient(4)
        assert paged.ask("/healthz").status_code == paged.ask("/readyz").status_code == paged.ask("/metrics").status_code == 200
    wait_until(lambda: paged.ask("/journal", **{"If-None-Match": first.headers["ETag"]}).status_code == 200, 20, "what is new")
    fresh = paged.ask("/journal").headers["ETag"]
    wait_until(lambda: paged.ask("/journal").headers["ETag"] == fresh, 20, "the same tag for the same rows")
    css = paged.ask("/page.css")
    assert paged.ask("/page.css", **{"If-None-Match": css.headers["ETag"]}).status_code == 304


def answered(listen, path, etag, n):
    """The answers to N requests that are sent before the first is read. An address has eight
    connections: those beyond are refused, and left out."""
    host, _, port = listen.rpartition(":")
    open_ones = [socket.create_connection((host, int(port)), timeout=patient(20)) for _ in range(n)]
    for one in open_ones:
        with contextlib.suppress(ConnectionError):
            one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {etag}\r\nConnection: close\r\n\r\n".encode())
    for one in open_ones:
        with contextlib.suppress(ConnectionError), one:
            yield b"".join(iter(lambda: one.recv(65536), b""))  # noqa: B023


@pytest.mark.check_all
def test_tabs_that_poll_at_once_are_all_answered(paged):  # noqa: F811
    """One of them makes the answer anew, once the last one is too old; the others get that."""
    etag, codes = paged.ask("/").headers["ETag"], []
    began = time.monotonic()
    # An answer is kept for three seconds.
    while time.monotonic() - began < 7 or codes.count(b"304") + codes.count(b"200") < 200:
        for answer in answered(paged.http.listen, "/", etag, 7):
            assert b"too many readers" not in answer
            codes += answer.split(b" ", 2)[1:2]


@pytest.mark.check_all
def test_it_is_off_unless_asked_for(house):  # noqa: F811
    from support.exposition import Listening
    http = Listening()
    house.say(JOB, "table = orders\nwhere = gone")
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean)")
    house.start()
    daemon = house.pruned.start(settings={"http.listen": http.listen})
    daemon.wait_line("Partitions assigned")
    assert [http.ask(path).status_code for path in ("/", "/runs", "/page.css")] == [404] * 3
    daemon.stop()
    house.pruned.start(settings={"http.listen": http.listen, "http.page": "on", "http.links": "shop=../shop/, <b> = https://hr.example.org/?a&b"}).wait_line("Partitions assigned")
    page = Read(http.ask("/runs").text)
    assert {"../shop/", "https://hr.example.org/?a&b"} <= {a["href"] for tag, a in page.elements if tag == "a"} and not [tag for tag, _ in page.elements if tag == "b"]
    http.close()
    for links in ("shop", "shop=", "=../shop/", "shop=javascript:alert(1)", "shop=//hr.example.org", "a=../a/,,b=../b/"):
        refused = house.pruned.run("doctor", settings={"http.listen": http.listen, "http.links": links})
        assert refused.code == 2 and "[http] links: '" in refused.stdout + refused.stderr, (links, refused)
    refused = house.pruned.run("doctor", settings={"http.listen": http.listen, "http.hosts": "a b"})
    assert "[http] hosts: 'a b' is no name of a host" in refused.stdout
