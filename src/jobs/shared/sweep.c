#include "jobs/shared/sweep.h"

#include "jobs/shared/sweep_private.h"

/* Rows of these tables (one a line) can have been removed by their key. */
static void
warn_unseen (const Sweep *sweep, const char *tables)
{
  g_auto (GStrv) names = g_strsplit (tables, "\n", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    json_t *fields = json_pack ("{s:s}", "table", names[i]);
    if (sweep->user_id != NULL)
      json_object_set_new (fields, "user_id",
                           json_integer (g_ascii_strtoll (sweep->user_id, NULL, 10)));
    step_log (sweep->step, LOG_WARNING,
              "No right to delete rows of this table: grant SELECT, UPDATE and DELETE", fields);
  }
}

static gboolean
sweep_below (Sweep *sweep, const PgRows *below, int depth, GError **error)
{
  int removed;
  for (int i = 0; i < rows_count (below) && sweep->left > 0; i++)
    if (!sweep_rows (sweep, rows_text (below, i, "relation"), rows_text (below, i, "condition"),
                     depth + 1, &removed, error))
      return FALSE;
  return TRUE;
}

#define TURNS 10 /* of changes; more are a trigger's doing, which sets them back */

/* Changes the rows that a key would change, each table's by a statement of its own. *ANY: there
 * were some; after TURNS that is an error. */
static gboolean
sweep_changes (Sweep *sweep, const char *probe, int turn, gboolean *any, GError **error)
{
  g_autoptr (PgRows) changes
      = step_query_text (sweep->step, error, probe, SWEEP_NAMED (sweep), NULL);
  if (changes == NULL)
    return FALSE;
  *any = rows_count (changes) > 0;
  if (*any && turn == TURNS)
    return step_fail (sweep->step, error, PRUNED_DATA,
                      "rows of %s that refer to rows that are to be deleted do not change (a "
                      "trigger or a rule keeps them)",
                      rows_text (changes, 0, "table_name"));
  for (int i = 0; i < rows_count (changes) && sweep->left > 0; i++) {
    g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
    g_autoptr (PgRows) changed = step_apply_text (
        sweep->step, error, rows_text (changes, i, "table_name"), "updated",
        rows_text (changes, i, "sql"), SWEEP_NAMED (sweep), "limit", limit, NULL);
    if (changed == NULL)
      return FALSE;
    sweep->left -= rows_count (changed);
    step_count_beside (sweep->step, rows_text (changes, i, "table_name"), FALSE,
                       rows_count (changed));
  }
  return TRUE;
}

/* Repeats, because the application can insert such rows meanwhile. */
static gboolean
sweep_all_changes (Sweep *sweep, const PgRows *made, GError **error)
{
  const char *probe = rows_text (made, 0, "changes");
  gboolean any = probe != NULL;
  gint64 before = sweep->left + 1;
  for (int turn = 0; any && sweep->left > 0 && sweep->left < before; turn++) {
    before = sweep->left;
    if (!sweep_changes (sweep, probe, turn, &any, error))
      return FALSE;
  }
  return TRUE;
}

/* What is asked before rows are removed, in this order. */
enum { BELOW, HELD, CHANGED, QUESTIONS };
static const char *const questions[] = { "probe", "hold", "changes" };
#define ASK(question) (1u << (question))
#define ASK_ALL (ASK (BELOW) | ASK (HELD) | ASK (CHANGED))

/* Asks WHICH of them, in one round trip. ANSWERS: NULL where there is nothing to ask. */
static gboolean
ask (Sweep *sweep, const PgRows *made, guint which, GPtrArray **all, const PgRows **answers,
     GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
  for (guint i = 0; i < QUESTIONS; i++) {
    const char *sql = (which & ASK (i)) != 0 ? rows_text (made, 0, questions[i]) : NULL;
    if (sql != NULL
        && !step_queue_text (sweep->step, error, sql, SWEEP_NAMED (sweep), "limit", limit, NULL))
      return FALSE;
  }
  g_clear_pointer (all, g_ptr_array_unref);
  if ((*all = step_send (sweep->step, error)) == NULL)
    return FALSE;
  for (guint i = 0, n = 0; i < QUESTIONS; i++)
    answers[i] = (which & ASK (i)) != 0 && rows_text (made, 0, questions[i]) != NULL
                     ? (*all)->pdata[n++]
                     : NULL;
  return TRUE;
}

static gboolean
queue_removal (Sweep *sweep, const PgRows *made, GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
  return step_queue_apply_text (sweep->step, error, rows_text (made, 0, "table_name"), "deleted",
                                rows_text (made, 0, "remove"), SWEEP_NAMED (sweep), "limit", limit,
                                NULL);
}

static gboolean
remove_rows (Sweep *sweep, const PgRows *made, gint64 *gone, GError **error)
{
  g_autoptr (GPtrArray) all
      = queue_removal (sweep, made, error) ? step_send (sweep->step, error) : NULL;
  if (all == NULL)
    return FALSE;
  *gone = rows_int (all->pdata[0], 0, "n");
  sweep->left -= *gone;
  return TRUE;
}

/* Nothing refers to the table: its rows are locked and removed in one round trip. */
static gboolean
remove_alone (Sweep *sweep, const PgRows *made, gint64 *gone, gboolean *again, GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
  gboolean queued = step_queue_text (sweep->step, error, rows_text (made, 0, "hold"),
                                     SWEEP_NAMED (sweep), "limit", limit, NULL)
                    && queue_removal (sweep, made, error);
  g_autoptr (GPtrArray) all = queued ? step_send (sweep->step, error) : NULL;
  if (all == NULL)
    return FALSE;
  *gone = rows_int (all->pdata[1], 0, "n");
  *again = *gone < rows_int (all->pdata[0], 0, "held");
  sweep->left -= *gone;
  return TRUE;
}

/* Removes what is below, locks the rows to which nothing refers then, changes rows that a key would
 * change, and removes the rows. *AGAIN: not all locked rows were removed. */
static gboolean
sweep_once (Sweep *sweep, const PgRows *made, int depth, gint64 *gone, gboolean *again,
            GError **error)
{
  const PgRows *answers[QUESTIONS];
  g_autoptr (GPtrArray) all = NULL;
  *gone = 0;
  *again = FALSE;
  if (rows_text (made, 0, "probe") == NULL && rows_text (made, 0, "changes") == NULL
      && rows_text (made, 0, "hold") != NULL)
    return remove_alone (sweep, made, gone, again, error);
  if (!ask (sweep, made, depth < SWEEP_DEPTH ? ASK_ALL : ASK_ALL & ~ASK (BELOW), &all, answers,
            error))
    return FALSE;
  if (answers[BELOW] != NULL && rows_count (answers[BELOW]) > 0) {
    if (!sweep_below (sweep, answers[BELOW], depth, error))
      return FALSE;
    if (sweep->left > 0 && !ask (sweep, made, ASK_ALL & ~ASK (BELOW), &all, answers, error))
      return FALSE;
  }
  if (sweep->left <= 0)
    return TRUE;
  /* Without the right to lock, nothing is known. */
  gint64 held = answers[HELD] != NULL ? rows_int (answers[HELD], 0, "held") : sweep->left;
  if (held > 0 && answers[CHANGED] != NULL && rows_count (answers[CHANGED]) > 0
      && !sweep_all_changes (sweep, made, error))
    return FALSE;
  if (held > 0 && sweep->left > 0 && !remove_rows (sweep, made, gone, error))
    return FALSE;
  *again = *gone < held && answers[HELD] != NULL;
  return TRUE;
}

const PgRows *
sweep_statements (const Sweep *sweep, const char *relation, const char *condition, int depth,
                  const char *except, GError **error)
{
  g_autofree char *level = g_strdup_printf ("%d", depth);
  return step_query_kept (sweep->step, sweep->catalogue, error, "../shared/cascades", "relation",
                          relation, "condition", condition, "depth", level, "except", except, NULL);
}

gboolean
sweep_rows (Sweep *sweep, const char *relation, const char *condition, int depth, int *removed,
            GError **error)
{
  *removed = 0;
  if (depth > 0 && g_strv_contains (sweep->refused, relation))
    return step_fail (
        sweep->step, error, PRUNED_DATA,
        "rows of %s refer, by a foreign key with ON DELETE CASCADE, to rows that are to be deleted; they would be deleted "
        "without an outcome: move or delete them first, then `pruned retry`",
        relation);
  const PgRows *made = sweep_statements (sweep, relation, condition, depth, NULL, error);
  if (made == NULL)
    return FALSE;
  gint64 before, gone;
  gboolean again, first = TRUE;
  /* Rows that came below a row before its lock are removed first: once more, as long as that
   * helps. */
  do {
    before = sweep->left;
    if (!sweep_once (sweep, made, depth, &gone, &again, error))
      return FALSE;
    *removed += (int)gone;
    again = again && sweep->left > 0 && (first || sweep->left < before);
    first = FALSE;
  } while (again);
  if (depth > 0) /* else they are the caller's */
    step_count_beside (sweep->step, rows_text (made, 0, "table_name"), TRUE, *removed);
  if (*removed > 0 && rows_text (made, 0, "unseen") != NULL)
    warn_unseen (sweep, rows_text (made, 0, "unseen"));
  return TRUE;
}

/* One turn: *ANY: there were rows. FALSE with an error, also if the turn before, at BEFORE, has
 * left them. */
static gboolean
sweep_turn (Sweep *sweep, const PgRows *made, gint64 before, gboolean *any, GError **error)
{
  const PgRows *answers[QUESTIONS];
  g_autoptr (GPtrArray) all = NULL;
  if (!ask (sweep, made, ASK (BELOW) | ASK (CHANGED), &all, answers, error))
    return FALSE;
  gboolean below = answers[BELOW] != NULL && rows_count (answers[BELOW]) > 0,
           changed = answers[CHANGED] != NULL && rows_count (answers[CHANGED]) > 0;
  *any = below || changed;
  if (*any && sweep->left == before)
    return step_fail (sweep->step, error, PRUNED_DATA, SWEEP_STAY,
                      below ? rows_text (answers[BELOW], 0, "relation")
                            : rows_text (answers[CHANGED], 0, "table_name"));
  return (!below || sweep_below (sweep, answers[BELOW], 0, error))
         && (!changed || sweep->left <= 0 || sweep_all_changes (sweep, made, error));
}

gboolean
sweep_all_below (Sweep *sweep, const char *relation, const char *condition, GError **error)
{
  const PgRows *made = sweep_statements (sweep, relation, condition, 0, NULL, error);
  if (made == NULL)
    return FALSE;
  if (rows_text (made, 0, "unseen") != NULL)
    warn_unseen (sweep, rows_text (made, 0, "unseen"));
  gboolean any = rows_text (made, 0, "probe") != NULL || rows_text (made, 0, "changes") != NULL;
  for (gint64 before = -1, now = sweep->left; any && sweep->left > 0; before = now) {
    now = sweep->left;
    if (!sweep_turn (sweep, made, before, &any, error))
      return FALSE;
  }
  return TRUE;
}
