"""The second reading looks for the objects of rows that have gone: none may be there that was
written before its row went."""

import pytest

from support.buckets import uploads  # noqa: F401
from support.objects import local_objects as objects  # noqa: F401
from support.objects import SLOT
from support.sentences import house  # noqa: F401


def look(pruned, job, code=0, **settings):
    """(verdict, key) of each line, and the sum."""
    done = pruned.run("verify", job, "--json", settings=settings)
    assert done.code == code, done
    lines = done.json()
    return [(line["verdict"], line["key"]) for line in lines if "verdict" in line], next(line for line in lines if "run_id" in line)


def an_hour_later(database):
    """The rows went an hour later than they did: what is there was written before."""
    database.execute("UPDATE pruned.deletions SET at = at + interval '1 hour'")


def test_a_file_that_is_left_is_named_and_one_that_was_written_since_is_not(objects):  # noqa: F811
    first, _ = objects.add("a", "1"), objects.add("a", "2", make=False)
    objects.delete()
    rows, said = look(objects.pruned, SLOT, **objects.settings)
    assert (rows, said["objects"], said["unread"]) == ([], 2, [])
    (objects.root / "a" / "1").write_text("another one")
    assert look(objects.pruned, SLOT, **objects.settings)[0] == []
    an_hour_later(objects.database)
    rows, said = look(objects.pruned, SLOT, code=7, **objects.settings)
    assert (rows, said["left"]) == ([("left", str(first))], 1)
    objects.root.rename(objects.root.with_name("away"))
    rows, said = look(objects.pruned, SLOT, **objects.settings)
    assert rows == [] and said["objects"] == 0 and "root" in said["unread"][0]["why"], said


def test_an_object_that_is_left_is_named_but_not_one_that_another_row_names(uploads):  # noqa: F811
    uploads.make()
    # not through the proxy, which passes no headers on
    uploads.house.pruned.settings["store.object.endpoint"] = uploads.gateway.endpoint
    uploads.put("a", "b", "shared")
    uploads.add((1, "a", True), (2, "b", True), (3, "shared", True), (4, "shared", False), (5, None, True))
    counters, _ = uploads.house.done("files")
    assert counters["removed"] == 4 and uploads.keys() == ["shared"]
    assert look(uploads.house.pruned, "files")[0] == []
    uploads.put("a")
    assert look(uploads.house.pruned, "files")[0] == []
    an_hour_later(uploads.database)
    # the run has left one of its objects to another row, and which one is not known
    assert look(uploads.house.pruned, "files")[0] == [("unsure", "1")]
    uploads.client.delete_object(Bucket=uploads.bucket, Key="shared")
    uploads.client.delete_object(Bucket=uploads.bucket, Key="a")
    assert look(uploads.house.pruned, "files")[0] == [("unsure", "3")]
    uploads.add((6, "c", True))
    uploads.put("c")
    uploads.house.done("files")
    uploads.put("c")
    an_hour_later(uploads.database)
    rows, said = look(uploads.house.pruned, "files", code=7)
    assert rows == [("left", "6")] and said["objects"] == 1


@pytest.mark.check_all
def test_a_service_that_does_not_answer_is_said(uploads):  # noqa: F811
    uploads.make()
    uploads.put("a")
    uploads.add((1, "a", True))
    uploads.house.done("files")
    uploads.proxy.misbehave = lambda _command, _body, _go: (403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>", None)
    rows, said = look(uploads.house.pruned, "files")
    assert rows == [] and said["objects"] == 0 and "AccessDenied" in said["unread"][-1]["why"], said
