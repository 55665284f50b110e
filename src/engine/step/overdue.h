/* Rows that should have gone by now, and why each is still there. A row is due at the value of a
 * column plus an age (job_due.h), and overdue `deadline` after that: so the job's own condition is
 * not asked which rows these are, only why they stay.
 *
 * What is found is JSON, for the night (engine/night):
 *   deadline  as the setting has it
 *   state     why nothing is known: no index, a time-out, ... Then there is nothing of the rest
 *   missing   the table or the column is; other checks name that
 *   remedy    SQL that helps; absent: none is known
 *   rows      WHY -> how many overdue rows: of the 500 that have been due longest and the 500 that
 *             became due last, each; of those between them `not asked`. `goes`: nothing of their
 *             own keeps them, so it is the job's state that does
 *             `kept: unless`: those that the deadline's condition excuses (sentence_unless.h). No
 *             other figure has these
 *   oldest_s  how long the oldest row has been due for which no rule and no hold says that it
 *             stays; 0: none has been due for four fifths of the deadline
 *   oldest    the item of the overdue row that has been due longest of these; absent: none is
 *   late      how many rows are overdue, at most 10,000
 *   due, inflow  how many are due at all, and become due within a day; above 10,000 they are the
 *             planner's estimate (`estimated`)
 *   nulls     there are rows without a value there: these never become due
 *
 * Threads: that of the connection. Ownership: new references.
 */
#pragma once
#include "engine/job/job_due.h"

#define OVERDUE_MOST 10000 /* more rows are not counted */
#define OVERDUE_EXCUSED "kept: unless"
#define OVERDUE_KNOWN_S 600 /* what a process has found longer ago is not known any more */

/* What JOB, with SETTINGS as processes register them, says of it: {deadline, table, column, age,
 * age_table, age_column, unit}, texts. NULL: it has no deadline. */
json_t *overdue_rule (const Job *job, const json_t *settings);
/* Whether PostgreSQL takes the condition of JOB's deadline; TRUE if it has none. */
gboolean overdue_unless_is_taken (Pg *pg, const Job *job, const json_t *rule, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Looks for the rows of the job NAME by RULE, in read-only transactions whose statements take two
 * seconds at most. JOB NULL: no process has it, so no rule names its rows. NULL: PRUNED_OUTAGE. */
json_t *overdue_look (Pg *pg, const char *name, const Job *job, const json_t *rule, GError **error);
