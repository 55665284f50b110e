"""Buckets that keep versions: a delete that leaves every byte readable is not called one, and with
`versions = all` every version goes. The gateway is a real one; what is there is asked with
boto3."""

import re
import shutil

import pytest

from stack.pair import new_folder
from stack.s3 import S3
from support.buckets import Uploads
from support.s3 import BUCKET, Objects
from support.sentences import house  # noqa: F401


@pytest.fixture(scope="module")
def keeping():
    folder = new_folder("pruned-s3-versions-")
    server = S3(folder / "s3", versions=True).start()
    make_bucket(server.client(), BUCKET)
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def make_bucket(client, name):
    client.create_bucket(Bucket=name)
    client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})


@pytest.fixture
def uploads(house, keeping, request):  # noqa: F811
    made = Uploads(house, keeping, request.node.name)
    made.client.put_bucket_versioning(Bucket=made.bucket, VersioningConfiguration={"Status": "Enabled"})
    made.make()
    yield made
    made.proxy.close()


def versions(client, bucket):
    """[(key, is it a delete marker)]"""
    listed = client.list_object_versions(Bucket=bucket)
    return sorted((one["Key"], marker) for name, marker in (("Versions", False), ("DeleteMarkers", True)) for one in listed.get(name, []))


def warned(uploads, *command):
    said = uploads.house.pruned.run(*command, "--json")
    return [(one["detail"], one["remedy"]) for one in said.json() if "keeps versions" in (one["detail"] or "")]


def test_five_objects_whose_bytes_stay_are_not_called_deleted(uploads):
    keys = ["a", "b", "c", "d", "bell\a"]  # the last is deleted by a request of its own
    uploads.put(*keys)
    uploads.add(*((n, key, True) for n, key in enumerate(keys)))
    uploads.house.pruned.settings |= {"run.jobs": "none", "store.object.bucket": uploads.bucket, "store.object.endpoint": uploads.gateway.endpoint}
    [(detail, remedy)] = warned(uploads, "check", "files")
    assert detail == f"bucket {uploads.bucket} keeps versions: an object that is deleted stays readable by them"
    assert "versions = all" in remedy
    # of the sentence, and of [store.object]
    assert warned(uploads, "doctor") == 2 * [(detail, remedy)]
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 5, "updated_rows": 5, "only_marked": 5}
    uploads.house.pruned.daemons[-1].wait_line("Objects are only marked as deleted; their versions stay readable", level="warning",
                                               objects=5, bucket=uploads.bucket)
    assert versions(uploads.client, uploads.bucket) == sorted((key.replace("\a", "\ufffd"), marker) for key in keys for marker in (False, True))


ODD = ["plain", "a", "a b", "ü&<", "d/e f", "new\nline", "tab\t+"]
NEIGHBOURS = ["ab", "a+b", "plainer", "d/e", "d/e fg"]
UNNAMED = "bell\a"  # XML has no such character, and this service's list is not encoded


@pytest.mark.check_first(1)
@pytest.mark.parametrize("bulk", [True, False])
def test_all_versions_of_exactly_the_named_keys_go(uploads, bulk):
    uploads.put(*ODD, *ODD, *NEIGHBOURS, "hidden", UNNAMED)
    # as a run with `versions = current` has left it
    uploads.client.delete_object(Bucket=uploads.bucket, Key="hidden")
    uploads.add(*((n, key, True) for n, key in enumerate([*ODD, "hidden", "absent"])), (100, UNNAMED, True))
    if not bulk:
        no = (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None)
        uploads.proxy.misbehave = lambda command, _body, go: no if command == "POST" else (*go(), None)
    else:
        uploads.house.pruned.settings["store.object.endpoint"] = uploads.gateway.endpoint
    uploads.house.pruned.settings["store.object.versions"] = "all"
    assert warned(uploads, "check", "files") == []
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": len(ODD) + 2, "updated_rows": len(ODD) + 2, "deleted": len(ODD) + 2, "failed": 1}
    assert versions(uploads.client, uploads.bucket) == sorted((key, False) for key in [*NEIGHBOURS, "bell\ufffd"])
    assert uploads.left() == [100]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("dies", [False, True])
def test_versions_go_page_by_page_and_after_a_kill_the_rest_of_them(uploads, dies):
    """The service lists one version at a time; the daemon dies when the second is gone."""
    uploads.put(*5 * ["file"], "files")
    uploads.add((1, "file", True))
    uploads.house.pruned.settings["store.object.versions"] = "all"
    deletes = []

    def one_at_a_time(command, _body, go):
        status, answer = go()
        if command == "GET":
            first, *rest = re.findall(rb"<Version>.*?</Version>", answer, re.DOTALL) or [b""]
            for one in rest:
                answer = answer.replace(one, b"")
            answer = answer.replace(b"<IsTruncated>false", b"<IsTruncated>true") if rest else answer
        else:
            deletes.append(command)
            if dies and len(deletes) == 2:
                uploads.house.pruned.daemons[-1].kill()
        return status, answer, None

    uploads.proxy.misbehave = one_at_a_time
    uploads.house.start()
    uploads.house.pruned.run("tick", "files").ok()
    if dies:
        assert uploads.house.pruned.start().wait(30) == -9
        assert versions(uploads.client, uploads.bucket) == 3 * [("file", False)] + [("files", False)] and uploads.left() == [1]
    uploads.house.work()
    assert versions(uploads.client, uploads.bucket) == [("files", False)] and uploads.left() == []
    assert len(deletes) == 5


@pytest.mark.check_all
def test_the_second_reading_finds_a_version_that_is_left(uploads):
    uploads.put("file", "other")
    uploads.add((1, "file", True), (2, "other", True))
    uploads.house.pruned.settings["store.object.versions"] = "all"
    uploads.house.done("files")
    uploads.put("file")
    uploads.client.delete_object(Bucket=uploads.bucket, Key="file")
    assert versions(uploads.client, uploads.bucket) == [("file", False), ("file", True)]
    uploads.house.pruned.run("verify", "files").ok()
    uploads.database.execute("UPDATE pruned.deletions SET at = at + interval '1 hour'")
    done = uploads.house.pruned.run("verify", "files", "--json")
    assert done.code == 7 and [(line["verdict"], line["key"]) for line in done.json() if "verdict" in line] == [("left", "1")], done


def test_a_version_that_the_service_keeps_leaves_its_row(uploads):
    """As object lock does."""
    uploads.put("file", "other")
    uploads.add((1, "file", True), (2, "other", True))
    uploads.house.pruned.settings["store.object.versions"] = "all"

    def locked(command, body, go):
        if b"<Key>file</Key>" not in body:
            return *go(), None
        kept = re.sub(rb".*<Object>(.*?)</Object>.*", rb"<DeleteResult><Error>\1<Code>AccessDenied</Code><Message>locked</Message></Error>"
                      rb"</DeleteResult>", body)
        return 200, kept, None

    uploads.proxy.misbehave = locked
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "failed": 1, "deleted": 1}
    assert uploads.left() == [1] and versions(uploads.client, uploads.bucket) == [("file", False)]
    assert uploads.house.rows("pruned.quarantine", "item, reason") == [("uploads:1", "AccessDenied: locked")]


def test_versions_that_may_not_be_listed_are_found_before_a_run(uploads):
    uploads.put("file")
    uploads.add((1, "file", True))
    uploads.house.pruned.settings |= {"store.object.versions": "all", "run.jobs": "none", "store.object.bucket": ""}
    denied = (403, b"<Error><Code>AccessDenied</Code><Message>no list</Message></Error>", None)
    uploads.proxy.misbehave = lambda *_: denied
    assert [one["level"] for one in uploads.house.pruned.run("check", "files", "--json").json() if "no list" in one["detail"]] == ["warning"]
    done = uploads.house.pruned.run("doctor", "--json")
    [finding] = [one for one in done.json() if "no list" in one["detail"]]
    assert not finding["ok"] and "s3:ListBucketVersions" in finding["remedy"]


@pytest.mark.check_all
@pytest.mark.built_in
def test_the_job_of_artifacts_counts_them_apart(pruned_with_slots, database, keeping):
    objects = Objects(pruned_with_slots, database, keeping, "artifacts-of-jobs")
    objects.add("a", "one")
    objects.add("a", "two")
    daemon = objects.delete()
    result = objects.run()["result"]
    assert (result["updated_rows"], result.get("deleted", 0), result["only_marked"]) == (2, 0, 2)
    daemon.wait_line("Objects are only marked as deleted; their versions stay readable", level="warning", objects=2)
    assert objects.left() == [] and (f"{objects.prefix}/a/one", False) in versions(objects.gateway.client(), BUCKET)
    objects.add("a", "one")
    objects.delete(**{"store.object.versions": "all"})
    assert [key for key, _ in versions(objects.gateway.client(), BUCKET)] == 2 * [f"{objects.prefix}/a/two"]
