"""The real PgBouncer in transaction mode, in front of a PostgreSQL."""

import functools
import os
import re
import socket
import subprocess
from urllib.parse import urlsplit, urlunsplit

from . import found
from .ports import HeldPort
from .process import Server, unprivileged_user

CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={there}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
"""
TRACKS_SINCE = (1, 21)


@functools.cache
def tracks_statements():
    """Whether this version can keep prepared statements for its clients (an older one takes no such
    setting)."""
    said = subprocess.run([found.pgbouncer(), "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    major, minor = re.match(r"PgBouncer (\d+)\.(\d+)", said).groups()
    return (int(major), int(minor)) >= TRACKS_SINCE


class PgBouncer(Server):
    """It keeps up to `statements` prepared statements for each client; 0: none, like all versions
    before 1.21."""
    name = "pgbouncer"

    def __init__(self, folder, server_url, roles, size=3, statements=0):
        super().__init__(folder)
        self.user = unprivileged_user()
        self.held = HeldPort()
        self.port = self.held.number
        folder.mkdir(parents=True)
        (folder / "users.txt").write_text("".join(f'"{role}" ""\n' for role in roles))
        text = CONFIGURATION.format(there=urlsplit(server_url).port, port=self.port, folder=folder, size=size)
        if tracks_statements():
            text += f"max_prepared_statements = {statements}\n"
        (folder / "pgbouncer.ini").write_text(text)
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)

    def argv(self):
        return [found.pgbouncer(), self.folder / "pgbouncer.ini"]

    def ready(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self, of):
        """The URL of the same database and role, through the pooler."""
        parts = urlsplit(of)
        return urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{self.port}")))
