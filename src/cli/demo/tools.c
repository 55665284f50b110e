/* What the steps of the demo use: questions, commands that are shown, Ctrl-C. */
#include "cli/demo/demo.h"

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void
note_signal (int number)
{
  interrupted = 1;
}

gboolean
demo_is_interrupted (GError **error)
{
  if (interrupted)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "interrupted");
  return interrupted;
}

void
demo_title (Demo *demo, const char *text)
{
  gboolean bold = isatty (STDOUT_FILENO) && g_getenv ("NO_COLOR") == NULL;
  output_say (demo->cli->out, "\n%s%s%s", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

PgRows *
demo_ask (Demo *demo, const char *file, GError **error)
{
  if (!pg_begin (demo->pg, error))
    return NULL;
  PgRows *rows = pg_run_file (demo->pg, file, NULL, error);
  pg_rollback (demo->pg);
  return rows;
}

gboolean
demo_type (Demo *demo, GError **error, const char *argument, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GString) shown = g_string_new ("pruned");
  g_autoptr (GError) cause = NULL;
  const char *const begin[] = { DEMO_SELF, "-c", demo->conf, NULL };
  for (guint i = 0; begin[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer)begin[i]);
  if (output_is_json (demo->cli->out))
    g_ptr_array_add (argv, "--json");
  va_list list;
  va_start (list, argument);
  for (const char *word = argument; word != NULL; word = va_arg (list, const char *)) {
    g_ptr_array_add (argv, (gpointer)word);
    g_string_append_printf (shown, " %s", word);
  }
  va_end (list);
  g_ptr_array_add (argv, NULL);
  output_say (demo->cli->out, "$ %s", shown->str);
  output_flush (demo->cli->out);
  if (child_run ((const char *const *)argv->pdata, demo->folder, NULL, NULL, &cause))
    return TRUE;
  if (cause->domain == PRUNED_ERROR)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s failed, see above", shown->str);
  else
    g_propagate_error (error, g_steal_pointer (&cause)); /* it was not started */
  return FALSE;
}

gboolean
demo_tick (Demo *demo, const char *job, GError **error)
{
  demo->ticks++;
  return demo_type (demo, error, "tick", job, NULL);
}

void
demo_catch_signals (void)
{
  struct sigaction action = { .sa_handler = note_signal };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGHUP, &action, NULL);
}

void
demo_forget_interrupt (void)
{
  interrupted = 0;
}
