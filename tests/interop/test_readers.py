"""The readers of examples/outcomes: each reads what rows went and came back, in each form."""

import json
import shutil
import subprocess
import sys

import pytest

from stack import found
from stack.found import PROJECT
from support.avro_events import registry  # noqa: F401
from support.sentences import house  # noqa: F401

EXAMPLES, MADE = PROJECT / "examples/outcomes", found.deps() / "interop/outcomes"
SCHEMAS = PROJECT / "schemas/avro"
FORMS = ("avro", "json", "registry")


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """A module finds its libraries beside itself."""
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(EXAMPLES / "read-outcomes.mjs", folder)
    (folder / "node_modules").symlink_to(MADE / "node/node_modules")
    return ["node", folder / "read-outcomes.mjs"]


@pytest.fixture
def reader(request):
    fixed = {"python": [sys.executable, EXAMPLES / "read_outcomes.py"],
             "go": [MADE / "read-outcomes"],
             "java": [found.java(), "-cp", f"{MADE}/java/*", EXAMPLES / "ReadOutcomes.java"]}
    return fixed.get(request.param) or request.getfixturevalue(request.param)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reader", ["python", "java", "go", "node"], indirect=True)
def test_rows_that_went_and_came_back(house, registry, reader, form):  # noqa: F811
    """A key with letters, a text with a blank and one that is no ASCII; a row that fails."""
    house.sql("""CREATE TABLE carts (id text PRIMARY KEY, gone boolean NOT NULL DEFAULT true);
        CREATE TABLE lines (cart text REFERENCES carts);
        INSERT INTO carts (id) VALUES ('a'), ('two words'), ('ключ'), ('fails'); INSERT INTO lines VALUES ('fails')""")
    house.say("carts.purge", "table = carts\nwhere = gone\nmax_share = off\noutcomes = all")
    house.pruned.settings |= {"outcomes.format": form} | ({"registry.url": registry.url} if form == "registry" else {})
    run = house.run("carts.purge")["run_id"]
    house.pruned.run("restore", str(run), "--reason", "a mistake").ok()
    house.work()
    said = subprocess.run([*map(str, reader), house.pruned.topics.bootstrap, house.pruned.topics.full("outcomes"),
                           registry.url if form == "registry" else str(SCHEMAS)], stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout
    lines = [json.loads(line) for line in said.splitlines()]
    rows = sorted((line["key"], line["what"], line.get("reason")) for line in lines if line["record"] == "RowProcessed")
    came = [row for row in rows if row[1] != "failed"]
    assert came == sorted([(key, "removed", None) for key in ("a", "two words", "ключ")] + [(key, "restored", "a mistake") for key in ("a", "two words", "ключ")])
    ((key, what, reason),) = set(rows) - set(came)
    assert (key, what) == ("fails", "failed") and "lines_cart_fkey" in reason
    assert {line["table"] for line in lines if line["record"] == "RowProcessed"} == {"carts"}
    assert {line["run_id"] for line in lines if line["record"] == "RunFinished"} == {str(run)}
