#include "engine/clock/readings.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "engine/clock/standby.h"
#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/run.h"
#include "engine/outbox/publish.h"
#include "engine/reading/reading.h"

#define SQL "src/engine/clock/sql/"
#define RECORD "RunDisagreed"
#define SHARE 33 /* at most 1/SHARE of the time */
#define NAMED 10
#define LOOK_MS 5000
#define QUICK "SET LOCAL statement_timeout = '10s'"

typedef struct {
  ReadingTally tally;
  json_t *named;
} Found;

static void
found_clear (Found *found)
{
  reading_tally_clear (&found->tally);
  g_clear_pointer (&found->named, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

static void
take (ReadingVerdict verdict, const char *table, const char *key, const char *says, gpointer data)
{
  json_t *named = ((Found *)data)->named;
  if (verdict != READING_UNSURE && json_array_size (named) < NAMED)
    json_array_append_new (named,
                           json_pack ("{s:s, s:s, s:s?, s:s}", "verdict", reading_words[verdict],
                                      "table", table, "key", key, "says", says));
}

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean
read_there (Pg *pg, const Job *job, const PgRows *run, int row, Found *found, GError **error)
{
  const gboolean ok = pg_exec (pg, QUICK, error)
                      && reading_run (pg, job, run, row,
                                      config_job_int (in_force_config (), job->name, "verify_rows"),
                                      take, found, &found->tally, error);
  pg_rollback (pg);
  return ok;
}

/* The standby, in a read-only transaction that has the end of the run; NULL: there is none, or it
 * is behind. */
static Pg *
standby_with (Service *service, const char *run_id)
{
  g_autoptr (Pg) standby = standby_begin (service);
  g_autoptr (PgRows) rows = standby != NULL ? reading_find (standby, run_id, NULL) : NULL;
  if (rows != NULL && rows_count (rows) == 1 && run_has_ended (rows_text (rows, 0, "state")))
    return g_steal_pointer (&standby);
  return NULL;
}

static gboolean
read_run (Service *service, Pg *pg, const Job *job, const PgRows *run, int row, Found *found,
          GError **error)
{
  g_autofree char *refusal = reading_refusal (job, run, row, FALSE);
  if (refusal != NULL) {
    const char *of = job->table != NULL ? job->table : job->name;
    json_array_append_new (found->tally.unread,
                           json_pack ("{s:s, s:i, s:s}", "table", of, "rows", 0, "why", refusal));
    return TRUE;
  }
  g_autoptr (Pg) standby = standby_with (service, rows_text (run, row, "run_id"));
  if (standby != NULL)
    return read_there (standby, job, run, row, found, error);
  return pg_begin_read_only (pg, error) && read_there (pg, job, run, row, found, error);
}

/* --- what follows ----------------------------------------------------------------------------- */

static gboolean
tell (Service *service, Pg *pg, const Job *job, const char *run_id, const Found *found,
      GError **error)
{
  g_autofree char *topic = publisher_topic (service->publisher, "outcomes"),
                  *named = json_text (found->named),
                  *ce_id = identity_outcome (run_id, JOURNAL_STEP, RECORD, run_id),
                  *wrong = g_strdup_printf ("%" G_GINT64_FORMAT, found->tally.wrong),
                  *left = g_strdup_printf ("%" G_GINT64_FORMAT, found->tally.left),
                  *lost = g_strdup_printf ("%" G_GINT64_FORMAT, found->tally.lost),
                  *read = g_strdup_printf ("%" G_GINT64_FORMAT, found->tally.read);
  const char *fields[] = { run_id, "0", job->name, read, wrong, left, lost, named };
  g_autoptr (Bundle) bundle = bundle_new (run_id, JOURNAL_STEP, job->name, 0);
  bundle_add (bundle, topic, -1, run_id, "pruned.outcomes." RECORD, ce_id, fields);
  return publish_leave (pg, bundle, error);
}

static gboolean
stop (Service *service, Pg *pg, const Job *job, const char *run_id, const Found *found,
      GError **error)
{
  const json_t *first = json_array_get (found->named, 0);
  g_autofree char *reason = g_strdup_printf (READINGS_STOPPED ": run %.8s, %s:%s: %s", run_id,
                                             json_string_value (json_object_get (first, "table")),
                                             json_string_value (json_object_get (first, "key")),
                                             json_string_value (json_object_get (first, "says")));
  const JournalEntry entry = { "pause", job->name, reason };
  g_autofree char *prefix = g_strdup (config_text (in_force_config (), "topics", "prefix"));
  g_autoptr (PgValues) values = pg_values_new ();
  GString *names = array_new ();
  array_add (names, job->name);
  pg_values_take (values, "job", array_take (names));
  pg_values_set (values, "reason", reason);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "readings_stop.sql", values, error);
  if (rows == NULL || !journal_put (pg, in_force_jobs (), prefix, &entry, error)
      || !tell (service, pg, job, run_id, found, error))
    return FALSE;
  log_error ("The second reading disagrees, and its job is stopped", "job", job->name, "run_id",
             run_id, "detail", reason);
  return TRUE;
}

static gboolean
note (Service *service, Pg *pg, const Job *job, const char *run_id, const Found *found,
      GError **error)
{
  const ReadingTally *tally = &found->tally;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  pg_values_int (values, "rows", tally->rows);
  pg_values_int (values, "read", tally->read);
  pg_values_int (values, "wrong", tally->wrong);
  pg_values_int (values, "left", tally->left);
  pg_values_int (values, "lost", tally->lost);
  pg_values_int (values, "unsure", tally->unsure);
  pg_values_take (values, "named", json_text (found->named));
  pg_values_take (values, "unread", json_text (tally->unread));
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "readings_note.sql", values, error);
  return rows != NULL
         && (!reading_disagrees (tally) || stop (service, pg, job, run_id, found, error))
         && pg_commit (pg, error);
}

/* --- rounds ----------------------------------------------------------------------------------- */

static gboolean
read_one (Service *service, Pg *pg, const PgRows *runs, int row, GError **error)
{
  g_auto (Found) found = { .named = json_array () };
  const char *name = rows_text (runs, row, "job"), *version = rows_text (runs, row, "job_version"),
             *run_id = rows_text (runs, row, "run_id");
  const Job *job = version != NULL ? jobs_version (in_force_jobs (), name, version) : NULL;
  reading_tally_init (&found.tally);
  if (job == NULL)
    job = jobs_find (in_force_jobs (), name);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  pg_values_set (values, "job", name);
  g_autoptr (PgRows) claimed = pg_run_alone (pg, SQL "readings_claim.sql", values, error);
  if (claimed == NULL)
    return FALSE;
  if (rows_count (claimed) == 0 || job == NULL)
    return TRUE;
  if (!read_run (service, pg, job, runs, row, &found, error))
    return FALSE;
  reading_look (job, config_job_int (in_force_config (), job->name, "verify_rows"), LOOK_MS, take,
                &found, &found.tally);
  return note (service, pg, job, run_id, &found, error);
}

/* The jobs whose runs are read; or only those of them that are read also if they took no row. */
static char *
jobs_read (gboolean without_rows)
{
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (config_job_int (in_force_config (), job->name, "verify_rows") > 0
        && (!without_rows || reading_asks_due (job)))
      array_add (names, job->name);
  }
  return array_take (names);
}

/* *SINCE_US: when this was last asked, by the database's clock (0: never); then now. */
static PgRows *
ask_due (Pg *pg, gint64 *since_us, GError **error)
{
  gint64 now_us;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "since", NULL);
  if (*since_us > 0)
    pg_values_time (values, "since", *since_us);
  pg_values_take (values, "job", jobs_read (FALSE));
  pg_values_take (values, "without_rows", jobs_read (TRUE));
  PgRows *runs = pg_begin_read_only (pg, error) && pg_now_us (pg, &now_us, error)
                     ? pg_run_file (pg, SQL "readings_due.sql", values, error)
                     : NULL;
  pg_rollback (pg);
  if (runs != NULL)
    *since_us = now_us;
  return runs;
}

gboolean
readings_look (Service *service, Pg *pg, GError **error)
{
  static gint64 since_us, rests_until_us; /* rests: monotonic */
  const gint64 began_us = clock_monotonic_us ();
  if (began_us < rests_until_us)
    return TRUE;
  g_autoptr (PgRows) runs = ask_due (pg, &since_us, error);
  GError *first = NULL; /* one that fails keeps no other from being read */
  for (int i = 0; runs != NULL && i < rows_count (runs); i++) {
    GError *cause = NULL;
    if (read_one (service, pg, runs, i, &cause))
      continue;
    pg_rollback (pg);
    if (first == NULL)
      first = g_steal_pointer (&cause);
    g_clear_error (&cause);
  }
  if (first != NULL) {
    g_propagate_error (error, first);
    return FALSE;
  }
  rests_until_us = clock_monotonic_us () + (SHARE - 1) * (clock_monotonic_us () - began_us);
  return runs != NULL;
}
