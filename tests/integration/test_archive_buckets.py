"""Rows that go only once a bucket has a file with them (`archive = s3:BUCKET/PATH`)."""

import gzip
import hashlib

import pytest

from support.archived import LINES, archive  # noqa: F401
from support.s3 import Proxy
from support.sentences import house  # noqa: F401


class Buckets:
    def __init__(self, archive, gateway, name):
        self.archive, self.gateway, self.client = archive, gateway, gateway.client()
        self.bucket = "a-" + hashlib.sha256(name.encode()).hexdigest()[:20]
        self.client.create_bucket(Bucket=self.bucket)
        archive.house.pruned.settings |= {
            "store.object.endpoint": gateway.endpoint, "store.object.region": gateway.region,
            "store.object.access_key": gateway.access_key, "store.object.secret_key": gateway.secret_key}

    def contents(self):
        keys = [one["Key"] for one in self.client.list_objects_v2(Bucket=self.bucket).get("Contents", [])]
        return {key: gzip.decompress(self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()).decode().splitlines() for key in keys}


@pytest.fixture
def buckets(archive, gateway, request):
    return Buckets(archive, gateway, request.node.name)


@pytest.fixture
def proxy(gateway):
    made = Proxy(gateway.endpoint)
    yield made
    made.close()


@pytest.mark.parametrize("path", ["", "/cold/2026"])
def test_a_bucket_has_the_files(buckets, path):
    archive = buckets.archive
    before = archive.whole()
    archive.say(f"s3:{buckets.bucket}{path}", audit="keys")
    checked = archive.house.pruned.run("check", "notes")
    assert "first, and one can be written" in checked.stdout and buckets.contents() == {}, checked
    _, run = archive.house.done("notes")
    ((key, lines),) = buckets.contents().items()
    assert key.startswith(f"{path}/notes/{run}-0-".lstrip("/")) and lines == LINES
    archive.house.restore(run)
    assert archive.whole() == before
    archive.database.execute("DELETE FROM jottings WHERE id < 4")
    buckets.client.delete_object(Bucket=buckets.bucket, Key=key)
    done = archive.house.pruned.run("restore", run)
    assert done.code == 6 and f"s3:{buckets.bucket}/{key}: there is no such object" in done.stderr, done


def answer(status, code):
    return lambda command, _body, go: (status, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode(), None) if command == "PUT" else (*go(), None)


@pytest.mark.check_first(2)
@pytest.mark.parametrize("misbehave, said", [
    (answer(503, "SlowDown"), "SlowDown"), (answer(403, "AccessDenied"), "the credentials of [store.object] may not write in this bucket"),
    (answer(507, "QuotaExceeded"), "QuotaExceeded"), (lambda *_: (200, b"<html>welcome</html>", None), "not an answer of S3"), ("no bucket", "NoSuchBucket")])
def test_no_row_goes_while_the_bucket_takes_nothing(buckets, misbehave, said, proxy):
    archive = buckets.archive
    proxy.misbehave = misbehave
    archive.say(f"s3:{buckets.bucket}{'-no' if misbehave == 'no bucket' else ''}")
    if misbehave != "no bucket":
        archive.house.pruned.settings["store.object.endpoint"] = proxy.url
    assert said in archive.waits()
    checked = archive.house.pruned.run("check", "notes")
    assert said in checked.stdout and "so no row goes" in checked.stdout, checked
    archive.house.pruned.settings["store.object.endpoint"] = buckets.gateway.endpoint
    if misbehave == "no bucket":
        buckets.bucket += "-no"
        buckets.client.create_bucket(Bucket=buckets.bucket)
    archive.goes_on()
    assert list(buckets.contents().values()) == [LINES]


def test_a_row_that_changes_while_its_file_is_written_goes_with_what_it_is_then(buckets, proxy):
    archive = buckets.archive
    archive.say(f"s3:{buckets.bucket}")
    left = [1]

    def misbehave(_command, _body, go):
        if left:
            left.pop()
            archive.database.execute("UPDATE jottings SET n = 77 WHERE id = 2")
            archive.database.execute("UPDATE jottings SET at = now() WHERE id = 3")
        return *go(), None, ("ETag", '"0"')

    proxy.misbehave = misbehave
    archive.house.pruned.settings["store.object.endpoint"] = proxy.url
    counters, _ = archive.house.done("notes")
    assert archive.left() == [3, 4] and counters["removed"] == 2, counters
    files = sorted(buckets.contents().values(), key=len)
    assert files == [[LINES[1].replace("123456789012345678901234567890.5", "77")], LINES]
