"""Each example of docs/messages.md is run: here its commands, and a list of all of its examples
with the test that runs each."""

import re
import shlex
import subprocess

import pytest

from stack.found import PROJECT
from support.instance import tenant  # noqa: F401
from support.pruned import clean_environment

PAGE = (PROJECT / "docs/messages.md").read_text()
JOB = "members.remove_expired"
EXAMPLES = {
    'echo \'{"job":"members.remove_expired"}\' | kcat': "test_messages_page.py",
    "pruned tick members.remove_expired --at": "test_messages_page.py",
    "pruned emit MemberExpirySet": "test_messages_page.py",
    'echo \'{"placeholder_user_id":9}\' | kcat': "test_forms_of_events.py",
    'echo \'  {"placeholder_user_id":9': "test_forms_of_events.py",
    'echo \'{"specversion":"1.0"': "test_forms_of_events.py",
    "echo 'any:' | kcat": "test_forms_of_events.py",
    "kcat -C -e -q": "test_outcomes_format.py",
    "import glob, io, sys": "test_outcomes_format.py",
}


def lines():
    """The lines of the examples; a program is one, by its first line."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.S | re.M)
    return [line for language, block in blocks for line in (block.splitlines()[:1] if language else block.splitlines())]


def test_each_example_has_a_test():
    found = {line: [name for begin, name in EXAMPLES.items() if line.startswith(begin)] for line in lines()}
    assert all(len(names) == 1 for names in found.values()) and set(EXAMPLES.values()) == {n for names in found.values() for n in names}, found
    assert {begin for begin in EXAMPLES if not any(line.startswith(begin) for line in found)} == set()


def run(tenant, line):  # noqa: F811
    """LINE as it stands there, with the places of this test."""
    command = shlex.join(tenant.pruned.argv())
    text = line.replace("broker:9092", tenant.pruned.topics.bootstrap).replace("pruned.ticks", tenant.pruned.topics.full("ticks"))
    text = re.sub(r"^pruned ", lambda _: command + " ", text)
    return subprocess.run(["sh", "-c", text], text=True, capture_output=True, timeout=120, env=clean_environment())


@pytest.mark.check_all
@pytest.mark.built_in
def test_the_commands_of_the_page(tenant):  # noqa: F811
    """A tick of now by kcat, one of a day by `pruned tick --wait`, and a timer by `pruned emit`,
    each for a membership that it takes. The day of the page is made yesterday's, and that of the
    event today's."""
    place = tenant.group()
    old, today = (tenant.member(tenant.user(), place, expires_at=tenant.day(days)) for days in (-3, 0))
    kcat, tick, emit = (line for line in lines() if EXAMPLES[next(b for b in EXAMPLES if line.startswith(b))] == "test_messages_page.py")
    daemon = tenant.pruned.start()
    daemon.wait_line("Partitions assigned")
    done = run(tenant, re.sub(r"\d{4}-\d\d-\d\d", str(tenant.day(-1)), tick))
    assert done.returncode == 0, done
    assert tenant.ids("members") == [today]
    done = run(tenant, re.sub(r"\d{4}-\d\d-\d\d", str(tenant.day(0)), emit.replace("member_id=42", f"member_id={today}")))
    assert done.returncode == 0, done
    tenant.database.wait("SELECT count(*) FROM members", until=0)
    other = tenant.member(tenant.user(), place, expires_at=tenant.day(-1))
    done = run(tenant, kcat)
    assert done.returncode == 0, done
    tenant.database.wait("SELECT count(*) FROM members", until=0)
    assert daemon.stop() == 0 and tenant.pruned.topics.read("dead") == []
    assert len(tenant.outcomes("MemberRemoved")) == 3 and {old, today, other} == {int(o["member_id"]) for o in tenant.outcomes("MemberRemoved")}
