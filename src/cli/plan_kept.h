/* A plan as it is shown, kept (`pruned.plans`) and compared: its lines, counted by table, action
 * and rule.
 *
 * Threads: main only. Ownership: plan_lines_free frees all.
 */
#pragma once
#include "cli/cli.h"

/* A reason with a digit in it is about a single line, and no rule. */
typedef struct {
  char *table, *action, *rule; /* RULE "": none */
  gint64 rows;
} PlanCount;

typedef struct {
  GPtrArray *counts; /* of PlanCount, in the order of their first line */
  GHashTable *index; /* of the counts */
  json_t *lines;     /* {table: {action: {reason: [keys]}}}; NULL: too many to keep */
  gint64 n;
} PlanLines;

PlanLines *plan_lines_new (void);
void plan_lines_free (PlanLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PlanLines, plan_lines_free)
void plan_lines_add (PlanLines *lines, const char *table, const char *key, const char *action,
                     const char *reason);

/* The last kept plan of JOB: its lines, and when it was made (*AT, g_free it). NULL without ERROR:
 * none is kept. */
PlanLines *plan_last (Pg *pg, const Job *job, char **at, GError **error);
gboolean plan_keep (Pg *pg, const Job *job, gint64 at_us, const PlanLines *lines, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* One line that differs between two plans. A NULL action: the plan has no such line. */
typedef struct {
  const char *table, *key, *was_action, *was_reason, *action, *reason;
} PlanDifference;
typedef void (*PlanDiffer) (const PlanDifference *difference, gpointer data);
/* Visits all lines that differ. FALSE: one of the plans has not kept its lines. */
gboolean plan_compare (const PlanLines *was, const PlanLines *now, PlanDiffer differ,
                       gpointer data);
