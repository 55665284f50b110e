"""The real binary: runs its commands; starts, watches, stops and kills its daemon."""

import json
import os
import pathlib
import re
import signal
import subprocess
from dataclasses import dataclass

from promises import record_kill
from stack.found import HERE as STACK
from stack.found import PROJECT
from stack.process import patient, spawn, tail, wait_until

from .places import binary, binary_with_faults

# What a sanitizer or GLib prints when it finds an error.
UNCLEAN = re.compile(
    r"ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:|GLib.*-CRITICAL")


def clean_environment(**more):
    """The environment without PRUNED_ variables of whoever runs the tests: the binary refuses
    unknown ones."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PRUNED_")}
    # What was freed counts as the process's memory, of which it allows a batch only a part.
    kept["ASAN_OPTIONS"] = "abort_on_error=0:exitcode=99:detect_leaks=1:quarantine_size_mb=32"
    kept["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1:exitcode=99"
    kept["LSAN_OPTIONS"] = f"suppressions={STACK}/lsan.supp:print_suppressions=0"
    # ThreadSanitizer cannot see how libraries synchronize that were not built for it.
    kept["TSAN_OPTIONS"] = (f"suppressions={STACK}/tsan.supp:exitcode=99:second_deadlock_stack=1:"
                            "ignore_noninstrumented_modules=1")
    kept["G_SLICE"] = "always-malloc"
    return kept | {k: str(v) for k, v in more.items()}


@dataclass
class Result:
    command: list
    code: int
    stdout: str
    stderr: str

    def json(self):
        """The output of `--json`: one object a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    def ok(self):
        assert self.code == 0, f"{self}"
        return self

    def __str__(self):
        return (f"pruned {' '.join(self.command)} ended with {self.code}\n"
                f"stdout: {self.stdout[-4000:]}\nstderr: {self.stderr[-4000:]}")


class Daemon:
    """`pruned run` with a JSON log in a file. With OUT it writes there instead; whoever reads OUT
    fills the file."""

    def __init__(self, name, argv, environment, log, out=None):
        self.name, self.log = name, log
        with out or open(log, "ab") as out:
            self.process = spawn(argv, env=environment, stdout=out, stderr=out)

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process.poll() is None

    # --- its log

    def text(self):
        return self.log.read_text(errors="replace")

    def lines(self, message=None, **fields):
        """The log lines with this message (a text or a pattern) and these fields, as objects."""
        found = []
        for line in self.text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and _matches(entry, message, fields):
                found.append(entry)
        return found

    def wait_line(self, message=None, *, deadline_s=30, count=1, **fields):
        """Waits for the COUNT-th such log line, and returns it."""

        def fact():
            found = self.lines(message, **fields)
            if len(found) < count and not self.running:
                found = self.lines(message, **fields)
                if len(found) < count:
                    raise RuntimeError(f"{self.name} ended with {self.process.returncode} before "
                                       f"saying {message!r} {fields}\n{tail(self.log)}")
            return found[count - 1] if len(found) >= count else None

        return wait_until(fact, deadline_s,
                          lambda: f"line {message!r} {fields} of {self.name}\n{tail(self.log)}")

    # --- signals

    def send(self, number):
        if self.running:
            self.process.send_signal(number)

    def blocks(self, number):
        """Whether the main thread blocks this signal. A process that has ended blocks none."""
        try:
            with open(f"/proc/{self.pid}/status") as status:
                blocked = next((line.split()[1] for line in status if line.startswith("SigBlk")), "0")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return bool(int(blocked, 16) >> (number - 1) & 1)

    def freeze(self):
        """Stops the process. Returns when all its threads have stopped."""
        self.send(signal.SIGSTOP)
        self.wait_stopped()

    def wait_stopped(self):
        wait_until(lambda: self._state() in ("T", None), 30, lambda: f"{self.name} stopped\n{tail(self.log)}")

    def thaw(self):
        self.send(signal.SIGCONT)

    def _state(self):
        try:
            with open(f"/proc/{self.pid}/stat") as stat:
                return stat.read().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return None

    def kill(self):
        """Kills the process (SIGKILL) and waits for its end."""
        self.send(signal.SIGKILL)
        return self.process.wait(30)

    def stop(self, deadline_s=30):
        """Ends the process orderly (SIGTERM). Returns the exit code."""
        self.thaw()
        self.send(signal.SIGTERM)
        return self.wait(deadline_s)

    def wait(self, deadline_s=60):
        """Waits until the process ends by itself. Returns the exit code."""
        try:
            return self.process.wait(patient(deadline_s))
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self.name} still runs after {deadline_s} s\n{tail(self.log)}") from None


def _matches(entry, message, fields):
    said = entry.get("message", "")
    if isinstance(message, re.Pattern):
        if not message.search(said):
            return False
    elif message is not None and message != said:
        return False
    return all(name in entry and entry[name] == value for name, value in fields.items())


SERVICE_TOPICS = ("ticks", "events", "outcomes", "dead", "clock")
_layouts = {}  # of topics, by the settings that they follow from
# A daemon that only waits asks Kafka less often; a message that comes ends the question at once.
IDLE = {"kafka.fetch.wait.max.ms": 50}


class Pruned:
    """One installation: a database, a topic prefix, settings; any number of daemons.

    Settings are given as `{"jobs.users.destroy.capacity": 2}` and reach the binary as -s."""

    def __init__(self, folder, database, topics, settings=None, environment=None):
        self.folder, self.database, self.topics = folder, database, topics
        self.binary = binary()
        assert self.binary.exists(), f"{self.binary} is not there: make"
        self.environment = environment or {}
        self.settings = {
            "postgres.url": database.role_url,
            "kafka.bootstrap.servers": topics.bootstrap,
            "topics.prefix": topics.prefix,
            "log.format": "json",
            "run.mode": "apply",  # a new installation begins with plan
        } | (settings or {})
        self.configuration = folder / "pruned.conf"
        self.configuration.write_text("")
        self.daemons = []

    def with_faults(self, at_once=1):
        """From now on it has fault points: `start(environment={"PRUNED_FAULT": ...})`. AT_ONCE: how
        many daemons run side by side."""
        self.binary = binary_with_faults()
        assert self.binary.exists(), f"{self.binary} is not there: make FAULTS=1"
        return self.run_at_once(at_once)

    def run_at_once(self, number):
        """From now on so many daemons run side by side. A single one is a static member of its
        group, so that the next one gets the partitions of a killed one at once and not after its
        session."""
        self.settings["kafka.group.instance.id"] = "the one process" if number == 1 else None
        return self

    def argv(self, *arguments, settings=None):
        overrides = []
        for name, value in (self.settings | (settings or {})).items():
            if value is not None:
                overrides += ["-s", f"{name}={_setting(value)}"]
        return [str(self.binary), "-c", str(self.configuration), *overrides,
                *(str(a) for a in arguments)]

    def run(self, *arguments, settings=None, environment=None, deadline_s=60, stdin=None):
        """Runs a command to its end."""
        done = subprocess.run(
            self.argv(*arguments, settings=settings),
            env=clean_environment(**self.environment, **(environment or {})),
            input=stdin, stdin=subprocess.DEVNULL if stdin is None else None, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=patient(deadline_s))
        assert not UNCLEAN.search(done.stderr), done.stderr
        return Result([str(a) for a in arguments], done.returncode, done.stdout, done.stderr)

    def make_topics(self):
        """The topics that `pruned topics --apply` makes; with `[topics] create` those of the jobs
        are left to the daemon. The first of the installations with the same settings and jobs runs
        the command; the others get the same topics without a process, and the first daemon writes
        down whose they are."""
        create, jobs = self.settings.get("topics.create") == "on", self.settings.get("run.jobs_dir")
        if not create and jobs and not pathlib.Path(jobs).is_relative_to(PROJECT):
            self.run("topics", "--apply").ok()
            return
        of_jobs = [name for name in self.settings if create and name.startswith(("jobs.", "run.jobs"))]
        left_out = {"postgres.url", "kafka.bootstrap.servers", "topics.prefix", *of_jobs}
        same = tuple(sorted((name, str(value)) for name, value in self.settings.items() if name not in left_out))
        if same in _layouts:
            self.topics.make_all(_layouts[same])
            return
        self.run("topics", "--apply", settings=dict.fromkeys(of_jobs) | ({"run.jobs": "none"} if create else {})).ok()
        _layouts[same] = self.topics.layout(lambda name: name in SERVICE_TOPICS or name.startswith("work."))

    def migrate(self, *arguments):
        """Runs `pruned migrate` as the owner of the database: the daemon's role must not."""
        return self.run("migrate", *arguments, settings={"postgres.url": self.database.url}).ok()

    def start(self, *arguments, name=None, settings=None, environment=None, out=None):
        """Starts a daemon and does not wait for it. Tests wait for facts in the database, a topic
        or its log."""
        name = name or f"daemon-{len(self.daemons) + 1}"
        if "--embedded-kafka" not in arguments:
            settings = {key: value for key, value in IDLE.items() if key not in self.settings} | (settings or {})
        if environment and "PRUNED_FAULT" in environment:
            record_kill(environment["PRUNED_FAULT"])
        daemon = Daemon(
            name, self.argv("run", *arguments, settings=settings),
            clean_environment(**self.environment, **(environment or {})),
            self.folder / f"{name}.log", out)
        self.daemons.append(daemon)
        return daemon

    def run_until_idle(self, *, settings=None, environment=None, deadline_s=60):
        """Does all work that is due now. Returns the daemon that did it."""
        daemon = self.start("--until-idle", settings=settings, environment=environment)
        code = daemon.wait(deadline_s)
        assert code == 0, f"{daemon.name} ended with {code}\n{tail(daemon.log)}"
        return daemon

    # --- runs

    def run_row(self, run_id):
        """The run's row, from the ledger or from its archive."""
        return self.database.row(
            "SELECT * FROM pruned.runs WHERE run_id = %(id)s UNION ALL "
            "SELECT * FROM pruned.runs_done WHERE run_id = %(id)s", {"id": run_id})

    def wait_run(self, run_id, *states, deadline_s=30):
        """Waits until the run is in one of STATES (default: has ended). Returns its row."""
        states = states or ("finished", "dead", "skipped")

        def fact():
            row = self.run_row(run_id)
            return row if row and row["state"] in states else None

        return wait_until(fact, deadline_s, lambda: f"run in {states}, is {self.run_row(run_id)}")

    # --- the end

    def close(self):
        """Ends all daemons. Returns complaints about those that did not end cleanly."""
        complaints = []
        for daemon in self.daemons:
            if daemon.running:
                complaints += self._end(daemon)
            unclean = UNCLEAN.search(daemon.text())
            if unclean:
                complaints.append(f"{daemon.name}: {daemon.text()[unclean.start():][:6000]}")
        return complaints

    def _end(self, daemon):
        try:
            code = daemon.stop()
        except TimeoutError as error:
            daemon.kill()
            return [str(error)]
        if code == -signal.SIGTERM and not daemon.lines("Started"):
            return []  # the signal came before the daemon was ready for it
        return [] if code == 0 else [f"{daemon.name} ended with {code} on SIGTERM\n{tail(daemon.log)}"]


def _setting(value):
    return str(value).lower() if isinstance(value, bool) else value
