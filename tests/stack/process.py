"""Child processes. They end with this process."""

import os
import pwd
import signal
import subprocess
import time

TIED = ("setpriv", "--pdeathsig", "KILL", "--")


def patient(deadline_s):
    """The deadline times TEST_PATIENCE. Deadlines only say when to give up; slow machines and
    sanitizers need longer ones."""
    return deadline_s * float(os.environ.get("TEST_PATIENCE", "1"))


def wait_until(fact, deadline_s, what, poll_s=None):
    """Calls fact() until its value is true, and returns it. TimeoutError: says what did not
    happen. POLL_S: the pause between two calls; None: a tenth of what has passed, so that tests
    that wait leave the processor to others."""
    deadline_s = patient(deadline_s)
    begin = time.monotonic()
    end = begin + deadline_s
    while True:
        value = fact()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"not within {deadline_s} s: {what() if callable(what) else what}")
        time.sleep(poll_s or min(max((time.monotonic() - begin) / 10, 0.02), 0.1))


def unprivileged_user():
    """The user for servers that refuse to run as root. None: the current user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise RuntimeError("neither a user postgres nor nobody on this machine")


def as_user(user):
    """Arguments of subprocess that run a child as USER."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def spawn(argv, *, user=None, outlive_us=False, **options):
    """Starts a child in a session of its own. Unless OUTLIVE_US is true, the kernel kills it when
    this process ends, in whatever way. A program says so to the kernel, because a function of this
    process would have it copied first, which takes longer than most commands."""
    return subprocess.Popen(
        [*(() if outlive_us else TIED), *(str(a) for a in argv)],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        **as_user(user),
        **options,
    )


def end_orderly(process, deadline_s):
    """Sends SIGTERM, and SIGKILL if the process has not ended by then."""
    process.terminate()
    try:
        process.wait(deadline_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def started_at(pid):
    """When the process was started: tells it from a later one with the same id. None: it has
    ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]


def tail(path, lines=30):
    try:
        with open(path, errors="replace") as log:
            return "".join(log.readlines()[-lines:])
    except FileNotFoundError:
        return ""


class Server:
    """A server: its process, its log, and a check that it is ready."""

    name = "server"
    start_deadline_s = 120

    def __init__(self, folder, outlive_us=False):
        self.folder = folder
        self.log = folder / f"{self.name}.log"
        self.outlive_us = outlive_us
        self.user = None
        self.process = None

    def argv(self):
        raise NotImplementedError

    def ready(self):
        raise NotImplementedError

    def environment(self):
        """None: the environment of this process."""
        return None

    def start(self):
        """Starts the server. After stop() or kill() it has the same data and ports."""
        self.launch()
        return self.wait_ready()

    def launch(self):
        self._log_from = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = spawn(
                self.argv(), user=self.user, outlive_us=self.outlive_us, env=self.environment(),
                cwd=self.folder, stdout=log, stderr=log,
            )

    def wait_ready(self):
        wait_until(self._ready_or_dead, self.start_deadline_s,
                   lambda: f"{self.name} ready\n{tail(self.log)}")
        return self

    def _ready_or_dead(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended at start\n{tail(self.log)}")
        return self.ready()

    def said(self, text):
        """Whether the log has TEXT since the last start."""
        with open(self.log, errors="replace") as log:
            log.seek(self._log_from)
            return text in log.read()

    def send(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM, deadline_s=60):
        if self.process:
            self.send(signal.SIGCONT)
            self.send(number)
            self.process.wait(deadline_s)

    def kill(self):
        self.stop(signal.SIGKILL)

    def freeze(self):
        """Stops the process without ending it, as a paused virtual machine does."""
        self.send(signal.SIGSTOP)

    def thaw(self):
        self.send(signal.SIGCONT)
