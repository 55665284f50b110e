"""Objects on an S3 service: a real gateway, and in front of it a proxy that misbehaves."""

import re
import threading

import pytest

from support.s3 import BUCKET, Objects, proxy, signature  # noqa: F401


@pytest.fixture
def objects(pruned_with_slots, database, gateway, request):
    return Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))


@pytest.mark.check_first(1)
@pytest.mark.parametrize("bulk", [True, False])
def test_objects_with_odd_names_are_deleted_and_no_others(objects, proxy, bulk):
    names = ["plain", "with space", "ü and é", "per%cent", "%2Fslash", "plus+plus", "a&b<c>d'e\"f", "semi;colon", "q?u=e#ry", "tab\tstop",
             "bell\a", "new\nline", "return\r", "~tilde*(star)!", "漢字 🎉"]
    # a mistake would delete this one
    others = ["other", "with+space", "plus plus", "per", "%252Fslash", "new line", "q", "tab", "return", "semi"]
    for name in names:
        objects.add("a", name)
    for name in others:
        objects.gateway.client().put_object(Bucket=BUCKET, Key=f"{objects.prefix}/a/{name}", Body=b"x")
    objects.add("c", "absent", make=False)
    if not bulk:
        proxy.misbehave = lambda command, body, go: NO_BULK if command == "POST" else (*go(), None)
        objects.settings["store.object.endpoint"] = proxy.url
    objects.delete()
    assert objects.left() == []
    assert objects.keys() == sorted(f"{objects.prefix}/a/{name}" for name in others)
    assert objects.run()["result"]["updated_rows"] == len(names) + 1


@pytest.mark.check_all
@pytest.mark.parametrize("answer", [
    (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None), (405, b"", None),
    (400, b"<Error><Code>MethodNotAllowed</Code><Message>no</Message></Error>", None)])
def test_a_service_without_the_bulk_call_is_found_out_once_and_served_by_several_deletes_at_a_time(objects, proxy, answer):
    for i in range(30):
        objects.add("a", f"file {i}")
    two = threading.Barrier(2)  # no answer before there are two requests

    def no_bulk(command, body, go):
        if command == "POST":
            return answer
        two.wait(20)
        return *go(), None

    proxy.misbehave = no_bulk
    objects.delete(**{"store.object.endpoint": proxy.url, "jobs.ci.delete_objects.batch": 10})
    assert objects.left() == [] and objects.keys() == []
    assert [command for command, _ in proxy.requests].count("POST") == 1


NO_HOST = "no-such-host" + 60 * "x"  # longer than a name may be, so that no name server is asked
NO_BULK = (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None)


def test_without_the_bulk_call_a_refused_key_keeps_its_row_and_the_others_go(objects, proxy):
    bad = objects.add("a", "refused")
    for i in range(5):
        objects.add("a", f"fine {i}")
    denied = (403, b"<Error><Code>AccessDenied</Code><Message>not yours</Message></Error>", None)
    proxy.misbehave = lambda command, body, go: (
        NO_BULK if command == "POST" else denied if proxy.requests[-1][1].endswith("refused") else (*go(), None))
    daemon = objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [bad]
    daemon.wait_line("Object cannot be deleted", id=str(bad))
    assert objects.run()["state"] == "finished"


def test_not_found_by_a_server_that_is_not_s3_does_not_count(objects, proxy):
    """A web server that knows neither the call nor the path answers."""
    page = b"<!DOCTYPE html><html><body>Not here</body></html>"
    proxy.misbehave = lambda command, *_: (405 if command == "POST" else 404, page, None)
    with objects.nobody_charged("is the endpoint an S3 service"):
        objects.delete(**{"store.object.endpoint": proxy.url})


REQUEST_ID = ("x-amz-request-id", "4442587FB7D0A2F9")


def test_a_single_delete_answered_200_counts_if_the_service_is_s3(objects, proxy):
    objects.add("a", "file")

    def delete(command, body, go):
        go()
        return 200, b"", None, REQUEST_ID

    proxy.misbehave = lambda command, body, go: NO_BULK if command == "POST" else delete(command, body, go)
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [] and objects.keys() == [] and objects.run()["result"]["deleted"] == 1


@pytest.mark.check_all
@pytest.mark.parametrize("answer", [
    (200, b"", None), (200, b"<!DOCTYPE html><html><body>Welcome</body></html>", None),
    (200, b"<!DOCTYPE html><html><body>Welcome</body></html>", None, REQUEST_ID), (200, b"ok", None, REQUEST_ID),
    (202, b"", None, REQUEST_ID), (302, b"", None, ("Location", "http://127.0.0.1:9/"))])
def test_a_single_delete_answered_200_does_not_count_otherwise(objects, proxy, answer):
    proxy.misbehave = lambda command, *_: NO_BULK if command == "POST" else answer
    with objects.nobody_charged("."):
        objects.delete(**{"store.object.endpoint": proxy.url})


def test_without_the_bulk_call_each_object_is_deleted_by_its_exact_name(objects, proxy):
    """`a/./b` and `a/b` are different objects, and signed as such."""
    objects.add("a/.", "b", make=False)
    proxy.misbehave = lambda command, *_: NO_BULK if command == "POST" else (204, b"", None)
    objects.delete(**{"store.object.endpoint": proxy.url})
    [(command, path)], (headers, body) = [asked for asked in proxy.requests if asked[0] == "DELETE"], proxy.seen[-1]
    assert path == f"/{BUCKET}/{objects.prefix}/a/./b"
    wanted = signature(objects.gateway.secret_key, objects.gateway.region, command, path, headers, body)
    assert headers["Authorization"].endswith(f"Signature={wanted}") and headers["Host"] == proxy.url.removeprefix("http://")


def test_a_bulk_call_that_fails_by_one_key_is_repeated_key_by_key(objects, proxy):
    bad, good = objects.add("a", "spoils"), objects.add("a", "fine")
    malformed = (400, b"<Error><Code>MalformedXML</Code><Message>no</Message></Error>", None)
    invalid = (400, b"<Error><Code>InvalidArgument</Code><Message>that key</Message></Error>", None)
    proxy.misbehave = lambda command, body, go: (
        malformed if b"spoils" in body else invalid if proxy.requests[-1][1].endswith("spoils") else (*go(), None))
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [bad] and bad != good
    assert objects.database.value("SELECT reason FROM pruned.quarantine") == "InvalidArgument: that key"


def test_a_key_that_the_service_skipped_is_sent_again(objects, proxy):
    objects.add("a", "late")
    objects.add("a", "soon")
    busy = iter([b"SlowDown", b"InternalError"])

    def some_later(command, body, go):
        code = next(busy, None) if b"late" in body else None
        if code is None:
            return *go(), None
        answer = re.sub(rb"<Object><Key>([^<]*late)</Key></Object>",
                        rb"<Error><Key>\1</Key><Code>" + code + rb"</Code><Message>not now</Message></Error>", body)
        answer = re.sub(rb"<Object>(.*?)</Object>", rb"<Deleted>\1</Deleted>", answer)
        return 200, answer.replace(b"<Delete ", b"<DeleteResult ").replace(b"</Delete>", b"</DeleteResult>"), None

    proxy.misbehave = some_later
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [] and objects.run()["result"]["failed"] == 0 and len(proxy.requests) == 3


def test_a_key_that_is_refused_keeps_its_row_and_its_error_is_named(objects, proxy):
    bad, good = objects.add("a", "refused"), objects.add("a", "fine")

    def refuse(command, body, go):
        _, answer = go()
        key = f"{objects.prefix}/a/refused".encode()
        return 200, re.sub(rb"<Deleted><Key>" + key + rb"</Key>.*?</Deleted>",
                           b"<Error><Key>" + key + b"</Key><Code>AccessDenied</Code><Message>not yours</Message></Error>",
                           answer), None

    proxy.misbehave = refuse
    daemon = objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [bad] and bad != good
    daemon.wait_line("Object cannot be deleted", id=str(bad), error="AccessDenied: not yours")
    assert objects.run()["result"]["failed"] == 1


def test_a_key_that_the_answer_does_not_mention_does_not_count_as_gone(objects, proxy):
    lied = objects.add("a", "unmentioned")
    objects.add("a", "mentioned")

    def lie(command, body, go):
        status, answer = go()
        return status, re.sub(rb"<Deleted><Key>[^<]*unmentioned</Key>.*?</Deleted>", b"", answer), None

    proxy.misbehave = lie
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [lied]


def test_slow_down_is_obeyed_and_nothing_fails(objects, proxy):
    for i in range(20):
        objects.add("a", f"file {i}")
    answers = iter([503, 503])

    def slow_down(command, body, go):
        status = next(answers, None)
        return (status, b"<Error><Code>SlowDown</Code></Error>", None) if status else (*go(), None)

    proxy.misbehave = slow_down
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == [] and objects.run()["result"]["failed"] == 0
    assert len(proxy.requests) == 3


def test_a_request_whose_answer_is_cut_in_the_xml_is_repeated(objects, proxy):
    objects.add("a", "file")
    cut = iter([True])

    def cut_once(command, body, go):
        status, answer = go()
        return (status, answer[:len(answer) // 2], len(answer)) if next(cut, False) else (status, answer, None)

    proxy.misbehave = cut_once
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert objects.left() == []


@pytest.mark.check_all
@pytest.mark.parametrize("settings, words", [
    ({"store.object.bucket": "nowhere"}, "NoSuchBucket: .*see .store.object. bucket"),
    ({"store.object.secret_key": "wrong"}, "SignatureDoesNotMatch: .*see secret_key and region"),
    ({"store.object.access_key": "nobody"}, "No user exists with the provided access key ID"),
    ({"store.object.region": "elsewhere"}, "AuthorizationHeaderMalformed: .*see .store.object. region"),
    ({"store.object.endpoint": "http://127.0.0.1:9"}, "127.0.0.1:9/artifacts: .*[Cc]onnect"),
    ({"store.object.endpoint": "http://[::1]:9/"}, r"http://\[::1\]:9/artifacts: .*[Cc]onnect"),
    ({"store.object.endpoint": f"http://{NO_HOST}"}, f"[Rr]esolve host.*{NO_HOST}"),
])
def test_a_store_that_cannot_work_is_reported_and_no_attempt_charged(objects, settings, words):
    with objects.nobody_charged(words):
        objects.delete(**settings)


def test_a_malformed_address_is_an_error_of_the_configuration(objects):
    done = objects.pruned.run("run", "--until-idle", settings=objects.settings | {"store.object.endpoint": "ftp://s3.example.org"})
    assert done.code == 2 and "neither https:// nor http://" in done.stderr


def test_a_password_in_the_address_is_not_shown(objects):
    settings = objects.settings | {"store.object.endpoint": "s3://me:hu/sh@x"}
    done = objects.pruned.run("run", "--until-idle", settings=settings)
    assert done.code == 2 and "[store.object] endpoint: " in done.stderr
    asked = objects.pruned.run("doctor", settings=settings)
    for said in (done.stdout, done.stderr, asked.stdout, asked.stderr):
        assert "hu/sh" not in said


@pytest.mark.check_all
@pytest.mark.parametrize("status, code, words", [
    (403, "RequestTimeTooSkewed", "the clocks of this machine and of the service differ"),
    (403, "AccessDenied", "may not delete in this bucket"),
    (400, "ExpiredToken", "session_token"),
    (403, "InvalidAccessKeyId", "access_key"),
    (301, "PermanentRedirect", "region and endpoint"),
    (307, "TemporaryRedirect", "region and endpoint"),
])
def test_a_service_that_refuses_everything_is_reported_and_no_attempt_charged(objects, proxy, status, code, words):
    answer = f"<Error><Code>{code}</Code><Message>so it is</Message></Error>".encode()
    proxy.misbehave = lambda *_: (status, answer, None)
    with objects.nobody_charged(f"{code}: so it is; .*{words}"):
        objects.delete(**{"store.object.endpoint": proxy.url})
    assert len(proxy.requests) == 1  # a repetition does not help


def test_an_endpoint_that_is_not_s3_is_reported(objects, proxy):
    objects.add("a", "file")
    proxy.misbehave = lambda command, body, go: (200, b"<!DOCTYPE html><html><body>Welcome</body></html>", None)
    objects.delete(**{"store.object.endpoint": proxy.url})
    assert "is the endpoint an S3 service" in objects.run()["error"] and len(objects.left()) == 1


def test_a_key_that_is_too_long_is_its_own_failure(objects):
    long_ = objects.add("d" * 1000, "f" * 100, make=False)
    objects.add("a", "file")
    objects.delete()
    assert objects.left() == [long_]
    [entry] = objects.database.rows("SELECT reason, parked, attempts FROM pruned.quarantine")
    assert (entry["reason"], entry["parked"], entry["attempts"]) == ("the key is longer than 1024 bytes", True, 1)


@pytest.mark.check_all
def test_credentials_from_a_file_that_is_rotated(objects, tmp_path):
    file = tmp_path / "credentials"
    file.write_text("access_key = test\nsecret_key = old\n")
    objects.add("a", "file")
    settings = {"store.object.access_key": None, "store.object.secret_key": None,
                "store.object.credentials_file": file}
    objects.delete(**settings)
    assert "SignatureDoesNotMatch" in objects.run()["error"]
    file.write_text(f"access_key = {objects.gateway.access_key}\nsecret_key = {objects.gateway.secret_key}\n")
    objects.again(**settings)
    assert objects.left() == [] and objects.keys() == []
