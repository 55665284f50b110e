/* What is left of a run that is divided, as its cursor has it under RUN_RANGES:
 *
 *   until     the key at which the range ends, which is in it; none: the range has no end
 *   then      the ranges that follow in the same chain: each with `from`, behind which it begins,
 *             and `until`
 *   beside    other lanes work off ranges of the run
 *   gather    the run takes them in: no further page of theirs begins
 *   over      the run's own range is done
 *   quota     so many rows may the run's row, or that of the range, have changed; none: any number
 *   approved  the run was approved when it was divided
 *
 * Threads: a value belongs to one thread. Ownership: as said.
 */
#pragma once
#include "engine/ledger/run.h"

/* Parameters of page_until, the key at which RUN's range ends. FALSE: it has no end. */
gboolean ranges_bind (const Run *run, PgValues *values);
/* Puts what RUN's cursor says of its ranges in CURSOR. */
void ranges_carry (const Run *run, json_t *cursor);
/* The cursor of the first of RANGES, with the others behind it. NULL: there are none. New
 * reference. */
json_t *ranges_cursor (const json_t *ranges);
/* The cursor of the range that follows the one of RUN in the same chain. NULL: none does. New
 * reference. */
json_t *ranges_next (const Run *run);
/* What is left of the range that CURSOR is in. New reference. */
json_t *ranges_left (const Job *job, const json_t *cursor);
/* The ranges that follow it in the same chain. NULL: none. */
const json_t *ranges_then (const json_t *cursor);

/* It is a range that is worked off beside its run, or a run with such ranges. */
gboolean ranges_beside (const Run *run);
gboolean ranges_has (const Run *run, const char *key);
/* How many rows its row may have changed; -1: any number. */
gint64 ranges_quota (const Run *run);
