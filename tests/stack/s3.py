"""A private S3 gateway that keeps its objects as files: versitygw."""

import os
import socket

from . import found
from .ports import HeldPort
from .process import Server


class S3(Server):
    name = "s3"
    access_key, secret_key, region = "test", "testsecret", "us-east-1"

    def __init__(self, folder, outlive_us=False, host="127.0.0.1", certificate=None, virtual_hosts=False, versions=False):
        """CERTIFICATE: (certificate, key, file of trusted authorities), for TLS. VIRTUAL_HOSTS: the
        bucket's name stands in front of HOST. VERSIONS: a bucket can keep versions."""
        super().__init__(folder, outlive_us)
        self.host, self.certificate, self.virtual_hosts = host, certificate, virtual_hosts
        folder.mkdir(parents=True)
        self.objects = folder / "objects"
        self.objects.mkdir()
        self.versions = folder / "versions" if versions else None
        if versions:
            self.versions.mkdir()
        self.held = HeldPort()
        self.port = self.held.number

    def argv(self):
        tls = ["--cert", self.certificate[0], "--key", self.certificate[1]] if self.certificate else []
        hosts = ["--virtual-domain", f"{self.host}:{self.port}"] if self.virtual_hosts else []
        return [found.deps() / "bin/versitygw", "--quiet", "--keep-alive", "--port", f"127.0.0.1:{self.port}", *tls, *hosts,
                "posix", *(["--versioning-dir", self.versions] if self.versions else []), self.objects]

    def environment(self):
        return os.environ | {"ROOT_ACCESS_KEY": self.access_key, "ROOT_SECRET_KEY": self.secret_key}

    def ready(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def endpoint(self):
        return f"{'https' if self.certificate else 'http'}://{self.host}:{self.port}"

    @property
    def ca_file(self):
        return self.certificate[2] if self.certificate else ""

    def client(self, endpoint=None):
        """An independent client (boto3). ENDPOINT: a proxy in front of this server."""
        import boto3

        return boto3.client("s3", endpoint_url=endpoint or self.endpoint, region_name=self.region, verify=self.ca_file or None,
                            aws_access_key_id=self.access_key, aws_secret_access_key=self.secret_key)
