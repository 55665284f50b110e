#include "engine/clock/processes.h"

#include "base/clock.h"
#include "config/settings.h"
#include "engine/clock/chores.h"
#include "engine/job/in_force.h"
#include "engine/lane/lane.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define SQL "src/engine/clock/sql/"
#define EVERY_US (5 * G_USEC_PER_SEC)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* to write what is in force */
static pthread_once_t made = PTHREAD_ONCE_INIT;
static char id[40];
/* Of the one housekeeping thread. */
static gint64 started_us, beat_us;
static guint told; /* the snapshot of settings that its row has */

/* A UUID of version 7: of two ids the smaller one is that of the older process. */
static void
make_id (void)
{
  g_autofree char *text = g_uuid_string_random ();
  const guint64 ms = (guint64)clock_now_us () / 1000;
  g_snprintf (id, sizeof id, "%08x-%04x-7%s", (guint)(ms >> 16), (guint)(ms & 0xffff), text + 15);
}

const char *
processes_id (void)
{
  pthread_once (&made, make_id);
  return id;
}

static json_t *
setting_of (const Job *job, const Setting *setting)
{
  if (g_str_equal (setting->key, "enabled"))
    return json_boolean (in_force_of (job)->enabled); /* `mode = off` disables it as well */
  if (g_str_equal (setting->key, "mode"))
    return json_string (in_force_mode_word (in_force_mode (job)));
  gint64 limit = setting->type == SETTING_LIMIT
                     ? config_job_limit (in_force_config (), job->name, setting->key)
                     : -1;
  if (limit >= 0)
    return json_integer (limit);
  switch (setting->type) {
  case SETTING_INT:
    return json_integer (config_job_int (in_force_config (), job->name, setting->key));
  case SETTING_BOOL:
    return json_boolean (config_job_bool (in_force_config (), job->name, setting->key));
  default:
    return json_string (config_job_text (in_force_config (), job->name, setting->key));
  }
}

json_t *
processes_settings (const Job *job)
{
  json_t *settings = json_object ();
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS))
      json_object_set_new (settings, setting->key, setting_of (job, setting));
  return settings;
}

/* Settings that all processes should share. */
typedef struct {
  GChecksum *hash;
  json_t *of_no_job; /* {key: value} as config_each_marked shows it */
} Shared;

/* Skips settings that differ between machines on purpose. */
static void
add_shared (const char *key, const char *value, const char *origin, gpointer data)
{
  static const char *const own[] = {
    "http.", "log.", "run.jobs_dir", "kafka.client.", "kafka.group.instance.id", "kafka.log"
  };
  Shared *shared = data;
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (g_str_has_prefix (key, own[i]))
      return;
  g_checksum_update (shared->hash, (const guchar *)key, (gssize)strlen (key) + 1);
  g_checksum_update (shared->hash, (const guchar *)value, (gssize)strlen (value) + 1);
  if (!g_str_has_prefix (key, SETTINGS_JOBS "."))
    json_object_set_new (shared->of_no_job, key, json_string (value));
}

static void
add_settings (PgValues *values, const Config *config)
{
  g_autoptr (GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (json_t) of_no_job = json_object ();
  Shared shared = { hash, of_no_job };
  config_each_marked (config, add_shared, &shared);
  pg_values_take (values, "settings", g_strndup (g_checksum_get_string (hash), 16));
  pg_values_take (values, "shared", json_text (of_no_job));
}

/* It names the events that the job reads, too. */
static char *
version_of (const Job *job)
{
  GString *version = g_string_new (job->version);
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    const SentenceEvent *all[] = { event->own, event->own != NULL ? event->cancel : NULL };
    for (guint n = 0; n < G_N_ELEMENTS (all); n++)
      if (all[n] != NULL)
        g_string_append_printf (version, " %s %s", all[n]->name, all[n]->version);
  }
  return g_string_free (version, FALSE);
}

/* {job: version}: of the jobs of the user. Those of the program differ with its version. */
static char *
versions_of (const Jobs *jobs)
{
  g_autoptr (json_t) versions = json_object ();
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    if (job->built_in)
      continue;
    g_autofree char *version = version_of (job);
    json_object_set_new (versions, job->name, json_string (version));
  }
  return json_text (versions);
}

static void
add_in_force (PgValues *values)
{
  g_autoptr (json_t) jobs = json_object ();
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++)
    json_object_set_new (jobs, jobs_at (in_force_jobs (), i)->name,
                         processes_settings (jobs_at (in_force_jobs (), i)));
  g_autoptr (json_t) refused = jobs_refused_list (in_force_jobs ());
  add_settings (values, in_force_config ());
  pg_values_take (values, "jobs", json_text (jobs));
  pg_values_take (values, "versions", versions_of (in_force_jobs ()));
  pg_values_take (values, "refused", json_text (refused));
}

static PgValues *
row_values (Service *service)
{
  PgValues *values = pg_values_new ();
  g_autoptr (GArray) lanes = lanes_view (service->lanes);
  pg_values_set (values, "id", processes_id ());
  pg_values_set (values, "host", g_get_host_name ());
  pg_values_int (values, "pid", getpid ());
  pg_values_set (values, "version", PRUNED_VERSION);
  pg_values_time (values, "started_at", started_us);
  add_in_force (values);
  pg_values_int (values, "partitions", lanes->len);
  g_autoptr (json_t) ailing = chores_ailing ();
  pg_values_take (values, "housekeeping", json_text (ailing));
  return values;
}

/* With the lock. A reload that has just put something else in force writes that itself. */
static gboolean
write_row (Service *service, Pg *pg, GError **error)
{
  if (!in_force_is_latest ()) {
    beat_us = 0;
    return TRUE;
  }
  g_autoptr (PgValues) values = row_values (service);
  g_autoptr (PgRows) seen = pg_run_file (pg, SQL "process_seen.sql", values, error);
  g_autoptr (PgRows) put = seen != NULL && rows_count (seen) == 0
                               ? pg_run_file (pg, SQL "process_put.sql", values, error)
                               : NULL;
  return seen != NULL && (rows_count (seen) > 0 || put != NULL);
}

static gboolean
beat (Service *service, Pg *pg, GError **error)
{
  if (started_us == 0)
    started_us = clock_now_us ();
  g_autoptr (PgRows) forgotten = pg_run_file (pg, SQL "process_forget.sql", NULL, error);
  if (forgotten == NULL)
    return FALSE;
  pthread_mutex_lock (&lock);
  gboolean written = write_row (service, pg, error);
  pthread_mutex_unlock (&lock);
  return written;
}

gboolean
processes_answer (Pg *pg, const char *asked_at, const json_t *said)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "id", processes_id ());
  pg_values_set (values, "asked_at", asked_at);
  pg_values_take (values, "answer", json_text (said));
  add_in_force (values);
  pthread_mutex_lock (&lock);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "process_answer.sql", values, NULL);
  pthread_mutex_unlock (&lock);
  return rows != NULL && rows_count (rows) > 0;
}

gboolean
processes_beat (Service *service, Pg *pg, GError **error)
{
  gint64 now_us = clock_monotonic_us ();
  if (beat_us != 0 && now_us - beat_us < EVERY_US && told == in_force_number ())
    return TRUE;
  told = in_force_number ();
  beat_us = now_us;
  if (beat (service, pg, error))
    return TRUE;
  beat_us = 0;
  return FALSE;
}

void
processes_leave (Pg *pg)
{
  if (started_us == 0)
    return;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "id", id);
  g_autoptr (PgRows) gone = pg_run_file (pg, SQL "process_leave.sql", values, NULL);
}
