"""Sentences over tables that are not as they expect, with the results that are expected, written by
hand from docs/adding-a-job.md."""

FLAG = "CREATE TABLE {t} (id bigint PRIMARY KEY, dead boolean, note text); INSERT INTO {t} VALUES (1, true, 'a'), (2, false, 'b'), (3, NULL, 'c'), (4, true, 'd')"


def flag(table):
    return FLAG.format(t=table)


class Attack:
    """SQL, the sentence, what the run says (counters, or a part of why it is blocked), rows left by
    table, and the keys in the audit."""

    def __init__(self, sql, sentence, says, left, audited=None, back=True):
        self.sql, self.sentence, self.says, self.left, self.audited, self.back = sql, sentence, says, left, audited, back


def removed(n, **more):
    return {"removed": n, "updated_rows": n} | more


def changed(n, **more):
    return {"changed": n, "updated_rows": n} | more


def differences(house, attacks):
    """The cases whose result differs from the expected one. All jobs run in one installation."""
    for name, attack in attacks.items():
        house.sql(attack.sql)
        house.say(name, attack.sentence)
    before = {name: {table: content(house, table) for table in attack.left} for name, attack in attacks.items()}
    plans = {name: planned(house, name) for name in attacks}
    runs = dict(zip(attacks, house.tick(*attacks)))
    wrong = []

    def expect(name, what, got, wanted):
        if got != wanted:
            wrong.append(f"{name}: {what}: {got} instead of {wanted}; {runs[name]['result']} {runs[name].get('last_error')}")
    for name, attack in attacks.items():
        run = runs[name]
        result = dict(run["result"] or {})
        left = {table: house.database.column(query(table)) for table in attack.left}
        expect(name, "left", left, attack.left)
        if isinstance(attack.says, str):
            expect(name, "blocked", (result.get("status"), attack.says in str(result.get("reason"))), ("blocked", True))
            expect(name, "audit", house.keys(run["run_id"]), [])
            continue
        counters = {k: v for k, v in result.items() if v not in (0, "completed") and k != "status"}
        expect(name, "says", (run["state"], result.get("status"), counters), ("finished", "completed" if set(counters) != {"failed"} else "failed", attack.says))
        if attack.audited is not None:
            expect(name, "audit", sorted(house.keys(run["run_id"]), key=str), sorted(attack.audited, key=str))
        done = attack.says.get("removed", 0) + attack.says.get("changed", 0) + attack.says.get("failed", 0)
        expect(name, "plan", plans[name], done)
    for name, attack in attacks.items():
        if attack.back and not isinstance(attack.says, str) and house.keys(runs[name]["run_id"]):
            done = house.pruned.run("restore", str(runs[name]["run_id"]), "--json")
            expect(name, "restore", done.code, 0)
            expect(name, "back", {table: content(house, table) for table in attack.left}, before[name])
            if done.code:
                wrong.append(f"{name}: {done.stdout} {done.stderr}")
    return wrong


def query(table):
    return table if table.startswith("SELECT") else f"SELECT id FROM {table} ORDER BY id"


def content(house, table):
    if table.startswith("SELECT"):
        return house.database.column(table)
    return house.database.column(f"SELECT t::text FROM {table} AS t ORDER BY 1")


def planned(house, name):
    done = house.pruned.run("plan", name, "--rows", "--json")
    if done.code:
        return f"exit {done.code}"
    return sum(line["action"] in ("removed", "changed") for line in done.json() if "key" in line)


def gone(table, *keys, action="deleted"):
    return [(table, action, key) for key in keys]
