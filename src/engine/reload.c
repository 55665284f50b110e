#include "engine/reload.h"

#include "engine/clock/dispatcher.h"
#include "engine/guard.h"
#include "engine/job/in_force.h"

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

/* Puts FRESH in force, but for settings that need a restart. A step that is running keeps the
 * settings it began with. */
static gboolean
take_over (Config *fresh, GError **error)
{
  config_keep_fixed (fresh, in_force_config ());
  if (!in_force_replace (reload.options->jobs, fresh, error))
    return FALSE;
  wake_in (reload.service->wake, 0);
  atomic_store (&reload.service->shared.reloaded, TRUE);
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
read_again (void)
{
  g_autoptr (GError) error = NULL;
  Config *fresh = reload.options->reread (reload.options->data, &error);
  if (fresh == NULL) {
    refuse (error);
    return;
  }
  in_force_renew ();
  g_autoptr (GPtrArray) live = g_ptr_array_new_with_free_func (g_free),
                        fixed = g_ptr_array_new_with_free_func (g_free);
  config_compare (in_force_config (), fresh, live, fixed);
  if (!take_over (fresh, &error)) {
    refuse (error);
    return;
  }
  in_force_renew ();
  g_autofree char *changed = list_of (live), *waiting = list_of (fixed);
  gboolean first = !log_enabled (LOG_INFO);
  if (first)
    set_up_log (in_force_config ());
  log_line (waiting != NULL ? LOG_WARNING : LOG_INFO, "Configuration reloaded", "changed",
            changed != NULL ? changed : "nothing", "needs_restart", waiting, NULL);
  if (!first)
    set_up_log (in_force_config ());
}

static void *
reload_main (void *data)
{
  pthread_setname_np (pthread_self (), "reload");
  gboolean again = TRUE;
  while (again) {
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

/* Thread: guard; main for a signal that came before reload_begin. */
static void
on_hangup (gpointer data)
{
  pthread_t thread;
  pthread_mutex_lock (&reload.lock);
  if (reload.busy)
    reload.again = TRUE; /* the file may have been changed since it was read */
  else if (!reload.ended && pthread_create (&thread, NULL, reload_main, NULL) == 0) {
    pthread_detach (thread);
    reload.busy = TRUE;
  }
  pthread_mutex_unlock (&reload.lock);
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
