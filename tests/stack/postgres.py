"""A private PostgreSQL cluster: own folder, own socket, a loopback port."""

import itertools
import os
import shutil
import signal
import subprocess

from . import found
from .ports import HeldPort
from .process import Server, as_user, unprivileged_user

# Another time zone than UTC on purpose: what relies on the server's default is to be found out.
# The role `asked_for_password` must give one, so that a wrong one can be tried.
CONFIGURATION = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 200
shared_buffers = 128MB
fsync = off
full_page_writes = off
timezone = 'Asia/Kolkata'
log_min_messages = warning
logging_collector = off
"""
AUTHENTICATION = """
host  all asked_for_password 127.0.0.1/32 scram-sha-256
local all,replication all trust
host  all all 127.0.0.1/32 trust
"""


class Postgres(Server):
    name = "postgres"

    def __init__(self, folder, outlive_us=False):
        super().__init__(folder, outlive_us)
        self.user = unprivileged_user()
        self.held = HeldPort()
        self.port = self.held.number
        self._backups = itertools.count(1)
        self._init()

    def _init(self):
        self.folder.mkdir(parents=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        done = subprocess.run(
            [found.pg_bin() / "initdb", "-D", self.folder / "data", "-U", "postgres", "-A", "trust",
             "-E", "UTF8", "--locale=C", "--no-sync"],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **as_user(self.user),
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed:\n{done.stdout}")
        with open(self.folder / "data/postgresql.conf", "a") as conf:
            conf.write(CONFIGURATION.format(port=self.port, folder=self.folder))
        (self.folder / "data/pg_hba.conf").write_text(AUTHENTICATION)

    def argv(self):
        return [found.pg_bin() / "postgres", "-D", self.folder / "data"]

    def ready(self):
        asked = subprocess.run(
            [found.pg_bin() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
            stdin=subprocess.DEVNULL,
        )
        return asked.returncode == 0

    def kill(self):
        """At once, with its children: no checkpoint, recovery at the next start."""
        self.stop(signal.SIGQUIT)

    def stop(self, number=signal.SIGINT, deadline_s=60):
        super().stop(number, deadline_s)

    def back_up(self):
        """A copy of everything, as it is now, while work goes on. Returns its folder."""
        backup = self.folder / f"backup-{next(self._backups)}"
        subprocess.run(
            [found.pg_bin() / "pg_basebackup", "-D", backup, "-h", self.folder, "-p", str(self.port), "-U", "postgres",
             "-c", "fast", "-X", "stream", "--no-sync"],
            cwd=self.folder, stdin=subprocess.DEVNULL, check=True, **as_user(self.user))
        return backup

    def set_back(self, backup):
        """Killed, and its data replaced by BACKUP, which is used up; not started."""
        self.kill()
        shutil.rmtree(self.folder / "data")
        backup.rename(self.folder / "data")

    def url(self, database="postgres", role="postgres"):
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"
