/* What would go or change with a group beside what the job names: rows that only foreign keys tie
 * to it. They are counted by the conditions with which they go (references.sql). A row that is tied
 * both to a project and to a group counts twice; rows more than six keys away, or below a row of
 * their own table, and what is tied to more than 10,000 groups or projects, are not counted.
 *
 * Threads: a worker. Ownership: none.
 */
#pragma once
#include "pruned/job.h"

/* N rows of TABLE would be deleted (else: changed). */
typedef void (*ForeseeVisit) (const char *table, gboolean deleted, gint64 n, gpointer data);
/* For each table and action. It only reads. */
gboolean foresee_doomed (Step *step, const char *group, ForeseeVisit visit, gpointer data,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
