/* Rows that go only after their objects in a store (`object = s3:BUCKET column COL`): an errand of
 * three parts.
 *
 * lease: finds the page, and tries it as if no row had an object. What this does is rolled back: it
 * shows which rows PostgreSQL lets go. Their objects are noted, but for those that a row that stays
 * names as well.
 * act: the store deletes them, with no transaction open.
 * settle: tries the page again. A row goes if its object is surely gone, its condition still holds,
 * and its column still names that object. A row that waits is looked at again, by the same run.
 *
 * Invariant: no row goes before the store has said that its object is gone, and none of a row that
 * PostgreSQL would not delete is asked for. A process that dies in between leaves rows without
 * objects; the next step finds them absent, which counts as deleted.
 *
 * Threads: a worker; none while the store works. Ownership: the errand's.
 * Rules: docs/adding-a-job.md.
 */
#pragma once
#include "engine/work/object_rows.h"

/* Finds the page of STEP, tries it, rolls that back, and asks what belongs to the rows that would
 * go
 * (`named`). */
gboolean objects_choose (Step *step, ObjectRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The page of ROWS is done: the run of STEP goes on behind it, or ends. */
void objects_go_on (Step *step, const ObjectRows *rows);

extern const JobErrand objects_errand;
