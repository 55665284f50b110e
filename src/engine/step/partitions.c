#include "engine/step/partitions.h"

#include "base/fault.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/sentence_partitions.h"
#include "engine/step/find.h"
#include "engine/step/read_back.h"
#include "engine/step/partitions_noted.h"
#include "engine/step/decide.h"

#include <string.h>

/* --- the detach --- */

static const JobApply *
file_of (const Step *step, guint file)
{
  return &g_array_index (job_what (step->job, "removed")->apply, JobApply, file);
}

/* Only one partition of a table can be half detached: with one, nothing is detached concurrently.
 */
static int
next_to_detach (const PgRows *rows)
{
  int next = -1;
  for (int i = 0; i < rows_count (rows); i++) {
    if (partitions_noted_is (rows, i, "pending"))
      return -1;
    if (next < 0 && partitions_noted_is (rows, i, "attached") && !rows_bool (rows, i, "beside"))
      next = i;
  }
  return next;
}

/* The step goes on when row I is detached. */
static gboolean
ask_for_detach (Step *step, const PgRows *rows, int i, GError **error)
{
  const char *table = rows_text (rows, i, "table"), *partition = rows_text (rows, i, "partition"),
             *stranger = rows_text (rows, i, "stranger");
  if (stranger != NULL)
    return step_block (
        step, error,
        "another session has left %s half detached, and PostgreSQL detaches no other partition "
        "until it is finished: run ALTER TABLE %s DETACH PARTITION %s FINALIZE",
        stranger, table, stranger);
  g_free (step->outside);
  g_free (step->outside_relid);
  step->outside_relid = g_strdup (rows_text (rows, i, "relid"));
  step->outside
      = g_strdup_printf ("ALTER TABLE %s DETACH PARTITION %s CONCURRENTLY", table, partition);
  return step_fail (step, error, PRUNED_BUSY, "%s is to be detached", partition);
}

/* --- locks, and the DROP --- */

/* Takes CAUSE. A statement that took too long is tried again later, uncharged. The error names the
 * statement, because the other partitions wait for it. */
static gboolean
give_way (const Step *step, const char *sql, GError *cause, GError **error)
{
  if (g_str_equal (pg_sqlstate (step->pg), "57014"))
    cause->code = PRUNED_BUSY;
  if (cause->code == PRUNED_BUSY)
    g_prefix_error (&cause, "%s gave way to other sessions that use the table: ", sql);
  g_propagate_error (error, cause);
  return FALSE;
}

/* A statement that locks. */
static gboolean
run_briefly (Step *step, const char *sql, GError **error)
{
  GError *cause = NULL;
  return pg_exec (step->pg, sql, &cause) || give_way (step, sql, cause, error);
}

/* After it the partition is detached, and locked. */
static gboolean
take_off (Step *step, const PgRows *rows, int i, GError **error)
{
  const char *table = rows_text (rows, i, "table"), *partition = rows_text (rows, i, "partition");
  g_autofree char *sql
      = partitions_noted_is (rows, i, "detached")
            ? g_strdup_printf ("LOCK TABLE %s IN ACCESS EXCLUSIVE MODE", partition)
            : g_strdup_printf ("ALTER TABLE %s DETACH PARTITION %s%s", table, partition,
                               partitions_noted_is (rows, i, "pending") ? " FINALIZE" : "");
  return (!partitions_noted_is (rows, i, "attached")
          || partitions_noted_mark (step, rows_text (rows, i, "relid"), error))
         && run_briefly (step, sql, error);
}

static gboolean
set_limits (Step *step, const char *lock, const char *statement, GError **error)
{
  g_autofree char *first = g_strdup_printf ("SET LOCAL lock_timeout = '%s'", lock),
                  *second = g_strdup_printf ("SET LOCAL statement_timeout = '%s'", statement);
  return pg_exec (step->pg, first, error) && pg_exec (step->pg, second, error);
}

/* Those that are half or wholly detached. Else the first: the table is locked until the commit, and
 * two would take twice as long. */
static gboolean
take_off_some (Step *step, const PgRows *rows, GError **error)
{
  int n = 0;
  if (!set_limits (step, PARTITIONS_LOCK, PARTITIONS_LOCK, error))
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++)
    if (partitions_noted_is (rows, i, "detached") || partitions_noted_is (rows, i, "pending")) {
      n++;
      if (!take_off (step, rows, i, error))
        return FALSE;
    }
  for (int i = 0; n == 0 && i < rows_count (rows); i++)
    if (partitions_noted_is (rows, i, "attached")) {
      n++;
      if (!take_off (step, rows, i, error))
        return FALSE;
    }
  return TRUE;
}

static void
log_dropped (Step *step, const PgRows *rows, int i)
{
  const char *lower = rows_text (rows, i, "lower");
  json_t *fields = json_pack (
      "{s:s, s:s, s:s, s:s}", "table", step->job->table, "partition", rows_text (rows, i, "name"),
      "from", lower != NULL ? lower : "MINVALUE", "to", rows_text (rows, i, "upper"));
  if (rows_text (rows, i, "rows") != NULL)
    json_object_set_new (fields, "rows_estimate", json_integer (rows_int (rows, i, "rows")));
  step_log (step, LOG_INFO, "Partition dropped", fields);
}

static gboolean
drop (Step *step, const PgRows *rows, int i, GString *gone, GError **error)
{
  g_autofree char *sql = g_strdup_printf ("DROP TABLE %s", rows_text (rows, i, "partition"));
  if (!run_briefly (step, sql, error))
    return FALSE;
  array_add (gone, rows_text (rows, i, "relid"));
  log_dropped (step, rows, i);
  return TRUE;
}

/* ROWS and DECIDED were asked for again once all was locked: what is detached now stays so. */
static gboolean
drop_all (Step *step, const PgRows *rows, const PgRows *decided, GError **error)
{
  GString *gone = array_new (), *other = array_new ();
  gboolean ok = TRUE;
  gint64 n = 0;
  for (int i = 0; ok && i < rows_count (rows); i++)
    if (partitions_noted_is (rows, i, "detached")
        && partitions_noted_reason_to_keep (rows, decided, i) == NULL)
      ok = drop (step, rows, i, gone, error);
    else if (partitions_noted_is (rows, i, "gone") || partitions_noted_is (rows, i, "changed"))
      array_add (other, rows_text (rows, i, "relid"));
  FAULT ("partitions.after_drop");
  ok = ok
       && partitions_noted_end (step, file_of (step, PARTITIONS_DROP)->statement,
                                g_steal_pointer (&gone), "removed", &n, error);
  step_add_count (step->counts, "updated_rows", n);
  ok = ok && partitions_noted_forget (step, g_steal_pointer (&other), "gone", &n, error);
  if (gone != NULL)
    g_string_free (gone, TRUE);
  if (other != NULL)
    g_string_free (other, TRUE);
  return ok && partitions_noted_forget_kept (step, rows, decided, &n, error)
         && set_limits (step, "2s", "15s", error);
}

/* By the cursor of the page that was noted. */
static void
continue_here (Step *step, gint64 delay_ms)
{
  step_continue (step, NULL, delay_ms);
}

static gboolean
take_off_and_drop (Step *step, const PgRows *rows, GError **error)
{
  if (!take_off_some (step, rows, error))
    return FALSE;
  g_autoptr (PgRows) locked = partitions_noted_ask (step, error);
  g_autoptr (PgRows) decided
      = locked != NULL ? partitions_noted_decide (step, locked, error) : NULL;
  if (decided == NULL || !drop_all (step, locked, decided, error))
    return FALSE;
  continue_here (step, in_force_of (step->job)->delay_ms);
  return TRUE;
}

/* What is kept is a step of its own, because one that asks for a detach is rolled back. */
static gboolean
work_off (Step *step, const PgRows *rows, GError **error)
{
  gint64 kept = 0;
  g_autoptr (PgRows) decided = partitions_noted_decide (step, rows, error);
  if (decided == NULL || !partitions_noted_forget_kept (step, rows, decided, &kept, error))
    return FALSE;
  if (kept > 0) {
    continue_here (step, 0);
    return TRUE;
  }
  int next = next_to_detach (rows);
  return next >= 0 ? ask_for_detach (step, rows, next, error)
                   : take_off_and_drop (step, rows, error);
}

/* --- the next ones --- */

/* Those that will go, as an array literal; NULL: none. */
static char *
sort_out (Step *step, const PgRows *decided)
{
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (decided); i++) {
    const char *what = rows_text (decided, i, "what");
    if (g_str_equal (what, "removed")) {
      array_add (keys, rows_text (decided, i, "key"));
      continue;
    }
    const char *reason = rows_text (decided, i, "reason");
    const gboolean kept = g_str_equal (what, "kept"),
                   held
                   = kept && (g_str_equal (reason, "hold") || g_str_equal (reason, "restored"));
    g_autofree char *counter = held ? g_strconcat ("kept_", reason, NULL) : g_strdup (what);
    step_count (step, counter, 1);
    if (kept)
      partitions_noted_log_kept (step, rows_text (decided, i, "key"), reason);
  }
  g_autofree char *list = array_take (keys);
  return g_str_equal (list, "{}") ? NULL : g_steal_pointer (&list);
}

static gboolean
note (Step *step, const GPtrArray *keys, GError **error)
{
  const PgStatement *statement = file_of (step, PARTITIONS_BEGIN)->statement;
  g_autoptr (PgRows) decided = decide_keys (step, keys, "{}", NULL, error);
  g_autofree char *list = decided != NULL ? sort_out (step, decided) : NULL;
  if (list == NULL)
    return decided != NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  read_back_bind (step, statement, values);
  pg_values_set (values, "key", list);
  g_autoptr (PgRows) noted = pg_run (step->pg, statement, values, error);
  if (noted != NULL)
    step_add_rows (step, rows_count (noted), 0, 0);
  return noted != NULL;
}

static gboolean
begin (Step *step, GError **error)
{
  Page page = { 0 };
  gboolean ok
      = find_page (step, &page, error) && (page.keys->len == 0 || note (step, page.keys, error));
  if (ok && (page.more || step->rows > 0))
    page_go_on (step, &page, 0);
  page_clear (&page);
  return ok;
}

gboolean
partitions_step (Step *step, GError **error)
{
  g_autoptr (PgRows) rows = partitions_noted_ask (step, error);
  if (rows == NULL)
    return FALSE;
  return rows_count (rows) > 0 ? work_off (step, rows, error) : begin (step, error);
}

gboolean
partitions_outside (Step *step, GError **error)
{
  gboolean found = FALSE;
  if (!partitions_noted_mark_alone (step, step->outside_relid, &found, error))
    return FALSE;
  if (!found)
    return TRUE;
  FAULT ("partitions.before_detach");
  GError *cause = NULL;
  if (pg_outside (step->pg, step->outside, PARTITIONS_DETACH_US, &cause)) {
    FAULT ("partitions.after_detach");
    return TRUE;
  }
  return give_way (step, step->outside, cause, error);
}

gboolean
partitions_was_late (Step *step, const char *sqlstate)
{
  return partitions_noted_unmark_alone (step, step->outside_relid, sqlstate);
}
