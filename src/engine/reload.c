#include "engine/reload.h"

#include "base/thread.h"
#include "engine/clock/dispatcher.h"
#include "engine/clock/processes.h"
#include "engine/job/in_force.h"
#include "engine/modes.h"
#include "engine/new_topics.h"
#include "engine/no_effect.h"
#include "engine/reload_jobs.h"
#include "engine/watchdog.h"

#define ANSWER_MS 5000
#define TRIES 25
#define AGAIN_US 200000
#define TELL_EVERY_S 600

typedef enum { ASKED_NOTHING, ASKED_LEFT_OUT, ASKED_ALL } Asked;

static struct {
  const EngineOptions *options;
  Service *service;
  Jobs *jobs; /* in force; of the thread of the reload, once there was one */
  pthread_mutex_t lock;
  pthread_cond_t rests;
  gboolean busy, ended; /* under the lock */
  Asked asked;          /* what the thread has not begun; under the lock */
} reload = { .lock = PTHREAD_MUTEX_INITIALIZER, .rests = PTHREAD_COND_INITIALIZER };

static char *
list_of (GPtrArray *keys)
{
  g_ptr_array_add (keys, NULL);
  return keys->len > 1 ? g_strjoinv (", ", (char **)keys->pdata) : NULL;
}

static void
wake_others (void)
{
  wake_in (reload.service->wake, 0);
  atomic_store (&reload.service->shared.reloaded, TRUE);
}

/* No job has changed: the Jobs in force stay, and only the settings are replaced. */
static gboolean
replace_settings (Config *fresh, GError **error)
{
  if (!in_force_replace (reload.jobs, fresh, error))
    return FALSE;
  wake_others ();
  return TRUE;
}

/* Puts JOBS and FRESH in force, but for settings that need a restart. A step that is running keeps
 * those it began with. Takes FRESH in any case. */
static gboolean
take_over (ReloadJobs *jobs, Config *fresh, GError **error)
{
  config_keep_fixed (fresh, in_force_config ());
  jobs_configure_new (jobs->jobs, fresh);
  new_topics_of (reload.service->kafka_settings, fresh, jobs->jobs);
  if (jobs_are_same (reload.jobs, jobs->jobs))
    return replace_settings (fresh, error);
  jobs_put_before (jobs->jobs, reload.jobs); /* other threads look for versions there */
  if (!in_force_replace (jobs->jobs, fresh, error)) {
    jobs_put_before (jobs->jobs, NULL);
    return FALSE;
  }
  jobs->new = FALSE;
  reload.jobs = jobs->jobs;
  reload.options->took (reload.options->data, reload.jobs);
  wake_others ();
  return TRUE;
}

static void
set_up_log (const Config *config)
{
  LogLevel level = LOG_INFO;
  (void)log_level_parse (config_text (config, "log", "level"), &level);
  log_setup (level, g_str_equal (config_text (config, "log", "format"), "json"));
}

static void
refuse (const GError *error)
{
  log_error ("Configuration not reloaded; the settings in force stay", "error", error->message);
}

static void
log_settings (GPtrArray *live, GPtrArray *fixed)
{
  g_autofree char *changed = list_of (live), *waiting = list_of (fixed);
  gboolean first = !log_enabled (LOG_INFO);
  if (first)
    set_up_log (in_force_config ());
  log_line (waiting != NULL ? LOG_WARNING : LOG_INFO, "Configuration reloaded", "changed",
            changed != NULL ? changed : "nothing", "needs_restart", waiting, NULL);
  if (!first)
    set_up_log (in_force_config ());
}

static gboolean
is_ended (void)
{
  pthread_mutex_lock (&reload.lock);
  gboolean ended = reload.ended;
  pthread_mutex_unlock (&reload.lock);
  return ended;
}

/* Stores the answer for `pruned reload`: ERROR, if nothing was put in force, else what has changed
 * in JOBS. */
static void
answer (Pg *pg, const char *asked_at, const ReloadJobs *jobs, const GError *error)
{
  g_autoptr (json_t) said = error == NULL ? reload_jobs_object (jobs) : json_object ();
  if (error != NULL)
    json_object_set_new (said, "error", json_string (error->message));
  for (int i = 0; i < TRIES && !is_ended (); i++, g_usleep (AGAIN_US))
    if (processes_answer (pg, asked_at, said))
      return; /* else housekeeping registers this process soon */
}

/* The request that is to be answered; NULL: none, or it cannot be read. */
static char *
asked_at (Pg *pg)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/clock/sql/reload_look.sql", NULL, NULL);
  return rows != NULL && rows_count (rows) > 0 ? g_strdup (rows_text (rows, 0, "asked_at")) : NULL;
}

/* Nobody has asked for what else the files say by now. */
static gboolean
is_left_out_only (const ReloadJobs *jobs, const GPtrArray *live, const GPtrArray *fixed)
{
  gboolean only = jobs_only_back (reload.jobs, jobs->jobs) && live->len + fixed->len == 0;
  if (!only)
    log_warning_every (TELL_EVERY_S, "left out",
                       "Jobs that were left out do not come back: the files of configuration and"
                       " jobs have changed since they were read",
                       "pruned reload");
  return only;
}

/* FALSE without ERROR: there is nothing to take, and nothing is said. */
static gboolean
read_and_take (ReloadJobs *jobs, Asked what, Pg *pg, GError **error)
{
  g_autoptr (GPtrArray) live = g_ptr_array_new_with_free_func (g_free),
                        fixed = g_ptr_array_new_with_free_func (g_free);
  if (!reload_jobs_read (jobs, reload.options, pg, reload.jobs, error)
      || (what == ASKED_LEFT_OUT && jobs->added->len == 0))
    return FALSE;
  Config *fresh = reload.options->reread (reload.options->data, jobs->jobs, error);
  if (fresh == NULL)
    return FALSE;
  config_compare (in_force_config (), fresh, live, fixed);
  if (what == ASKED_LEFT_OUT && !is_left_out_only (jobs, live, fixed)) {
    config_free (fresh);
    return FALSE;
  }
  if (!take_over (jobs, fresh, error))
    return FALSE;
  in_force_renew ();
  log_settings (live, fixed);
  reload_jobs_log (jobs);
  modes_say ();
  no_effect_say ();
  return TRUE;
}

static void
read_again (Asked what)
{
  PgSettings settings = reload.service->pg;
  settings.answer_ms = ANSWER_MS;
  g_autoptr (Pg) pg = pg_new (&settings);
  g_autoptr (GError) error = NULL;
  g_auto (ReloadJobs) jobs = { 0 };
  in_force_renew ();
  g_autofree char *asked = asked_at (pg);
  if (!read_and_take (&jobs, what, pg, &error) && error != NULL)
    refuse (error);
  if (asked != NULL && what == ASKED_ALL)
    answer (pg, asked, &jobs, error);
}

static void *
reload_main (void *data)
{
  pthread_setname_np (pthread_self (), "reload");
  for (;;) {
    pthread_mutex_lock (&reload.lock);
    Asked what = reload.asked;
    reload.asked = ASKED_NOTHING;
    reload.busy = what != ASKED_NOTHING;
    if (!reload.busy)
      pthread_cond_broadcast (&reload.rests);
    pthread_mutex_unlock (&reload.lock);
    if (what == ASKED_NOTHING)
      break;
    read_again (what);
  }
  return NULL;
}

static void
ask (Asked what)
{
  pthread_t thread;
  g_autoptr (GError) error = NULL;
  pthread_mutex_lock (&reload.lock);
  reload.asked = MAX (reload.asked, what); /* the file may have been changed since it was read */
  if (!reload.busy && !reload.ended && thread_start (&thread, reload_main, NULL, &error)) {
    pthread_detach (thread);
    reload.busy = TRUE;
  }
  pthread_mutex_unlock (&reload.lock);
  if (error != NULL)
    refuse (error);
}

void
reload_ask (void)
{
  ask (ASKED_ALL);
}

void
reload_ask_left_out (void)
{
  ask (ASKED_LEFT_OUT);
}

/* Thread: watchdog; main for a signal that came before reload_begin. */
static void
on_hangup (gpointer data)
{
  reload_ask ();
}

void
reload_begin (const EngineOptions *options, Service *service)
{
  reload.options = options;
  reload.jobs = options->jobs;
  reload.service = service;
  watchdog_on_hangup (on_hangup, NULL);
}

void
reload_end (void)
{
  watchdog_on_hangup (NULL, NULL);
  pthread_mutex_lock (&reload.lock);
  reload.ended = TRUE;
  while (reload.busy)
    pthread_cond_wait (&reload.rests, &reload.lock);
  pthread_mutex_unlock (&reload.lock);
}
