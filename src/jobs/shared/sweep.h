/* Removes rows with all rows that foreign keys would delete (ON DELETE CASCADE) or change (SET
 * NULL, SET DEFAULT) with them: each table's by a statement of its own, children first, so that the
 * audit records them (cascades.sql). They are counted (step_count_beside).
 *
 * Invariant: a row is removed only if nothing refers to it that the role may delete. It is locked
 * before the last check, so that no row can be inserted below it in between. Rows beyond `left`
 * stay for the next step.
 *
 * Threads: a worker. Ownership: texts and `gone` are the caller's.
 */
#pragma once
#include "pruned/job.h"

/* Rows of a table (%s) are left, and nothing more can be done. */
#define SWEEP_STAY                                                                                 \
  "rows of %s stay: a trigger or a rule keeps them, or rows refer to each other too deep or in a " \
  "circle"

typedef struct {
  Step *step;
  const char *catalogue; /* its stamp (catalogue.sql) */
  const char *user_id;   /* a parameter of conditions; NULL: unused */
  const char *projects, *namespaces, *groups, *members; /* array literals of ids, the same */
  const char *const *refused; /* tables whose rows must not be removed with others, ended by NULL */
  gint64 left;                /* rows that this step may still remove */
} Sweep;

/* Deletes the rows of RELATION that match CONDITION (on alias x<DEPTH>). *REMOVED: how many of
 * RELATION itself. Fails with a reason in the data if a refused table has such rows. */
gboolean sweep_rows (Sweep *sweep, const char *relation, const char *condition, int depth,
                     int *removed, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Removes and changes what lies below the rows of RELATION that match CONDITION (on alias x0). They
 * stay; the caller has locked them, and deletes them if `left` is more than 0 then: otherwise there
 * can be more. Without a key that leads to RELATION it costs nothing but a kept answer. Fails as
 * sweep_rows, and if rows stay. */
gboolean sweep_all_below (Sweep *sweep, const char *relation, const char *condition, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Counts what would go or change with the rows of RELATION that match CONDITION (on alias x0),
 * without them, and changes nothing; `left` is not used. A row that keys reach by two ways counts
 * twice. EXCEPT (array literal; NULL: none): the keys, as `table.column`, that the caller sees to
 * itself. */
gboolean sweep_foresee (const Sweep *sweep, const char *relation, const char *condition,
                        const char *except, GError **error) G_GNUC_WARN_UNUSED_RESULT;
