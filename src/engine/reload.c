#include "engine/reload.h"

#include "engine/clock/dispatcher.h"
#include "engine/guard.h"

static struct {
  const EngineOptions *options;
  Service *service;
  pthread_mutex_t lock;
  pthread_cond_t rests;
  gboolean busy, again, ended; /* under the lock */
} reload = { .lock = PTHREAD_MUTEX_INITIALIZER, .rests = PTHREAD_COND_INITIALIZER };

static char *
list_of (GPtrArray *keys)
{
  g_ptr_array_add (keys, NULL);
  return keys->len > 1 ? g_strjoinv (", ", (char **)keys->pdata) : NULL;
}

/* The settings are those of FRESH from here on, as far as they may be. */
static void
take_over (const Config *fresh)
{
  Service *service = reload.service;
  Config *config = reload.options->config;
  g_autoptr (GError) error = NULL;
  pthread_rwlock_wrlock (&service->settings);
  config_adopt (config, fresh);
  gboolean ok = jobs_configure (reload.options->jobs, config, &error);
  pthread_rwlock_unlock (&service->settings);
  if (!ok) /* each was checked when it was read */
    {
      service_fail (service, error);
      return;
    }
  g_atomic_int_set (&service->replant, TRUE);
  wake_in (service->wake, 0);
}

static void
set_up_log (const Config *config)
{
  LogLevel level = LOG_INFO;
  (void)log_level_parse (config_text (config, "log", "level"), &level);
  log_setup (level, g_str_equal (config_text (config, "log", "format"), "json"));
}

static void
read_again (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Config) fresh = reload.options->reread (reload.options->data, &error);
  if (fresh == NULL)
    {
      log_error ("The configuration was not reloaded: the settings stay as they were", "error", error->message);
      return;
    }
  g_autoptr (GPtrArray) live = g_ptr_array_new_with_free_func (g_free), fixed = g_ptr_array_new_with_free_func (g_free);
  config_compare (reload.options->config, fresh, live, fixed);
  if (live->len > 0)
    take_over (fresh);
  g_autofree char *changed = list_of (live), *waiting = list_of (fixed);
  gboolean first = !log_enabled (LOG_INFO);
  if (first)
    set_up_log (fresh);
  log_line (waiting != NULL ? LOG_WARNING : LOG_INFO, "Configuration reloaded", "changed", changed != NULL ? changed : "nothing",
            "needs_restart", waiting, NULL);
  if (!first)
    set_up_log (fresh);
}

static void *
reload_main (void *data)
{
  pthread_setname_np (pthread_self (), "reload");
  gboolean again = TRUE;
  while (again)
    {
      read_again ();
      pthread_mutex_lock (&reload.lock);
      again = reload.again;
      reload.again = FALSE;
      reload.busy = again;
      if (!again)
        pthread_cond_broadcast (&reload.rests);
      pthread_mutex_unlock (&reload.lock);
    }
  return NULL;
}

/* Thread: guard. */
static void
on_hangup (gpointer data)
{
  pthread_t thread;
  pthread_mutex_lock (&reload.lock);
  if (reload.ended)
    log_info ("The process ends: the configuration is not reloaded");
  else if (reload.busy)
    reload.again = TRUE; /* the file may have been changed since it was read */
  else if (pthread_create (&thread, NULL, reload_main, NULL) == 0)
    {
      pthread_detach (thread);
      reload.busy = TRUE;
    }
  pthread_mutex_unlock (&reload.lock);
}

void
reload_init (Service *service)
{
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init (&attributes);
  /* Or there would always be a step under way. */
  pthread_rwlockattr_setkind_np (&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init (&service->settings, &attributes);
  pthread_rwlockattr_destroy (&attributes);
}

void
reload_begin (const EngineOptions *options, Service *service)
{
  reload.options = options;
  reload.service = service;
  guard_on_hangup (on_hangup, NULL);
}

void
reload_end (void)
{
  guard_on_hangup (NULL, NULL);
  pthread_mutex_lock (&reload.lock);
  reload.ended = TRUE;
  while (reload.busy)
    pthread_cond_wait (&reload.rests, &reload.lock);
  pthread_mutex_unlock (&reload.lock);
}
