"""A table whose rows go to files of an archive, and what these must have, written by hand."""

import gzip

import pytest

from .sentences import house  # noqa: F401

TABLE = """CREATE TABLE jottings (id bigint PRIMARY KEY, at timestamptz, n numeric, b bytea, tags text[], doc jsonb, api_token text);
    INSERT INTO jottings VALUES
      (1, '2020-01-01 00:00:00.000001+00', 9007199254740993, '\\x00ff0a', '[0:1]={a,b}', '{"a": [1, null]}', 'first'),
      (2, '2020-01-02+00', 123456789012345678901234567890.5, NULL, NULL, NULL, NULL),
      (3, '2020-01-03+00', NULL, '', '{}', NULL, E'zwei\\nZeilen "ü"'),
      (4, now(), 4, NULL, NULL, NULL, 'stays')"""
LINES = [
    '{"key": 1, "row": {"b": "\\\\x00ff0a", "n": 9007199254740993, "at": "2020-01-01T00:00:00.000001+00:00", "id": 1,'
    ' "doc": {"a": [1, null]}, "tags": "[0:1]={a,b}", "api_token": "first"}}',
    '{"key": 2, "row": {"b": null, "n": 123456789012345678901234567890.5, "at": "2020-01-02T00:00:00+00:00", "id": 2,'
    ' "doc": null, "tags": null, "api_token": null}}',
    '{"key": 3, "row": {"b": "\\\\x", "n": null, "at": "2020-01-03T00:00:00+00:00", "id": 3,'
    ' "doc": null, "tags": [], "api_token": "zwei\\nZeilen \\"ü\\""}}',
]
WHERE = "table = jottings\nwhere = at < :T - interval '1 day'\nmax_share = off\ndelay_ms = 0"


class Archive:
    def __init__(self, house, folder):  # noqa: F811
        self.house, self.folder, self.database = house, folder, house.database
        house.sql(TABLE)
        folder.mkdir(mode=0o700)
        self.say()

    def say(self, place=None, **more):
        self.house.say("notes", f"{WHERE}\narchive = {place or f'file:{self.folder}'}" + "".join(f"\n{k} = {v}" for k, v in more.items()))

    def files(self):
        return sorted(self.folder.rglob("*.gz"))

    def lines(self, path):
        return gzip.decompress(path.read_bytes()).decode().splitlines()

    def left(self):
        return self.database.column("SELECT id FROM jottings ORDER BY id")

    def whole(self):
        return self.house.rows("jottings", "jottings::text")

    def waits(self):
        (row,) = self.house.tick("notes")
        assert (row["state"], row["attempts"], row["result"].get("removed", 0)) == ("waiting", 0, 0), row
        assert self.left() == [1, 2, 3, 4] and self.house.rows("pruned.quarantine") == []
        return self.house.daemons[-1].wait_line("The archive cannot be written; the run waits", job="notes")["error"]

    def goes_on(self):
        self.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
        self.house.work()
        assert self.left() == [4]


@pytest.fixture
def archive(house, tmp_path):  # noqa: F811
    return Archive(house, tmp_path / "archive")
