"""A key of a column of texts is taken as it stands, blanks included; JSON is read where it is the
key. The command that `pruned who` prints names just its row, as a shell reads it."""

import json
import subprocess

import pytest

from support.command_line import says
from support.sentences import house  # noqa: F401

TEXTS = ["42", " 42", "42 ", "\t42", "0", "-0", "042", "1e2", "100", "42.0", '"42"', "", "{}", '{"a":1}', ' {"a":1}', "true", "null", '"x"', "x", "[1]",
         '{"name": "42"}', "it's $HOME `x` \\n !", "a\nb", "'", "--all", "a:b"]


def as_a_shell_reads(command):
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True)
    program, *arguments = done.stdout.split("\0")[:-1]
    assert program == "pruned"
    return arguments


def commands_for_people(pruned, item):
    """As they are printed, in the order of the rows."""
    lines = pruned.run("who", item).ok().stdout.split("\n")
    return [line.removeprefix("  back   ") for line in lines if line.startswith("  back   ")]


@pytest.fixture
def texts(house):  # noqa: F811
    """Rows whose keys are such texts have gone; each belongs to a user of its own."""
    house.sql("CREATE TABLE k (name text PRIMARY KEY, user_id bigint)")
    for user, text in enumerate(TEXTS, 1):
        house.database.execute("INSERT INTO k VALUES (%s, %s)", [text, user])
    house.say("k", "table = k\nwhere = true")
    _, house.gone = house.done("k")
    return house


@pytest.mark.check_all
def test_a_text_is_found_as_it_is_typed(texts):
    for text in TEXTS:
        (line,) = texts.pruned.run("who", f"k:{text}", "--json").ok().json()
        assert line["row"]["name"] == text
    says(texts.pruned.run("who", "k:43"), 6, "nothing is recorded of k:43")
    says(texts.pruned.run("who", "k:{\"b\":1}"), 6, "nothing is recorded")


@pytest.mark.check_all
def test_the_printed_command_puts_back_just_its_row(texts):
    for user, text in enumerate(TEXTS, 1):
        (line,) = texts.pruned.run("who", f"users:{user}", "--json").ok().json()
        (for_people,) = commands_for_people(texts.pruned, f"users:{user}")
        assert as_a_shell_reads(line["restore"]) == as_a_shell_reads(for_people)
        (back,) = texts.pruned.run(*as_a_shell_reads(for_people), "--json").ok().json()
        assert (back["key"], back["action"]) == (text, "restored")
        assert texts.rows("k") == [(text, user)]
        texts.sql("DELETE FROM k")


def test_an_object_that_names_the_column_is_read_where_no_such_text_is_recorded(texts):
    (line,) = texts.pruned.run("who", 'k:{"name": " 42"}', "--json").ok().json()
    assert line["row"]["name"] == " 42"
    (line,) = texts.restore(texts.gone, "--only", 'k:{"name": "-0"}')
    assert line["key"] == "-0"
    (line,) = texts.pruned.run("who", 'k:{"name": "42"}', "--json").ok().json()
    assert line["row"]["name"] == '{"name": "42"}'


@pytest.mark.check_all
@pytest.mark.parametrize("kept", ["the table", "no table"])
def test_just_this_text_is_forgotten(texts, kept):
    if kept == "no table":
        texts.sql("DROP TABLE k")
    own = {"postgres.url": texts.database.url}
    left = set(TEXTS)
    for text in (" 42", '{"a":1}', "", "true", '"x"', "0"):
        texts.pruned.run("forget", "k", text, settings=own).ok()
        left.remove(text)
        assert {row["name"] for row in texts.database.column("SELECT jsonb_array_elements(rows) FROM pruned.deletions")} == left


@pytest.mark.check_all
def test_documents_lists_and_pairs_are_named_by_the_printed_command(house):  # noqa: F811
    house.sql("CREATE TYPE pair AS (a int, b text); CREATE DOMAIN paper AS jsonb")
    keys = {"jsonb": ['"x"', "1", '"1"', '{"a": 1}', '{"a": 1, "b": 2}', "null", "[1, 2]", "[1]"], "paper": ['"y"', "{}"], "int[]": ["{1,2}", "{}", "{1}"],
            "pair": ["(1,x)", "(1,)"], "text[]": ['{"a b",c}'], "numeric": ["12345678901234567890123", "1.50"], "varchar(9)": ["42", " 42"],
            "timestamptz": ["2020-01-01 12:00:00.000001+05"], "bytea": ["\\x00ff"], "date": ["2020-01-01"], "boolean": ["true"]}
    tables = {}
    for i, (sql, texts) in enumerate(keys.items()):
        tables[f"t{i}"] = sql
        house.sql(f"CREATE TABLE t{i} (id {sql} PRIMARY KEY, user_id int)")
        for user, text in enumerate(texts):
            house.database.execute(f"INSERT INTO t{i} VALUES (%s, %s)", [text, user])
        house.say(f"of.t{i}", f"table = t{i}\nwhere = true")
    house.sql("CREATE TABLE two (a jsonb, b int[], c text, user_id int, PRIMARY KEY (a, b, c)); INSERT INTO two VALUES"
              """ ('"x"', '{1}', ' 42', 0), ('{"a": 1}', '{1,2}', '42', 1), ('{"a": 1, "b": 2}', '{1,2}', '42', 2)""")
    house.say("of.two", "table = two\nwhere = true")
    tables["two"] = "several"
    before = {name: house.rows(f"{name} AS t", "t::text") for name in tables}
    house.tick(*[f"of.{name}" for name in tables])
    for user in range(8):
        for command in commands_for_people(house.pruned, f"users:{user}"):
            lines = house.pruned.run(*as_a_shell_reads(command), "--json").ok().json()
            assert [line["action"] for line in lines] == ["restored"], command
    assert {name: house.rows(f"{name} AS t", "t::text") for name in tables} == before


def test_a_name_in_quotes_can_have_a_colon(house):  # noqa: F811
    name = '"odd:na""me"'
    house.sql(f"CREATE TABLE {name} (id int PRIMARY KEY); INSERT INTO {name} VALUES (7), (8)")
    house.say("odd", f"table = {name}\nwhere = true")
    house.done("odd")
    for item in (f"{name}:7", f"public.{name}:7", f"{name}:" + json.dumps({"id": 7})):
        (command,) = commands_for_people(house.pruned, item)
    (line,) = house.pruned.run(*as_a_shell_reads(command), "--json").ok().json()
    assert (line["key"], line["action"]) == ("7", "restored") and house.rows(name) == [(7,)]
    says(house.pruned.run("who", '"odd:1'), 6, "there is no table")
