#include "engine/job/in_force.h"

#include "engine/job/job_ranges.h"
#include "engine/job/sentence/sentence_again.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
  guint users; /* under the lock: threads that have it, and one more while it is in force */
  guint number;
  const Jobs *jobs;
  guint n; /* of settings */
  const Config *config;
  Config *own;           /* NULL: CONFIG is not ours to free */
  JobSettings *settings; /* by job's number */
} InForce;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static InForce *current; /* under the lock */
static guint numbers;    /* under the lock */

static void
in_force_free (InForce *in_force)
{
  for (guint i = 0; i < in_force->n; i++) {
    g_clear_pointer (&in_force->settings[i].cron, cron_free);
    g_clear_pointer (&in_force->settings[i].zone, g_time_zone_unref);
    g_clear_pointer (&in_force->settings[i].quiet, hours_free);
  }
  g_free (in_force->settings);
  config_free (in_force->own);
  g_free (in_force);
}

static void
let_go (gpointer data)
{
  InForce *in_force = data;
  pthread_mutex_lock (&lock);
  gboolean last = --in_force->users == 0;
  pthread_mutex_unlock (&lock);
  if (last)
    in_force_free (in_force);
}

static GPrivate mine = G_PRIVATE_INIT (let_go); /* this thread's snapshot */

/* --- modes --- */

static const char *const MODES[] = { "plan", "apply", "off", NULL };
static atomic_int recorded = MODE_PLAN;

static int
place_of (const char *const *words, const char *word, int otherwise)
{
  for (int i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], word))
      return i;
  return otherwise;
}

/* -1: what is recorded. */
static int
general_mode (const Config *config)
{
  return place_of (MODES, config_text (config, "run", "mode"), -1);
}

/* The same. */
static int
mode_of (const Config *config, const Job *job)
{
  return place_of (MODES, config_job_text (config, job->name, "mode"), general_mode (config));
}

const char *
in_force_mode_word (JobMode mode)
{
  return MODES[mode];
}

void
in_force_record_mode (const char *word)
{
  atomic_store (&recorded, place_of (MODES, word, MODE_PLAN));
}

/* --- a snapshot's settings --- */

/* Of a job of one's own that says nothing else: a run that takes 900 of 1,000 rows is no small one.
 */
static gboolean
is_share_of_large (const Job *job, const Config *config)
{
  return !job->built_in && !config_job_is_set (config, job->name, "min_rows");
}

static JobLimits
read_limits (const Job *job, const Config *config)
{
  static const char *const words[] = { "never", "first", "above", "always", NULL };
  const char *approve = config_job_text (config, job->name, "approve");
  return (JobLimits){ .approve = (JobApprove)place_of (words, approve, APPROVE_ABOVE),
                      .approvals = (int)config_job_int (config, job->name, "approvals"),
                      .max_rows = config_job_limit (config, job->name, "max_rows"),
                      .max_rows_per_day = config_job_limit (config, job->name, "max_rows_per_day"),
                      .min_rows = config_job_int (config, job->name, "min_rows"),
                      .max_share = config_job_limit (config, job->name, "max_share"),
                      .max_ratio = config_job_limit (config, job->name, "max_ratio"),
                      .share_of_large = is_share_of_large (job, config) };
}

static gboolean
read_quiet (const Job *job, const Config *config, JobSettings *settings, GError **error)
{
  const char *hours = config_job_text (config, job->name, "not_between");
  if (*hours == '\0' || g_str_equal (hours, "off"))
    return TRUE;
  settings->quiet = hours_parse (hours, settings->zone, error);
  if (settings->quiet == NULL)
    g_prefix_error (error, "[jobs.%s] not_between: ", job->name);
  return settings->quiet != NULL;
}

static gboolean
read_settings (const Job *job, const Config *config, JobSettings *settings, GError **error)
{
  settings->enabled
      = config_job_bool (config, job->name, "enabled") && mode_of (config, job) != MODE_OFF;
  settings->limits = read_limits (job, config);
  const char *refusal = job_ranges_refusal (job);
  if (config_job_int (config, job->name, "ranges") != 1 && refusal != NULL)
    return error_fatal (error, "[jobs.%s] ranges: %s", job->name, refusal);
  settings->ranges = job_ranges (job, config);
  settings->batch = (int)config_job_int (config, job->name, "batch");
  settings->delay_ms = config_job_int (config, job->name, "delay_ms");
  settings->max_attempts = (int)config_job_int (config, job->name, "max_attempts");
  settings->item_attempts = (int)config_job_int (config, job->name, "item_attempts");
  const char *schedule = config_job_text (config, job->name, "schedule"),
             *zone = config_job_text (config, job->name, "time_zone");
  if (job->by_tick && *schedule != '\0' && !g_str_equal (schedule, "off")
      && (settings->cron = cron_parse (schedule, error)) == NULL) {
    g_prefix_error (error, "[jobs.%s] schedule: ", job->name);
    return FALSE;
  }
  settings->zone = cron_zone (*zone == '\0' ? "UTC" : zone, error);
  if (settings->zone == NULL)
    g_prefix_error (error, "[jobs.%s] time_zone: ", job->name);
  return settings->zone != NULL && read_quiet (job, config, settings, error);
}

/* An errand of a job that was removed is still settled with its settings. */
static void
read_removed (InForce *fresh)
{
  const Job *job;
  for (guint i = 0; (job = jobs_removed_at (fresh->jobs, i)) != NULL; i++) {
    g_autoptr (GError) ignored = NULL;
    JobSettings *settings = &fresh->settings[job->number];
    (void)!read_settings (job, fresh->config, settings, &ignored);
    settings->enabled = FALSE;
  }
}

/* Takes OWN in any case. */
static gboolean
swap (const Jobs *jobs, const Config *config, Config *own, GError **error)
{
  InForce *fresh = g_new0 (InForce, 1);
  fresh->users = 1;
  fresh->jobs = jobs;
  fresh->n = jobs_numbers (jobs);
  fresh->config = config;
  fresh->own = own;
  fresh->settings = g_new0 (JobSettings, fresh->n);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    ok = read_settings (job, config, &fresh->settings[job->number], error);
  }
  if (ok)
    read_removed (fresh);
  InForce *old = fresh;
  if (ok) {
    pthread_mutex_lock (&lock);
    old = current;
    fresh->number = ++numbers;
    current = fresh;
    pthread_mutex_unlock (&lock);
  }
  if (old != NULL)
    let_go (old);
  return ok;
}

gboolean
in_force_begin (const Jobs *jobs, const Config *config, GError **error)
{
  return swap (jobs, config, NULL, error);
}

gboolean
in_force_replace (const Jobs *jobs, Config *config, GError **error)
{
  return swap (jobs, config, config, error);
}

void
in_force_end (const Jobs *jobs)
{
  pthread_mutex_lock (&lock);
  InForce *old = current != NULL && current->jobs == jobs ? current : NULL;
  if (old != NULL)
    current = NULL;
  pthread_mutex_unlock (&lock);
  if (old == NULL)
    return;
  g_private_replace (&mine, NULL);
  let_go (old);
}

void
in_force_renew (void)
{
  const InForce *had = g_private_get (&mine);
  pthread_mutex_lock (&lock);
  InForce *now = current;
  if (now != had && now != NULL)
    now->users++;
  pthread_mutex_unlock (&lock);
  if (now != had)
    g_private_replace (&mine, now);
}

static const InForce *
snapshot (void)
{
  if (g_private_get (&mine) == NULL)
    in_force_renew ();
  return g_private_get (&mine);
}

const Jobs *
in_force_jobs (void)
{
  return snapshot ()->jobs;
}

const Config *
in_force_config (void)
{
  return snapshot ()->config;
}

const JobSettings *
in_force_of (const Job *job)
{
  return &snapshot ()->settings[job->number];
}

static JobMode
or_recorded (int mode)
{
  return mode >= 0 ? (JobMode)mode : (JobMode)atomic_load (&recorded);
}

JobMode
in_force_mode (const Job *job)
{
  return or_recorded (mode_of (in_force_config (), job));
}

JobApprove
in_force_approve (const Job *job)
{
  return job->sentence != NULL && job->sentence->again ? APPROVE_ALWAYS
                                                       : in_force_of (job)->limits.approve;
}

JobMode
in_force_general_mode (void)
{
  return or_recorded (general_mode (in_force_config ()));
}

JobOutcomes
in_force_outcomes (const char *name)
{
  static const char *const words[] = { "events", "all", "none", NULL };
  const Config *config = in_force_config ();
  const int general = place_of (words, config_text (config, "outcomes", "rows"), OUTCOMES_EVENTS);
  if (!config_has_job_key (config, name, "outcomes"))
    return (JobOutcomes)general;
  return (JobOutcomes)place_of (words, config_job_text (config, name, "outcomes"), general);
}

gboolean
in_force_is_on (const Job *job)
{
  const Job *now = jobs_find (in_force_jobs (), job->name);
  return now != NULL && in_force_of (now)->enabled;
}

char *
in_force_names (gboolean on)
{
  const Jobs *jobs = in_force_jobs ();
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (in_force_of (jobs_at (jobs, i))->enabled == on)
      array_add (names, jobs_at (jobs, i)->name);
  return array_take (names);
}

gboolean
in_force_mode_is_recorded (void)
{
  return place_of (MODES, config_text (in_force_config (), "run", "mode"), -1) < 0;
}

gint64
in_force_next (const Job *job, gint64 after_us)
{
  const JobSettings *settings = in_force_of (job);
  return settings->cron != NULL ? cron_next (settings->cron, settings->zone, after_us) : -1;
}

guint
in_force_number (void)
{
  return snapshot ()->number;
}

gboolean
in_force_is_latest (void)
{
  const InForce *own = snapshot ();
  pthread_mutex_lock (&lock);
  gboolean latest = own == current;
  pthread_mutex_unlock (&lock);
  return latest;
}
