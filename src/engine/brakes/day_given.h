/* What this process was given of the rows of a day (day.h), by key: that of a job, or of its runs
 * that events start.
 *
 * Threads: any. Ownership: keys are copied.
 */
#pragma once
#include <glib.h>

/* What a transaction was given beyond its own rows. */
typedef struct {
  char *key, *label; /* of the count that gave it; NULL: nothing */
  gint64 stamp, rows, age_us, fresh_us;
} DayGiven;

/* Whether the next step must count the rows of KEY: the first step of the process, the first one
 * after a while or with another limit (STAMP), and one that follows a refused step. *LEFT: ROWS are
 * left of what was given. */
gboolean day_given_is_to_count (const char *key, gint64 stamp, gint64 rows, gboolean *left);
/* Takes ROWS from what was given. FALSE: it is less, or the count LABEL did not give it. */
gboolean day_given_spend (const char *key, const char *label, gint64 rows);
/* A step was refused. */
void day_given_note_tight (const char *key);
gboolean day_given_is_tight (const char *key);
/* After the commit: GIVEN is for the process. Takes its label. */
void day_given_keep (DayGiven *given);
