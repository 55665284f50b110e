"""A job whose rows name objects in a bucket of a real S3 gateway; what is there is asked with
boto3."""

import re

import pytest

from .s3 import Proxy
from .sentences import house  # noqa: F401

TABLE = """CREATE TABLE uploads (id bigint PRIMARY KEY, s3_key text, deleted_at timestamptz);
    CREATE INDEX ON uploads (s3_key)"""
SENTENCE = "table = uploads\nwhere = deleted_at IS NOT NULL\nobject = s3:{bucket} column s3_key\nmax_share = 100 %"


class Uploads:
    """An installation with one such job, `files`, and the bucket of one test."""

    def __init__(self, house, gateway, name):  # noqa: F811
        self.house, self.database, self.gateway = house, house.database, gateway
        self.bucket = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[-60:].strip("-")
        self.client = gateway.client()
        self.client.create_bucket(Bucket=self.bucket)
        self.proxy = Proxy(gateway.endpoint)
        self.straight()
        house.pruned.settings |= {
            "store.object.endpoint": self.proxy.url, "store.object.region": gateway.region, "store.object.access_key": gateway.access_key,
            "store.object.secret_key": gateway.secret_key, "store.object.bucket": "artifacts", "store.object.prefix": "not-for-these"}

    def make(self, table=TABLE, **more):
        self.house.sql(table)
        self.say(**more)

    def say(self, **more):
        self.house.say("files", SENTENCE.format(bucket=self.bucket) + "".join(f"\n{key} = {value}" for key, value in more.items()))

    def put(self, *keys):
        for key in keys:
            self.client.put_object(Bucket=self.bucket, Key=key, Body=b"x")

    def keys(self):
        return [one["Key"] for one in self.client.list_objects_v2(Bucket=self.bucket).get("Contents", [])]

    def add(self, *rows):
        """(id, key, due)"""
        for id_, key, due in rows:
            self.database.execute("INSERT INTO uploads VALUES (%s, %s, CASE WHEN %s THEN now() - interval '1 day' END)", [id_, key, due])

    def left(self):
        return self.database.column("SELECT id FROM uploads ORDER BY id")

    def straight(self):
        self.proxy.misbehave = lambda _command, _body, go: (*go(), None)

    def during(self, act, times=1):
        """ACT happens when the first request arrives, before the service gets it."""
        left = [act] * times

        def misbehave(_command, _body, go):
            if left:
                left.pop()()
            return *go(), None

        self.proxy.misbehave = misbehave

    def asked(self):
        return len(self.proxy.requests)


@pytest.fixture
def uploads(house, gateway, request):  # noqa: F811
    made = Uploads(house, gateway, request.node.name)
    yield made
    made.proxy.close()
