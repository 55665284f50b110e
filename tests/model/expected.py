"""What a run must announce and start, besides its changes of the database."""

from dataclasses import dataclass, field

# users.destroy of the same user, ... : the child key, and with the job's name the unique key.
CHILD_KEYS = {
    "users.destroy": "user_id",
    "users.delete_placeholder": "placeholder_user_id",
    "groups.destroy": "group_id",
    "ci.delete_objects": "slot",
}


@dataclass
class Child:
    job: str
    args: dict
    delay_s: float = 0  # counted from the parent's start

    @property
    def child_key(self):
        name = CHILD_KEYS.get(self.job)
        return str(self.args[name]) if name else self.job

    @property
    def unique_key(self):
        return f"{self.job}:{self.child_key}" if self.job in CHILD_KEYS else self.job


@dataclass
class Expected:
    """`result` has the counters that the rules of the job determine; a real result may have more.
    `outcomes` are dicts with `type` and the fields of the record."""

    state: str = "finished"
    result: dict = field(default_factory=dict)
    outcomes: list = field(default_factory=list)
    children: list = field(default_factory=list)
    quarantine: list = field(default_factory=list)  # items
    log: list = field(default_factory=list)         # dicts: level, message, fields

    def count(self, counter, by=1):
        self.result[counter] = self.result.get(counter, 0) + by

    def announce(self, record, **fields):
        self.outcomes.append({"type": record, **fields})

    def start(self, job, delay_s=0, **args):
        """Starts one child for each key, however often it is called."""
        child = Child(job, {name: value for name, value in args.items() if value is not None}, delay_s)
        if child.unique_key not in [c.unique_key for c in self.children]:
            self.children.append(child)
            return True
        return False

    def say(self, level, message, **fields):
        self.log.append({"level": level, "message": message, **fields})


def result(*counters):
    return Expected(result={"status": "completed", **dict.fromkeys(counters, 0)})


def blocked():
    return Expected(result={"status": "blocked"})
