"""A private S3 gateway that keeps its objects as files: versitygw."""

import os
import socket

from . import found
from .ports import HeldPort
from .process import Server


class S3(Server):
    name = "s3"
    access_key, secret_key, region = "test", "testsecret", "us-east-1"

    def __init__(self, folder, outlive_us=False):
        super().__init__(folder, outlive_us)
        folder.mkdir(parents=True)
        self.objects = folder / "objects"
        self.objects.mkdir()
        self.held = HeldPort()
        self.port = self.held.number

    def argv(self):
        return [found.deps() / "bin/versitygw", "--quiet", "--port", f"127.0.0.1:{self.port}",
                "posix", self.objects]

    def environment(self):
        return os.environ | {"ROOT_ACCESS_KEY": self.access_key, "ROOT_SECRET_KEY": self.secret_key}

    def ready(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def client(self):
        """A client that is not ours."""
        import boto3

        return boto3.client("s3", endpoint_url=self.endpoint, region_name=self.region,
                            aws_access_key_id=self.access_key, aws_secret_access_key=self.secret_key)
