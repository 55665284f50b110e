"""Seeds of tests with odd inputs. FUZZ_SEED chooses other inputs (the seed of a failure is
printed); FUZZ_SECONDS: run for that time, one seed after the other (`make fuzz`)."""

import os
import time

SEED = int(os.environ.get("FUZZ_SEED", 15))
SECONDS = float(os.environ.get("FUZZ_SECONDS", 0))


def with_seeds(part):
    """Calls PART with one seed after the other, with at least one."""
    until, seed = time.monotonic() + SECONDS, SEED
    while True:
        try:
            part(seed)
        except BaseException:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]
            print(f"again: FUZZ_SEED={seed} make check ARGS='tests/{test}'")
            raise
        seed += 1
        if time.monotonic() >= until:
            break
