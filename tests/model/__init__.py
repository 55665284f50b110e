"""What each job must do, written a second time: in plain Python, from docs/jobs and docs/rules.md
alone. See README.md."""

from .compare import compare, compare_children, compare_outcomes, compare_result
from .db import Db, empty, load
from .expected import Child, Expected
from .run import run_job, run_to_end

__all__ = ["Child", "Db", "Expected", "compare", "compare_children", "compare_outcomes", "compare_result", "empty",
           "load", "run_job", "run_to_end"]
