"""Requests to an S3 service, their credentials, and the other work while it does not answer."""

import base64
import hashlib
import re
import threading

import pytest

from stack.process import wait_until
from support.s3 import BUCKET, TICK, proxy, signature  # noqa: F401
from support.s3 import objects_behind as objects  # noqa: F401
from support.scene import due_now

SLOT = "ci.delete_objects"
ALL_DELETED = re.compile(rb"<Object>(.*?)</Object>")


def all_deleted(command, body, go):
    """Answers that everything is deleted, whatever the request."""
    keys = b"".join(b"<Deleted>" + key + b"</Deleted>" for key in ALL_DELETED.findall(body))
    return 200, b"<DeleteResult>" + keys + b"</DeleteResult>", None


def list_objects(objects, n, dir_="gone"):
    objects.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at) SELECT 2, %s, 'file ' || i,"
                             " now() - interval '1 hour' FROM generate_series(1, %s::int) i", [dir_, n])


# --- requests

def delete_in_one_slot(objects):
    """All that is listed, in leases that are as large as the service may be asked for at once, and
    more."""
    objects.pruned.run("pause", SLOT).ok()
    objects.delete()
    for id in objects.database.column("SELECT run_id::text FROM pruned.runs WHERE job = %s AND args <> '{\"slot\": 0}'"
                                      " AND finished_at IS NULL", [SLOT]):
        objects.pruned.run("discard", id).ok()
    objects.pruned.run("resume", SLOT).ok()
    objects.pruned.run_until_idle(settings=objects.settings | {f"jobs.{SLOT}.batch": 2000})


@pytest.mark.check_all
def test_a_thousand_keys_are_one_request(objects, proxy):
    """Counted lease by lease: on a slow machine a step is cut, and what it could not settle is
    leased and asked for again. So is a request (with the same body) whose answer did not come."""
    leases = {}  # when it ends -> (its rows, the bodies it was asked for with)

    def note_lease(command, body, go):
        lease = objects.database.row("SELECT pick_up_at, count(*) AS n FROM ci_deleted_objects WHERE pick_up_at > now() GROUP BY 1")
        leases.setdefault(lease["pick_up_at"], (lease["n"], set()))[1].add(body)
        return all_deleted(command, body, go)

    proxy.misbehave = note_lease
    for _ in range(5):  # a lease itself may have been cut
        list_objects(objects, 1001)
        delete_in_one_slot(objects)
        assert objects.left() == []
        asked = [(n, sorted(body.count(b"<Key>") for body in bodies)) for n, bodies in leases.values()]
        assert [counts for n, counts in asked] == [[1, 1000] if n == 1001 else [n] for n, counts in asked]
        if (1001, [1, 1000]) in asked:
            break
    else:
        pytest.fail(f"no lease had more than a thousand rows: {asked}")


def test_a_request_is_signed_and_proves_its_body(objects, proxy):
    """The gateway checks the signature; a service may require either digest."""
    objects.add("a", "file")
    proxy.misbehave = lambda command, body, go: (*go(), None)
    objects.delete()
    assert objects.left() == [] and objects.keys() == []
    [(headers, body)] = proxy.seen
    assert headers["Content-MD5"] == base64.b64encode(hashlib.md5(body).digest()).decode()
    assert headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest()
    assert headers["Authorization"].startswith(f"AWS4-HMAC-SHA256 Credential={objects.gateway.access_key}/")


def test_a_session_token_is_sent_and_signed(objects, proxy):
    """The gateway knows no session tokens; so the test computes the signature itself."""
    objects.add("a", "file")
    proxy.misbehave = all_deleted
    objects.delete(**{"store.object.session_token": "the+token/=="})
    assert objects.left() == []
    [(command, path)], [(headers, body)] = proxy.requests, proxy.seen
    assert headers["x-amz-security-token"] == "the+token/=="
    assert "x-amz-security-token" in re.findall("SignedHeaders=([^,]*)", headers["Authorization"])[0].split(";")
    wanted = signature(objects.gateway.secret_key, objects.gateway.region, command, path, headers, body)
    assert headers["Authorization"].endswith(f"Signature={wanted}")


def test_many_requests_are_one_connection(objects, proxy):
    list_objects(objects, 10)
    proxy.misbehave = all_deleted
    objects.delete(**{f"jobs.{SLOT}.batch": 1})
    assert objects.left() == [] and len(proxy.requests) == 10 and proxy.connections == 1


def test_a_key_may_have_1024_bytes_with_its_prefix(objects, proxy):
    room = 1024 - len(objects.prefix) - len("/d/")
    objects.add("d", "x" * room, make=False)
    objects.add("d", "ü" * (room // 2), make=False)
    long_ = [objects.add("d", "x" * (room + 1), make=False), objects.add("d", "ü" * (room // 2 + 1), make=False)]
    proxy.misbehave = all_deleted
    objects.delete()
    assert objects.left() == long_
    assert objects.database.column("SELECT DISTINCT reason FROM pruned.quarantine") == ["the key is longer than 1024 bytes"]


def test_a_path_outside_the_prefix_is_never_sent_to_the_service(objects, proxy):
    unsafe = [objects.add(dir_, file, make=False) for dir_, file in [("..", "x"), ("a/../..", "x"), ("a", ".."), ("/a", "x"), ("a", "/x")]]
    objects.add("a", "fine")
    proxy.misbehave = lambda command, body, go: (*go(), None)
    objects.delete()
    assert objects.left() == unsafe and objects.keys() == []
    assert objects.database.rows("SELECT DISTINCT reason, parked FROM pruned.quarantine") == [{"reason": "unsafe path", "parked": True}]
    assert [re.findall(b"<Key>(.*?)</Key>", body) for _, body in proxy.seen] == [[f"{objects.prefix}/a/fine".encode()]]


def test_a_name_that_ends_in_a_slash_is_another_object(objects, proxy):
    other = objects.add("a", "x")
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() + interval '1 hour'")
    objects.add("a//", "x/", make=False)
    objects.gateway.client().put_object(Bucket=BUCKET, Key=f"{objects.prefix}/y/", Body=b"")
    proxy.misbehave = lambda command, body, go: (*go(), None)
    objects.delete()
    assert [re.findall(b"<Key>(.*?)</Key>", body) for _, body in proxy.seen] == [[f"{objects.prefix}/a/x/".encode()]]
    assert objects.left() == [other] and f"{objects.prefix}/a/x" in objects.keys()


# --- credentials

def test_credentials_from_the_environment(objects, proxy):
    objects.add("a", "file")
    gateway = objects.gateway
    del objects.settings["store.object.access_key"], objects.settings["store.object.secret_key"]
    objects.pruned.environment |= {"PRUNED_STORE_OBJECT_ACCESS_KEY": gateway.access_key, "PRUNED_STORE_OBJECT_SECRET_KEY": gateway.secret_key}
    objects.delete(**{"store.object.endpoint": gateway.endpoint})
    assert objects.left() == [] and objects.keys() == []


def credentials(gateway, secret):
    return f"access_key = {gateway.access_key}\nsecret_key = {secret}\n"


def start_with_file(objects, text, tmp_path):
    file = tmp_path / "credentials"
    if text is not None:
        file.write_text(text)
    del objects.settings["store.object.access_key"], objects.settings["store.object.secret_key"]
    objects.settings |= {"store.object.credentials_file": file, "store.object.endpoint": objects.gateway.endpoint}
    objects.pruned.run("tick", TICK).ok()
    return file, objects.pruned.start(settings=objects.settings)


def wait_error(objects, words):
    return objects.database.wait("SELECT error FROM pruned.runs WHERE job = 'ci.delete_objects' ORDER BY created_at DESC LIMIT 1",
                                 until=lambda error: words in (error or ""))


@pytest.mark.check_all
def test_rotated_credentials_are_used_without_a_restart(objects, tmp_path):
    """Old credentials; a half-written file; a missing file; new credentials: the same process
    continues by itself."""
    objects.add("a", "file")
    file, daemon = start_with_file(objects, credentials(objects.gateway, objects.gateway.secret_key), tmp_path)
    objects.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    for n, half in enumerate(["", f"access_key = {objects.gateway.access_key}\n", None]):
        file.unlink() if half is None else file.write_text(half)
        objects.add("a", f"file {n}")  # the known credentials are still valid
        objects.pruned.run("tick", TICK).ok()
        objects.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    file.write_text(credentials(objects.gateway, "revoked"))
    id_ = objects.add("a", "another")
    objects.pruned.run("tick", TICK).ok()
    wait_error(objects, "SignatureDoesNotMatch")
    file.write_text(credentials(objects.gateway, objects.gateway.secret_key))
    wait_until(lambda: [due_now(objects.database), objects.left() == []][1], 30, "the run that was refused")
    assert daemon.running and objects.keys() == [] and id_
    assert objects.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_without_the_credentials_file_the_path_is_logged_and_nothing_is_sent_unsigned(objects, proxy, tmp_path):
    objects.add("a", "file")
    file, daemon = start_with_file(objects, None, tmp_path)
    wait_error(objects, f"[store.object] credentials_file {file}: No such file")
    doctor = objects.pruned.run("doctor", "--json", settings=objects.settings)
    assert any(str(file) in line["detail"] for line in doctor.json() if line["check"] == "object store" and not line["ok"])
    file.write_text(credentials(objects.gateway, objects.gateway.secret_key))
    objects.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    assert daemon.running and objects.keys() == []


# --- a service that is away

@pytest.mark.check_all
def test_one_request_probes_whether_the_service_is_back(objects, proxy):
    list_objects(objects, 400)
    probes, let_go, back = [], threading.Event(), threading.Event()

    def away(command, body, go):
        if back.is_set():
            return all_deleted(command, body, go)
        if tried.is_set():
            probes.append(1)
            let_go.wait(60)
        return 500, b"", None

    tried = threading.Event()
    proxy.misbehave = away
    objects.pruned.run("tick", TICK).ok()
    daemon = objects.pruned.start(settings=objects.settings)
    wait_until(lambda: len({line["run_id"] for line in daemon.lines("Finished", job=SLOT)}) == 4, 60, "each slot to have asked in vain")
    tried.set()
    wait_until(lambda: probes, 60, "a probe")
    # the other slots have asked, too
    daemon.wait_line("Finished", job=SLOT, count=len(daemon.lines("Finished", job=SLOT)) + 3)
    assert len(probes) == 1
    assert objects.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    back.set()
    let_go.set()
    objects.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0, deadline_s=60)
    assert objects.database.column("SELECT DISTINCT attempts FROM pruned.runs WHERE job = %s", [SLOT]) == [0]


def test_a_row_that_another_process_has_leased_meanwhile_is_left_to_it(objects, proxy):
    """The three results of an object: gone, refused, not tried."""
    keys = {name: objects.add("a", name, make=False) for name in ("gone", "refused", "stays mine")}

    def meanwhile(command, body, go):
        objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() + interval '3 hours' WHERE file <> 'stays mine'")
        _, answer, _ = all_deleted(command, body, go)
        answer = re.sub(rb"<Deleted>(<Key>[^<]*refused</Key>)</Deleted>",
                        rb"<Error>\1<Code>AccessDenied</Code><Message>no</Message></Error>", answer)
        return 200, answer, None

    proxy.misbehave = meanwhile
    objects.delete(**{f"jobs.{SLOT}.item_attempts": 1})
    assert objects.left() == [keys["gone"], keys["refused"]]
    assert objects.database.column("SELECT date_trunc('hour', pick_up_at - now() + interval '1 minute') = '3 hours' FROM ci_deleted_objects") == [True] * 2
    result = objects.run()["result"]
    assert (result["updated_rows"], result["failed"]) == (1, 1)


# --- slots

@pytest.mark.check_all
@pytest.mark.parametrize("ready, slots", [(0, 0), (1, 1), (100, 1), (101, 2), (4901, 50), (5001, 50)])
def test_a_slot_for_every_hundred_and_fifty_at_most(objects, ready, slots):
    list_objects(objects, ready)
    objects.database.execute("INSERT INTO ci_deleted_objects (store_dir, file, pick_up_at) SELECT 'a', 'b', now() + interval '1 hour'"
                             " FROM generate_series(1, 500)")
    objects.pruned.run("pause", SLOT).ok()
    objects.delete()
    assert objects.database.column("SELECT slot FROM pruned.runs WHERE job = %s ORDER BY (args->>'slot')::int", [SLOT]) == [
        *range(slots)]
    objects.delete()  # each of them still waits
    assert objects.database.value("SELECT count(*) FROM pruned.runs WHERE job = %s", [SLOT]) == slots
    assert objects.database.column("SELECT result->>'already_running' FROM pruned.runs WHERE job = %s ORDER BY created_at", [TICK])[1:] == [
        str(slots) if slots else None]
