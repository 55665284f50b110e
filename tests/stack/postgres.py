"""A private PostgreSQL cluster: own folder, own socket, a loopback port."""

import contextlib
import itertools
import os
import shutil
import signal
import subprocess

from . import found
from .ports import HeldPort
from .process import Server, as_user, unprivileged_user, wait_until

# The time zone is not UTC, so that tests find code that relies on the server's default.
# The role `asked_for_password` needs a password, for tests of a wrong one.
CONFIGURATION = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 200
max_prepared_transactions = 10
shared_buffers = 128MB
fsync = off
full_page_writes = off
jit = off
timezone = 'Asia/Kolkata'
log_min_messages = warning
logging_collector = off
"""
# Archives the write-ahead log, so that a backup can be recovered to any later moment.
ARCHIVE = """
archive_mode = on
archive_command = 'cp %p {folder}/archive/%f'
"""
RECOVERY = """
restore_command = 'cp {folder}/archive/%f %p'
recovery_target_name = '{point}'
recovery_target_action = 'promote'
"""
AUTHENTICATION = """
host  all asked_for_password 127.0.0.1/32 scram-sha-256
local all,replication all trust
host  all all 127.0.0.1/32 trust
"""


class Postgres(Server):
    name = "postgres"

    def __init__(self, folder, outlive_us=False, archive=False):
        """ARCHIVE: whether the write-ahead log is archived, which mark() needs."""
        super().__init__(folder, outlive_us)
        self.archive, self.clock = archive, None  # a stack.clock.Clock; used from the next start
        self.user = unprivileged_user()
        self.held = HeldPort()
        self.port = self.held.number
        self._backups, self._points = itertools.count(1), itertools.count(1)
        self._init()

    def _init(self):
        self.folder.mkdir(parents=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        (self.folder / "archive").mkdir()
        if self.user:
            os.chown(self.folder / "archive", self.user.pw_uid, self.user.pw_gid)
        done = subprocess.run(
            [found.pg_server_bin() / "initdb", "-D", self.folder / "data", "-U", "postgres", "-A", "trust",
             "-E", "UTF8", "--locale=C", "--no-sync"],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **as_user(self.user),
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed:\n{done.stdout}")
        with open(self.folder / "data/postgresql.conf", "a") as conf:
            conf.write(CONFIGURATION.format(port=self.port, folder=self.folder))
            if self.archive:
                conf.write(ARCHIVE.format(folder=self.folder))
        (self.folder / "data/pg_hba.conf").write_text(AUTHENTICATION)

    def argv(self):
        return [found.pg_server_bin() / "postgres", "-D", self.folder / "data"]

    def environment(self):
        """Symbols are bound once, not in each process that serves a connection."""
        return os.environ | {"LD_BIND_NOW": "1"} | (self.clock.environment if self.clock else {})

    def ready(self):
        asked = subprocess.run(
            [found.pg_bin() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
            stdin=subprocess.DEVNULL,
        )
        return asked.returncode == 0

    def kill(self):
        """Kills the server and its children: no checkpoint, recovery at the next start."""
        self.stop(signal.SIGQUIT)

    def stop(self, number=signal.SIGINT, deadline_s=60):
        if self.process and self.process.poll() is None:
            self.thaw_all()
        super().stop(number, deadline_s)

    def freeze_all(self):
        """Stops all processes of the server. The kernel still accepts connections; nobody answers
        them."""
        self.freeze()
        self._send_children(signal.SIGSTOP)

    def thaw_all(self):
        self._send_children(signal.SIGCONT)
        self.thaw()

    def _send_children(self, number):
        for pid in self._children():
            with contextlib.suppress(ProcessLookupError):  # the connection has just been closed
                os.kill(pid, number)

    def _children(self):
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return [int(child) for child in children.read().split()]

    def back_up(self):
        """Takes a base backup while the server runs. Returns its folder."""
        backup = self.folder / f"backup-{next(self._backups)}"
        subprocess.run(
            [found.pg_bin() / "pg_basebackup", "-D", backup, "-h", self.folder, "-p", str(self.port), "-U", "postgres",
             "-c", "fast", "-X", "stream", "--no-sync"],
            cwd=self.folder, stdin=subprocess.DEVNULL, check=True, **as_user(self.user))
        return backup

    def mark(self):
        """Makes a restore point, to which an earlier backup can be recovered. Returns its name."""
        point = f"point-{next(self._points)}"
        self._ask(f"SELECT pg_create_restore_point('{point}')")
        segment = self._ask("SELECT pg_walfile_name(pg_switch_wal())")
        wait_until(lambda: self._ask("SELECT last_archived_wal FROM pg_stat_archiver") >= segment, 30, f"{segment} in the archive")
        return point

    def standby(self, folder):
        """Starts a standby of this server. lag() makes it fall behind; promote() makes it the
        primary."""
        return Standby(folder, self).start()

    def set_back(self, backup, point=None):
        """Kills the server and moves BACKUP into its place. The next start recovers to POINT;
        without one, to the state of BACKUP."""
        self.kill()
        shutil.rmtree(self.folder / "data")
        backup.rename(self.folder / "data")
        if point is None:
            return
        with open(self.folder / "data/postgresql.conf", "a") as conf:
            conf.write(RECOVERY.format(folder=self.folder, point=point))
        (self.folder / "data/recovery.signal").touch()

    def _ask(self, statement):
        return subprocess.run(
            [found.pg_bin() / "psql", "-X", "-A", "-t", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-c", statement],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True, **as_user(self.user)).stdout.strip()

    def url(self, database="postgres", role="postgres"):
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"


class Standby(Postgres):
    """A standby that streams from its primary."""

    def __init__(self, folder, primary):
        self.primary = primary
        super().__init__(folder)

    def _init(self):
        self.folder.mkdir(parents=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        subprocess.run(
            [found.pg_bin() / "pg_basebackup", "-D", self.folder / "data", "-h", self.primary.folder, "-p", str(self.primary.port),
             "-U", "postgres", "-c", "fast", "-X", "stream", "-R", "--no-sync"],
            cwd=self.folder, stdin=subprocess.DEVNULL, check=True, **as_user(self.user))
        with open(self.folder / "data/postgresql.conf", "a") as conf:
            conf.write(CONFIGURATION.format(port=self.port, folder=self.folder) + "archive_mode = off\n")

    def catch_up(self):
        """Returns when the standby has replayed all that the primary has written by now."""
        # a record after the header of a new segment
        self.primary._ask("SELECT pg_logical_emit_message(true, 'catch_up', '')")
        at = self.primary._ask("SELECT pg_current_wal_insert_lsn()")
        wait_until(lambda: self._ask(f"SELECT pg_last_wal_replay_lsn() >= '{at}'") == "t", 60, "the standby behind")

    def lag(self):
        """Cuts the stream from the primary."""
        self._ask("ALTER SYSTEM SET primary_conninfo = ''")
        self._ask("SELECT pg_reload_conf()")
        wait_until(lambda: self._ask("SELECT count(*) FROM pg_stat_wal_receiver") == "0", 30, "the stream cut")

    def promote(self):
        self._ask("SELECT pg_promote()")
        wait_until(lambda: self._ask("SELECT pg_is_in_recovery()") == "f", 60, "the standby promoted")
