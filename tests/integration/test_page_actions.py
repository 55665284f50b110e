"""What is done by the page is done by somebody who may, from the page itself, and to what they saw;
all else is refused, and leaves no row in the journal."""

import concurrent.futures
import hashlib
import itertools
import socket
import threading

import pytest
import requests

from stack.process import wait_until
from support.browsed import Tab, chromium  # noqa: F401
from support.exposition import Listening
from support.paged import JOB, Paged, Read, orders, renewed
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

PERSONS = {"anna": "approve", "bert": "approve", "olga": "operate", "lee": "look"}
RULE = "table = orders\nwhere = gone\nmax_share = off\napprove = always\n"


def token(name):
    return f"the token of {name}"


class Acting(Paged):
    """The page of a daemon with actions, and a run that is held."""

    def __init__(self, house, http, run):  # noqa: F811
        super().__init__(house, http)
        self.run, self.base = run, f"http://{http.listen}"

    def form(self, do, what=""):
        """What the page that asks would post, by its fields."""
        answer = requests.get(f"{self.base}/act", params={"do": do} | ({"what": what} if what else {}), timeout=20)
        assert answer.status_code == 200, answer.text
        fields = [a for tag, a in Read(answer.text).elements if tag == "input"]
        return {a["name"]: a.get("value", "") for a in fields}

    def post(self, fields, who=None, path="/act", origin=True, **headers):
        """ORIGIN: that of the page."""
        if origin:
            headers["Origin"] = self.base
        if who:
            headers["Authorization"] = f"Bearer {token(who)}"
        before = len(self.journal())
        answer = requests.post(f"{self.base}{path}", data=fields, headers=headers, timeout=30, allow_redirects=False)
        answer.done = answer.status_code == 200 and "Done." in answer.text
        if answer.status_code == 202:
            # On a slow machine the command goes on by itself.
            answer.done = wait_until(lambda: len(self.journal()) > before, 30, "the command to be done")
        return answer

    def do(self, do, what="", who="anna", **fields):
        return self.post(self.form(do, what) | fields, who)

    def journal(self):
        return [tuple(row.values()) for row in self.database.rows(
            "SELECT command, os_user, host, reason FROM pruned.journal WHERE command !~ '^(start|reload|migrate|topics)' ORDER BY at")]

    def state(self, run=None):
        return self.database.value("SELECT state FROM pruned.runs WHERE run_id = %s", [run or self.run])


def acting_in(house, folder, rule=RULE, **settings):  # noqa: F811
    http = Listening()
    orders(house)
    house.say(JOB, rule)
    file = folder / "tokens"
    file.write_text("".join(f"{name} {role} {hashlib.sha256(token(name).encode()).hexdigest()}\n" for name, role in PERSONS.items()))
    file.chmod(0o600)
    house.start()
    on = {"http.listen": http.listen, "http.page": "on", "http.actions": "on", "http.tokens": file} | settings
    house.pruned.start(settings=on).wait_line("Partitions assigned")
    at = now(minutes=-1)
    house.pruned.topics.tick(JOB, at)
    house.pruned.wait_run(tick_id(JOB, at), "held")
    return Acting(house, http, str(tick_id(JOB, at)))


@pytest.fixture
def acting(house, tmp_path):  # noqa: F811
    made = acting_in(house, tmp_path)
    yield made
    made.http.close()


ALL = ("approve", "discard", "retry", "stop", "go", "pause", "resume", "tick", "hold", "release")


def posted(acting, do):
    """A form that would do it."""
    what = {"approve": acting.run, "discard": acting.run, "retry": acting.run, "stop": "", "go": "", "hold": "orders:6",
            "release": "00000000-0000-0000-0000-000000000000"}.get(do, JOB)
    return {"do": do, "what": what, "step": "0", "rows": "5", "number": "5", "reason": "x", "version": "any"}


def test_nobody_does_anything_who_may_not(acting):
    other = {"Origin": "http://evil.example"}
    for do in ALL:
        fields = posted(acting, do)
        said = {
            "no origin": acting.post(fields, "anna", origin=False),
            "another origin": acting.post(fields, "anna", origin=False, **other),
            "no page": acting.post(fields, "anna", origin=False, Origin="null"),
            "another port": acting.post(fields, "anna", origin=False, Origin="http://127.0.0.1:1"),
            "another host": acting.post(fields, "anna", origin=False, Host="evil.example", **other),
            "nobody": acting.post(fields),
            "a token that nobody has": acting.post(fields, "carl"),
            "typed": acting.post(fields | {"token": "x"}),
            "a header of a proxy that is none": acting.post(fields, **{"X-Forwarded-User": "anna"}),
            "may look": acting.post(fields, "lee"),
        }
        if do in ("approve", "discard", "go", "resume", "release"):
            said["may operate"] = acting.post(fields, "olga")
        assert {how: answer.status_code for how, answer in said.items()} == dict.fromkeys(said, 403), do
        assert acting.post(fields, "anna").status_code == 409, "a page of another version"
    assert acting.journal() == [] and acting.state() == "held"


@pytest.mark.check_all
def test_a_page_that_only_reads_does_nothing(house):  # noqa: F811
    http = Listening()
    orders(house)
    house.say(JOB, RULE)
    house.start()
    house.pruned.start(settings={"http.listen": http.listen, "http.page": "on"}).wait_line("Partitions assigned")
    page = Acting(house, http, "00000000-0000-0000-0000-000000000000")
    assert {do: page.post(posted(page, do), "anna").status_code for do in ALL} == dict.fromkeys(ALL, 403)
    assert page.journal() == [] and "do it" not in page.ask("/").text
    http.close()


def test_an_approval_is_of_the_step_and_the_number_that_were_shown(acting):
    form = acting.form("approve", acting.run)
    assert (form["step"], form["rows"]) == ("0", "5")
    wrong = acting.post(form | {"number": "6"}, "anna")
    assert (wrong.status_code, "The number that was typed is not 5" in wrong.text) == (409, True)
    # It is counted anew meanwhile.
    acting.database.execute("UPDATE pruned.runs SET held = held || '{\"counted\": 7}' WHERE run_id = %s", [acting.run])
    late = acting.post(form | {"number": "5"}, "anna")
    assert (late.status_code, "counted rows was 5, and is 7" in late.text) == (409, True), late.text
    acting.database.execute("UPDATE pruned.runs SET held = held || '{\"counted\": 5}' WHERE run_id = %s", [acting.run])
    assert acting.journal() == []
    done = acting.post(form | {"number": "5", "reason": "seen & right"}, "anna")
    assert done.done, done.text
    acting.house.pruned.wait_run(acting.run, "finished")
    again = acting.post(form | {"number": "5"}, "bert")
    assert (again.status_code, "nothing to approve" in again.text) == (409, True), again.text
    assert acting.journal() == [("approve", "anna", "page", "seen & right; up to 5 rows")]


def test_each_action(acting):
    """Each is what the command of its name does, and the person stands in the journal."""
    ended = {}
    ended["hold"] = acting.do("hold", "orders:6", "olga", reason="a case")
    hold = str(acting.database.value("SELECT hold_id FROM pruned.holds"))
    links = [a["href"] for tag, a in acting.read("/holds").elements if tag == "a"]
    assert {f"act?do=release&what={hold}", "row?item=orders%3A6"} <= set(links)
    ended["release"] = acting.do("release", hold, number="1", reason="closed")
    ended["pause"] = acting.do("pause", JOB, "olga", **{"for": "2h"})
    ended["resume"] = acting.do("resume", JOB)
    ended["stop"] = acting.do("stop", "", "olga", reason="fire")
    stopped = acting.form("go")
    ended["go"] = acting.post(stopped, "anna")
    ended["tick"] = acting.do("tick", JOB, "olga")
    ended["discard"] = acting.do("discard", acting.run, number="5")
    assert {do: answer.done for do, answer in ended.items()} == dict.fromkeys(ended, True), ended
    assert acting.state() == "skipped"
    assert [row[:3] for row in acting.journal()] == [(f"{do} --for 2h" if do == "pause" else do, "olga" if do in ("hold", "pause", "stop", "tick") else "anna", "page")
                                                  for do in ended]
    assert acting.database.value("SELECT by FROM pruned.stop").endswith("(olga@page)")
    # A stop that is another one than was shown goes on.
    acting.do("stop", "", "olga", reason="fire again")
    assert acting.post(stopped, "anna").status_code == 409 and acting.database.value("SELECT stopped FROM pruned.stop")


def test_what_is_done_to_a_job_is_done_to_what_was_shown(acting):
    pruned = acting.house.pruned
    shown = {do: acting.form(do, JOB) for do in ("pause", "tick")}
    assert shown["tick"]["last"] == acting.run and shown["pause"]["since"] == ""
    pruned.run("pause", JOB, "--reason", "somebody else's").ok()
    late = acting.post(shown["pause"] | {"for": "2h"}, "anna")
    assert (late.status_code, "paused since was nothing, and is 2" in late.text) == (409, True), late.text
    resume = acting.form("resume", JOB)
    pruned.run("resume", JOB).ok()
    assert renewed(acting, f"/act?do=resume&what={JOB}", lambda seen: "The job is not paused." in seen.of("stays"))
    pruned.run("pause", JOB, "--reason", "for another reason").ok()
    assert acting.post(resume, "anna").status_code == 409 and acting.database.value("SELECT paused FROM pruned.controls")
    again = wait_until(lambda: (form := acting.form("resume", JOB)).get("since") not in (None, resume["since"]) and form, 20, "the pause of now")
    assert acting.post(again, "anna").done
    # Somebody else has asked for a run meanwhile.
    other = now(minutes=-2)
    pruned.topics.tick(JOB, other)
    pruned.wait_run(tick_id(JOB, other), "skipped")  # the held run is in its way
    again = acting.post(acting.form("tick", JOB) | {"last": shown["tick"]["last"]}, "anna")
    assert (again.status_code, "the last run was" in again.text) == (409, True), again.text
    assert [row[:1] for row in acting.journal()] == [(do,) for do in ("pause", "resume", "pause", "resume")]


def test_of_several_who_approve_at_once_one_counts(acting):
    """By the page, by each of two persons, and by the command line, at the same moment."""
    form = acting.form("approve", acting.run) | {"number": "5"}
    start = threading.Barrier(3)

    def by(way):
        start.wait()
        return way()

    ways = [lambda: acting.post(form, "anna").status_code, lambda: acting.post(form, "bert").status_code,
            lambda: acting.house.pruned.run("approve", acting.run, "--step", form["step"], "--rows", form["rows"]).code]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        anna, bert, command = pool.map(by, ways)
    acting.house.pruned.wait_run(acting.run, "finished")
    # 202: it is not known yet.
    assert {anna, bert} <= {200, 202, 409, 503} and command in (0, 1)
    assert [anna, bert].count(200) + (command == 0) in ((1,) if 202 not in (anna, bert) else (0, 1)), (anna, bert, command)
    assert [row[0] for row in acting.journal()] == ["approve"]


def test_two_persons_by_the_page(house, tmp_path):  # noqa: F811
    acting = acting_in(house, tmp_path, RULE + "approvals = 2\n")
    form = acting.form("approve", acting.run) | {"number": "5"}
    assert acting.post(form, "anna").done and acting.state() == "held"
    assert "1 of 2 approvals: anna" in acting.ask(f"/run?id={acting.run}").text
    assert "1 of 2 approvals" in wait_until(lambda: (seen := acting.read("/")).of("needs") and seen, 20, "what needs a person").of("needs")
    again = acting.post(form, "anna")
    assert (again.status_code, "anna has approved it already" in again.text) == (409, True), again.text
    assert acting.state() == "held"
    assert acting.post(form, "bert").done
    acting.house.pruned.wait_run(acting.run, "finished")
    assert [row[1] for row in acting.journal()] == ["anna", "bert"]
    # A tick of the page is of the person who asked for it.
    acting.database.execute("INSERT INTO orders SELECT n, true FROM generate_series(7, 9) n")
    assert acting.do("tick", JOB, "anna").done
    run = str(acting.database.value("SELECT left(object, 36) FROM pruned.journal WHERE command = 'tick'"))
    acting.house.pruned.wait_run(run, "held")
    placed = acting.do("approve", run, number=acting.form("approve", run)["rows"])
    assert (placed.status_code, "anna has placed it" in placed.text) == (409, True), placed.text
    acting.http.close()


BODIES = {
    (b"do=approve&do=approve", "application/x-www-form-urlencoded"): 400, (b"do=%ff", "application/x-www-form-urlencoded"): 400,
    (b"do=a%00b", "application/x-www-form-urlencoded"): 400, (b"do=%zz", "application/x-www-form-urlencoded"): 400,
    (b'{"do": "stop"}', "application/json"): 415, (b"do=stop", "text/plain"): 415, (b"do=stop", "multipart/form-data; boundary=x"): 415,
    (b"do=" + b"x" * 1_000_000, "application/x-www-form-urlencoded"): 413, (b"", "application/x-www-form-urlencoded"): 404,
    (b"do=rm", "application/x-www-form-urlencoded"): 404,
}


def test_odd_posts(acting):
    for (body, kind), code in BODIES.items():
        answer = acting.post(body, "anna", **{"Content-Type": kind})
        assert answer.status_code == code, (body[:40], kind, answer.status_code, answer.text[-300:])
    form = acting.form("stop")
    for path, code in {"/": 405, "/runs": 405, "/act/": 405, "/act%2f": 405, "/%61ct": 200, "/act?token=x": 400, "/metrics": 405}.items():
        if code != 200:
            assert acting.post(form, "anna", path=path).status_code == code, path
    assert acting.ask("/act?token=x").status_code == 400
    odd = ({"reason": "a\nb"}, {"reason": "x" * 1001}, {"more": "x"}, {"for": "2h"})
    assert [acting.post(form | one, "anna").status_code for one in odd] == [400] * len(odd)
    for do, what in itertools.product(("pause", "tick", "hold"), ("", "--all", "*", "none")):
        answer = acting.post({"do": do, "what": what, "reason": "x", "version": form["version"]}, "anna")
        assert answer.status_code == 409, (do, what, answer.text)
    # A form that is cut off is none.
    head = f"POST /act HTTP/1.1\r\nHost: {acting.http.listen}\r\nOrigin: {acting.base}\r\nAuthorization: Bearer {token('anna')}\r\n"
    cut = f"{head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ndo=stop"
    host, _, port = acting.http.listen.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as one:
        one.sendall(cut.encode())
        one.shutdown(socket.SHUT_WR)
        assert one.recv(65536) == b""
    for method in ("PUT", "DELETE", "PATCH"):
        assert acting.ask("/act", method).status_code == 405
    assert acting.journal() == [] and acting.ask("/healthz").status_code == 200


@pytest.mark.parametrize("settings, says", [
    ({"http.listen": "0.0.0.0:0"}, "is no loopback address"),
    ({"http.page": "off"}, "on needs page = on"),
    ({"http.trusted_proxies": "10.0.0.1"}, "one needs the other"),
    ({"http.tokens": "/nowhere/tokens"}, "/nowhere/tokens: No such file"),
])
@pytest.mark.check_first(1)
def test_a_daemon_that_cannot_know_who_acts_does_not_start(house, settings, says):  # noqa: F811
    on = {"http.listen": "127.0.0.1:0", "http.page": "on", "http.actions": "on"} | settings
    refused = house.pruned.run("run", "--until-idle", settings=on)
    assert (refused.code, says in refused.stderr) == (2, True), refused


def test_the_variable_of_the_page_makes_nobody_a_person(acting):
    forged = acting.house.pruned.run("approve", acting.run, environment={"PRUNED_PAGE_ACT": "00000000-0000-0000-0000-000000000000"})
    assert (forged.code, "the page has not asked for this command" in forged.stderr) == (3, True), forged
    assert acting.journal() == [] and acting.state() == "held"


def test_by_click_and_by_keyboard(acting, chromium):  # noqa: F811
    with Tab(chromium, acting.base) as tab:
        page = tab.open("/act?do=hold&what=orders:6")  # by keyboard alone
        page.locator("#act-reason").focus()
        page.keyboard.type("a case")
        page.locator("#act-token").focus()
        page.keyboard.type(token("olga"))
        page.keyboard.press("Enter")
        page.locator("#act .good").wait_for()
        page = tab.open(f"/run?id={acting.run}")  # by click
        page.locator("a.do", has_text="do it").first.click()
        page.locator("#act-number").wait_for()
        assert "counted rows" in page.locator("#act").text_content() and tab.violations() == []
        page.locator("#act-number").fill("5")
        page.locator("#act-token").fill(token("anna"))
        page.locator("#act button").click()
        page.locator("#act .good").wait_for()
        assert tab.violations() == [] and tab.complaints == []
    acting.house.pruned.wait_run(acting.run, "finished")
    assert [row[:3] for row in acting.journal()] == [("hold", "olga", "page"), ("approve", "anna", "page")]
