#include "engine/clock/settings_changed.h"

#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"

#include <string.h>

#define SQL "src/engine/clock/sql/"

typedef struct {
  GString *names, *values;
} Given;

/* Jobs of one's own are kept among the settings: the value of `job NAME` is the job's version, that
 * of `refused NAME` the reason. JOBS is there once jobs have been kept. */
#define JOB "job "
#define REFUSED "refused "
#define JOBS "jobs"

static void
add_pair (Given *given, const char *name, const char *value)
{
  array_add (given->names, name);
  array_add (given->values, value);
}

/* Leaves out settings of a single process: another value in another process is no change. */
static void
add (const char *key, const char *value, const char *origin, gpointer data)
{
  static const char *const own[] = { "http.", "kafka.client.", "kafka.group.instance.id" };
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (g_str_has_prefix (key, own[i]))
      return;
  add_pair (data, key, value);
}

static void
add_jobs (Given *given, const Jobs *jobs)
{
  add_pair (given, JOBS, "kept");
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    g_autofree char *name = g_strconcat (JOB, job->name, NULL);
    if (!job->built_in)
      add_pair (given, name, job->version);
  }
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *one = jobs_refused_at (jobs, i);
    g_autofree char *name = g_strconcat (REFUSED, one->name, NULL),
                    *why = g_strconcat (one->place, ": ", one->reason, NULL);
    add_pair (given, name, why);
  }
}

static PgRows *
compare (Pg *pg, GError **error)
{
  Given given = { array_new (), array_new () };
  config_each_marked (in_force_config (), add, &given);
  add_jobs (&given, in_force_jobs ());
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "name", array_take (given.names));
  pg_values_take (values, "value", array_take (given.values));
  g_autoptr (PgRows) lock = pg_run_file (pg, SQL "settings_lock.sql", NULL, error);
  return lock != NULL ? pg_run_file (pg, SQL "settings_note.sql", values, error) : NULL;
}

/* What hides something had no mark when it was kept: whether it has changed is not known. */
static gboolean
had_no_mark (const PgRows *rows, int row)
{
  const char *was = rows_text (rows, row, "was"), *value = rows_text (rows, row, "value");
  return was != NULL && value != NULL && g_str_has_prefix (value, was)
         && g_str_has_prefix (value + strlen (was), CONFIG_MARK);
}

/* A setting that only one of the two versions of pruned knows was not changed by an operator.
 * [kafka] has no list of settings, so there any difference counts. */
static gboolean
is_of_interest (const PgRows *rows, int row)
{
  return rows_bool (rows, row, "known") && !had_no_mark (rows, row)
         && !g_str_has_prefix (rows_text (rows, row, "name"), "kafka.client.")
         && ((rows_text (rows, row, "value") != NULL && rows_text (rows, row, "was") != NULL)
             || g_str_has_prefix (rows_text (rows, row, "name"), "kafka."));
}

/* What has changed about the job of one's own that ROW is about; NULL: ROW is about no job, or
 * there is nothing to report. */
static char *
words_of_job (const PgRows *rows, int row)
{
  const char *name = rows_text (rows, row, "name"), *was = rows_text (rows, row, "was"),
             *value = rows_text (rows, row, "value");
  if (g_str_has_prefix (name, REFUSED))
    return value != NULL ? g_strconcat ("refused: ", value, NULL) : NULL;
  if (!g_str_has_prefix (name, JOB))
    return NULL;
  if (value == NULL)
    return g_strdup_printf ("removed: version was %s", was);
  return was == NULL ? g_strdup_printf ("added: version %s", value)
                     : g_strdup_printf ("changed: version was %s, is %s", was, value);
}

static gboolean
is_of_jobs (const char *name)
{
  return g_str_has_prefix (name, JOB) || g_str_has_prefix (name, REFUSED)
         || g_str_equal (name, JOBS);
}

/* Were jobs kept at the last start? If not, each of them would look as if it was new. */
static gboolean
jobs_were_kept (const PgRows *rows)
{
  for (int i = 0; i < rows_count (rows); i++)
    if (g_str_equal (rows_text (rows, i, "name"), JOBS))
      return FALSE;
  return TRUE;
}

static gboolean
put_job (Service *service, Pg *pg, const char *command, const PgRows *rows, int row, GError **error)
{
  g_autofree char *reason = words_of_job (rows, row);
  JournalEntry entry = { command, strchr (rows_text (rows, row, "name"), ' ') + 1, reason };
  return reason == NULL || journal_put (pg, in_force_jobs (), service->prefix, &entry, error);
}

static gboolean
put (Service *service, Pg *pg, const char *command, const PgRows *rows, int row, GError **error)
{
  const char *was = rows_text (rows, row, "was"), *value = rows_text (rows, row, "value");
  g_autofree char *reason = g_strdup_printf ("was %s, is %s", was != NULL ? was : "not set",
                                             value != NULL ? value : "not set");
  JournalEntry entry = { command, rows_text (rows, row, "name"), reason };
  return journal_put (pg, in_force_jobs (), service->prefix, &entry, error);
}

gboolean
settings_changed (Service *service, Pg *pg, const char *command, GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = compare (pg, error);
  gboolean ok = rows != NULL;
  const gboolean kept = ok && jobs_were_kept (rows);
  for (int i = 0; ok && i < rows_count (rows); i++)
    if (is_of_jobs (rows_text (rows, i, "name")))
      ok = !kept || put_job (service, pg, command, rows, i, error);
    else if (is_of_interest (rows, i))
      ok = put (service, pg, command, rows, i, error);
  if (ok && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}
