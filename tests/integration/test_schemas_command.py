"""`pruned schemas`: the schemas of the messages with their fingerprints; registers them."""

import json

import pytest
import requests
from fastavro.schema import fingerprint, to_parsing_canonical_form

from support.avro_events import registry  # noqa: F401
from support.messages import schemas
from support.places import AVRO_SCHEMAS


@pytest.fixture
def pruned(new_pruned, database, new_topics):
    return new_pruned(database, new_topics())


def written():
    """Those that others write or read."""
    return {name: schema for name, schema in schemas().items() if name not in ("pruned.Work", "pruned.Erasure")}


def test_the_list_has_the_fingerprint_that_messages_have(pruned):
    said = {line["schema"]: line["fingerprint"] for line in pruned.run("schemas", "--json").ok().json()}
    assert said == {name: bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO"))[::-1].hex()
                    for name, schema in written().items()}
    assert pruned.run("schemas", "list").ok().stdout.startswith("schema\tfingerprint\n")


def test_a_schema_is_shown_as_its_file_is(pruned):
    text = (AVRO_SCHEMAS / "outcomes/RowProcessed.avsc").read_text()
    for name in ("RowProcessed", "pruned.outcomes.RowProcessed"):
        assert pruned.run("schemas", "show", name).ok().stdout == text
    assert pruned.run("schemas", "show", "RowProcessed", "--json").ok().json() == [json.loads(text)]


def test_wrong_words_are_refused(pruned):
    done = pruned.run("schemas", "show", "RowProcesed")
    assert (done.code, "did you mean 'RowProcessed'?" in done.stderr) == (6, True), done
    for words in (["show"], ["list", "x"], ["sho", "RowProcessed"]):
        assert pruned.run("schemas", *words).code == 1
    done = pruned.run("schemas", "register")
    assert (done.code, "set [registry] url" in done.stderr) == (2, True), done


@pytest.mark.check_all
def test_register_puts_each_into_the_registry_once(pruned, registry):  # noqa: F811
    pruned.settings["registry.url"] = registry.url
    numbers = {line["schema"]: line["number"] for line in pruned.run("schemas", "register", "--json").ok().json()}
    assert numbers.keys() == written().keys()
    for name, number in numbers.items():
        there = json.loads(requests.get(f"{registry.url}/schemas/ids/{number}", timeout=30).json()["schema"])
        assert (there["namespace"], there["name"]) == tuple(name.rsplit(".", 1))
    assert set(numbers) <= set(requests.get(f"{registry.url}/subjects", timeout=30).json())
    again = {line["schema"]: line["number"] for line in pruned.run("schemas", "register", "--json").ok().json()}
    assert again == numbers


def test_a_registry_that_is_away_is_said(pruned):
    pruned.settings["registry.url"] = "http://127.0.0.1:1"
    done = pruned.run("schemas", "register")
    assert (done.code, "the schema registry does not answer" in done.stderr) == (4, True), done
