/* Within a batch, the latest event of a key is found in memory. Against earlier batches, the row
 * in `pruned.timers` decides. An event that loses becomes a skipped row: `superseded by` its
 * successor, or `overlaps` the later event that came before it.
 */
#include "engine/ledger/timer.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/named_row.h"

#define SQL "src/engine/ledger/sql/"
#define CANCELLED "cancelled" /* as in timer_latest.sql */

void
timer_prepare (const JobEvent *event, RunSpec *spec)
{
  if (event->due == NULL || spec->state != NULL)
    return;
  const json_t *due = json_object_get (spec->args, event->due);
  spec->timer = TRUE;
  spec->late_key = FALSE;
  spec->cancels = event->cancel_on_null && (due == NULL || json_is_null (due));
  if (!spec->cancels)
    spec->due_at_us = run_timer_due_us (json_string_value (due), spec->scheduled_at_us);
}

static void
end_spec (RunSpec *spec, char *error)
{
  spec->state = "skipped";
  g_free (spec->error);
  spec->error = error;
}

/* Indexes of the timers in SPECS that are not decided yet. */
static GArray *
open_timers (const GArray *specs)
{
  GArray *which = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < specs->len; i++) {
    const RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->timer && spec->placed == PLACED_NOT && spec->state == NULL)
      g_array_append_val (which, i);
  }
  return which;
}

static RunSpec *
at (GArray *specs, const GArray *which, guint i)
{
  return &g_array_index (specs, RunSpec, g_array_index (which, guint, i));
}

static PgValues *
values_of (GArray *specs, const GArray *which)
{
  GString *keys = array_new (), *ids = array_new (), *times = array_new ();
  for (guint i = 0; i < which->len; i++) {
    const RunSpec *spec = at (specs, which, i);
    g_autofree char *time = clock_format (spec->scheduled_at_us);
    array_add (keys, spec->unique_key);
    array_add (ids, spec->run_id);
    array_add (times, time);
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "unique_key", array_take (keys));
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "scheduled_at", array_take (times));
  return values;
}

/* A repeated event does nothing, so it must not decide anything either. */
static gboolean
drop_known (Pg *pg, GArray *specs, const GArray *which, GError **error)
{
  g_autoptr (PgValues) values = values_of (specs, which);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "timer_known.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    at (specs, which, (guint)rows_int (rows, i, "row"))->placed = PLACED_KNOWN;
  return rows != NULL;
}

/* The same event twice in one batch: the second is known. */
static void
drop_repeated (GArray *specs, const GArray *which)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = at (specs, which, i);
    if (!g_hash_table_add (seen, spec->run_id))
      spec->placed = PLACED_KNOWN;
  }
}

/* The latest event of each key wins; of equal times, the last one in the batch. The others lose. */
static void
settle_within_batch (GArray *specs, const GArray *which)
{
  g_autoptr (GHashTable) latest = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = at (specs, which, i), *other = g_hash_table_lookup (latest, spec->unique_key);
    if (other == NULL || other->scheduled_at_us <= spec->scheduled_at_us)
      g_hash_table_insert (latest, spec->unique_key, spec);
  }
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = at (specs, which, i), *winner = g_hash_table_lookup (latest, spec->unique_key);
    spec->withdrawn = spec != winner && winner->cancels && !spec->cancels;
    if (spec < winner)
      end_spec (spec, g_strdup_printf ("superseded by %s", winner->run_id));
    else if (spec > winner)
      end_spec (spec, g_strdup_printf ("overlaps %s", winner->run_id));
  }
}

/* The event at ROW of LATEST came before the earlier one of SPEC. */
static void
end_late (RunSpec *spec, const PgRows *latest, int row)
{
  end_spec (spec, g_strdup_printf ("overlaps %s", rows_text (latest, row, "run_id")));
  spec->withdrawn = !spec->cancels && rows_bool (latest, row, "cancels");
}

/* Against timers that earlier batches have set. */
static gboolean
settle_with_earlier (Pg *pg, GArray *specs, const GArray *which, GError **error)
{
  g_autoptr (PgValues) values = values_of (specs, which);
  g_autoptr (PgRows) set_rows = pg_run_file (pg, SQL "timer_set.sql", values, error);
  if (set_rows == NULL || rows_count (set_rows) == (int)which->len)
    return set_rows != NULL;
  g_autoptr (PgRows) latest_rows = pg_run_file (pg, SQL "timer_latest.sql", values, error);
  if (latest_rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) set = rows_index (set_rows, "unique_key"),
                         latest = rows_index (latest_rows, "unique_key");
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = at (specs, which, i);
    if (!g_hash_table_contains (set, spec->unique_key))
      end_late (spec, latest_rows,
                GPOINTER_TO_INT (g_hash_table_lookup (latest, spec->unique_key)) - 1);
  }
  return TRUE;
}

/* Who has sent an event that is cancelled is told so. ROWS: of timer_replace.sql. */
static gboolean
answer_cancelled (Pg *pg, const PgRows *rows, GError **error)
{
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  for (int i = 0; i < rows_count (rows); i++)
    if (g_strcmp0 (rows_text (rows, i, "error"), CANCELLED) == 0
        && !named_row_leave_of (pg, in_force_jobs (), rows, i, prefix, named_row_withdrawn, error))
      return FALSE;
  return TRUE;
}

static gboolean
replace_earlier (Pg *pg, GArray *specs, const GArray *which, GError **error)
{
  GString *keys = array_new (), *errors = array_new ();
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = at (specs, which, i);
    g_autofree char *words
        = spec->cancels ? g_strdup (CANCELLED) : g_strdup_printf ("superseded by %s", spec->run_id);
    array_add (keys, spec->unique_key);
    array_add (errors, words);
    if (spec->cancels)
      end_spec (spec, g_strdup (CANCELLED));
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "unique_key", array_take (keys));
  pg_values_take (values, "error", array_take (errors));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "timer_replace.sql", values, error);
  return rows != NULL && answer_cancelled (pg, rows, error);
}

gboolean
timer_place (Pg *pg, GArray *specs, GError **error)
{
  g_autoptr (GArray) all = open_timers (specs);
  if (all->len == 0)
    return TRUE;
  drop_repeated (specs, all);
  if (!drop_known (pg, specs, all, error))
    return FALSE;
  g_autoptr (GArray) fresh = open_timers (specs);
  settle_within_batch (specs, fresh);
  g_autoptr (GArray) latest = open_timers (specs);
  if (latest->len == 0)
    return TRUE;
  if (!settle_with_earlier (pg, specs, latest, error))
    return FALSE;
  g_autoptr (GArray) winners = open_timers (specs);
  return winners->len == 0 || replace_earlier (pg, specs, winners, error);
}
