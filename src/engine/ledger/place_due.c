/* Runs that exist already and take their unique key only when they are due: ticks ahead of their
 * time, and ticks of a job that was paused.
 */
#include "engine/ledger/place_holders.h"

#include <string.h>

#define SQL "src/engine/ledger/sql/"

typedef struct {
  GString *run_id, *state, *key, *error, *attempts;
} Decisions;

static void
decision_add (Decisions *decisions, const RunSpec *spec)
{
  gboolean skipped = g_strcmp0 (spec->state, "skipped") == 0,
           waits = g_strcmp0 (spec->state, "waiting") == 0;
  array_add (decisions->run_id, spec->run_id);
  array_add (decisions->state, skipped ? "skipped" : waits ? "waiting" : "ready");
  array_add (decisions->key, skipped || waits ? NULL : spec->unique_key);
  array_add (decisions->error, skipped ? spec->error : NULL);
  array_add_int (decisions->attempts, spec->attempts);
}

static GArray *
specs_from_due (const Jobs *jobs, const PgRows *rows)
{
  GArray *specs = run_specs_new ();
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (jobs, rows_text (rows, i, "job"));
    const char *args = rows_text (rows, i, "args");
    RunSpec spec = { .run_id = g_strdup (rows_text (rows, i, "run_id")),
                     .job = job,
                     .scheduled_at_us = rows_int (rows, i, "scheduled_at"),
                     .due_at_us = rows_int (rows, i, "due_at"),
                     .attempts = (int)rows_int (rows, i, "attempts"),
                     .args = json_parse_exact (args, strlen (args), NULL) };
    const JobEvent *event = job_event_of (job, spec.args);
    gboolean is_named
        = rows_text (rows, i, "named_table") != NULL || (event != NULL && event->own != NULL);
    /* Without its event the run is refused at its step, which answers. */
    const char *key = !is_named ? job->unique_key : event != NULL ? event->unique_key : NULL;
    spec.unique_key = job_expand_key (key, spec.args);
    /* Its first step reports why it cannot be read. */
    if (!json_is_plain_object (spec.args)) {
      g_clear_pointer (&spec.args, json_decref);
      spec.args = json_object ();
    }
    g_array_append_val (specs, spec);
  }
  return specs;
}

/* The current holders of the keys of SPECS, in their order; NULL: none. */
static GPtrArray *
holders_of (Pg *pg, const GArray *specs, GError **error)
{
  GString *keys = array_new ();
  for (guint i = 0; i < specs->len; i++)
    array_add (keys, g_array_index (specs, RunSpec, i).unique_key);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "unique_key", array_take (keys));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "holders_of_keys.sql", values, error);
  if (rows == NULL)
    return NULL;
  GPtrArray *holders = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < specs->len; i++) {
    char *holder = NULL;
    for (int j = 0; j < rows_count (rows) && holder == NULL; j++)
      if (g_strcmp0 (rows_text (rows, j, "unique_key"),
                     g_array_index (specs, RunSpec, i).unique_key)
          == 0)
        holder = g_strdup (rows_text (rows, j, "run_id"));
    g_ptr_array_add (holders, holder);
  }
  return holders;
}

/* If several want one key, the first takes it and the others are skipped: they overlap it. */
static void
settle_among_themselves (GArray *specs)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < specs->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->state != NULL || spec->unique_key == NULL)
      continue;
    const char *first = g_hash_table_lookup (taken, spec->unique_key);
    if (first != NULL)
      place_skip (spec, first);
    else
      g_hash_table_insert (taken, spec->unique_key, spec->run_id);
  }
}

gboolean
place_due (Pg *pg, const Jobs *jobs, const char *keyed, Bundle *bundle, gboolean *any,
           GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "keyed", keyed);
  g_autoptr (PgRows) due = pg_run_file (pg, SQL "due_keyless.sql", values, error);
  *any = due != NULL && rows_count (due) > 0;
  if (!*any)
    return due != NULL;
  g_autoptr (GArray) specs = specs_from_due (jobs, due);
  g_autoptr (GPtrArray) holders = holders_of (pg, specs, error);
  g_autoptr (GArray) losers = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < specs->len; i++)
    g_array_append_val (losers, i);
  if (holders == NULL || !place_meet_holders (pg, specs, losers, holders, error))
    return FALSE;
  settle_among_themselves (specs);
  Decisions decisions = { array_new (), array_new (), array_new (), array_new (), array_new () };
  for (guint i = 0; i < specs->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, i);
    decision_add (&decisions, spec);
    spec->placed = spec->state == NULL ? PLACED_READY : PLACED_WAITING;
  }
  pg_values_take (values, "run_id", array_take (decisions.run_id));
  pg_values_take (values, "state", array_take (decisions.state));
  pg_values_take (values, "unique_key", array_take (decisions.key));
  pg_values_take (values, "error", array_take (decisions.error));
  pg_values_take (values, "attempts", array_take (decisions.attempts));
  g_autoptr (PgRows) updated = pg_run_file (pg, SQL "take_key.sql", values, error);
  if (updated != NULL)
    place_add_work (bundle, specs);
  return updated != NULL;
}
