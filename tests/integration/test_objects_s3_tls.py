"""Buckets in front of the host's name, and services with a certificate of a private authority."""

import re
import shutil

import pytest

from stack.pair import new_folder
from stack.s3 import S3
from support.certificates import make_authority, make_certificate
from support.s3 import BUCKET, Objects

HOST = "localhost"  # names below it are this machine, too


@pytest.fixture(scope="module")
def folder():
    made = new_folder("pruned-s3-tls-")
    make_authority(made, "ours")
    make_authority(made, "others")
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def certificate(folder):
    return make_certificate(folder, "ours", HOST, f"{BUCKET}.{HOST}")


@pytest.fixture
def new_objects(pruned_with_slots, database, folder, request):
    """Makes a service, and objects on it: `new_objects(certificate=..., virtual_hosts=...)`."""
    made = []

    def make(**options):
        made.append(S3(folder / f"s3-{request.node.name}", host=HOST, **options).start())
        made[-1].client().create_bucket(Bucket=BUCKET)
        objects = Objects(pruned_with_slots, database, made[-1], re.sub(r"\W+", "-", request.node.name))
        objects.settings["store.object.addressing"] = "host" if made[-1].virtual_hosts else "path"
        return objects

    yield make
    for server in made:
        server.kill()


@pytest.mark.check_all
@pytest.mark.parametrize("tls, virtual_hosts", [(False, True), (True, False), (True, True)])
def test_objects_go(new_objects, certificate, tls, virtual_hosts):
    objects = new_objects(certificate=certificate if tls else None, virtual_hosts=virtual_hosts)
    for i in range(5):
        objects.add("a", f"file {i}")
    objects.delete()
    assert objects.left() == [] and objects.keys() == []
    assert objects.run()["result"]["deleted"] == 5


@pytest.mark.check_all
def test_a_service_whose_authority_is_not_trusted_gets_no_request(new_objects, certificate):
    objects = new_objects(certificate=certificate)
    with objects.nobody_charged("certificate.*; see ca_file and endpoint of .store.object."):
        objects.delete(**{"store.object.ca_file": ""})


@pytest.mark.check_all
def test_an_authority_that_did_not_sign_does_not_count(new_objects, certificate, folder):
    objects = new_objects(certificate=certificate)
    with objects.nobody_charged("certificate.*; see ca_file and endpoint of .store.object."):
        objects.delete(**{"store.object.ca_file": folder / "others.pem"})


@pytest.mark.check_all
def test_a_certificate_for_another_name_does_not_count(new_objects, certificate):
    objects = new_objects(certificate=certificate)
    address = f"https://127.0.0.1:{objects.gateway.port}"
    with objects.nobody_charged("127.0.0.1.*; see ca_file and endpoint of .store.object."):
        objects.delete(**{"store.object.endpoint": address})
    doctor = objects.pruned.run("doctor", "--json", settings=objects.settings | {"store.object.endpoint": address}).json()
    assert any("see ca_file and endpoint" in line.get("detail", "") for line in doctor)


def test_a_file_of_authorities_that_is_not_there_is_named(new_objects, certificate, tmp_path):
    objects = new_objects(certificate=certificate)
    missing = tmp_path / "missing.pem"
    with objects.nobody_charged(f"{missing}.*; see ca_file and endpoint of .store.object."):
        objects.delete(**{"store.object.ca_file": missing})


@pytest.mark.check_all
def test_a_service_without_tls_is_reported(new_objects):
    objects = new_objects()
    with objects.nobody_charged("https://localhost:.*SSL"):
        objects.delete(**{"store.object.endpoint": objects.gateway.endpoint.replace("http:", "https:")})
