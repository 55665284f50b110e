#include "base/fault.h"
#ifdef PRUNED_FAULTS
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* The linker's bounds of the section. Weak: a program may have no fault point. */
extern const FaultPoint __start_fault_points[] __attribute__ ((weak));
extern const FaultPoint __stop_fault_points[] __attribute__ ((weak));

typedef enum { ACTION_KILL, ACTION_STOP, ACTION_SLEEP, ACTION_ERROR } Action;

/* The fault that PRUNED_FAULT arms. Written once, before the first passage is counted. */
static struct {
  char *point;
  const char *subject; /* NULL: any */
  Action action;
  guint64 sleep_ms;
  guint64 nth;
} armed;
static atomic_uint_fast64_t passages;
static pthread_once_t arming = PTHREAD_ONCE_INIT;

static gboolean
is_listed (const char *name)
{
  g_autofree const char **names = fault_list ();
  return g_strv_contains (names, name);
}

static gboolean
parse_action (const char *text)
{
  if (g_str_equal (text, "kill"))
    armed.action = ACTION_KILL;
  else if (g_str_equal (text, "stop"))
    armed.action = ACTION_STOP;
  else if (g_str_equal (text, "error"))
    armed.action = ACTION_ERROR;
  else if (g_str_has_prefix (text, "sleep=")) {
    armed.action = ACTION_SLEEP;
    return g_ascii_string_to_unsigned (text + 6, 10, 0, G_MAXINT, &armed.sleep_ms, NULL);
  } else
    return FALSE;
  return TRUE;
}

/* A fault that cannot be armed aborts: a test that asked for it must not pass without it. */
static void
arm (void)
{
  const char *asked = g_getenv ("PRUNED_FAULT");
  if (asked == NULL || *asked == '\0')
    return;
  g_auto (GStrv) parts = g_strsplit (asked, ":", 3);
  armed.nth = 1;
  char *subject = strchr (parts[0], '=');
  if (subject != NULL)
    *subject++ = '\0';
  if (parts[1] == NULL || !parse_action (parts[1])
      || (parts[2] != NULL
          && !g_ascii_string_to_unsigned (parts[2], 10, 1, G_MAXINT, &armed.nth, NULL)))
    g_error ("PRUNED_FAULT=%s: expected <point>[=<subject>]:kill|stop|sleep=<ms>|error[:<n>]",
             asked);
  if (!is_listed (parts[0]))
    g_error ("PRUNED_FAULT=%s: there is no fault point '%s'", asked, parts[0]);
  armed.subject = g_strdup (subject);
  armed.point = g_strdup (parts[0]);
}

/* Whether the armed fault strikes at this passage. */
static gboolean
is_hit (const char *name, const char *subject)
{
  pthread_once (&arming, arm);
  if (armed.point == NULL || !g_str_equal (armed.point, name)
      || (armed.subject != NULL && g_strcmp0 (armed.subject, subject) != 0))
    return FALSE;
  return atomic_fetch_add (&passages, 1) + 1 == armed.nth;
}

static void
act (void)
{
  switch (armed.action) {
  case ACTION_KILL:
    kill (getpid (), SIGKILL);
    break;
  case ACTION_STOP:
    kill (getpid (), SIGSTOP);
    break;
  case ACTION_SLEEP:
    g_usleep (armed.sleep_ms * 1000);
    break;
  case ACTION_ERROR:
    break;
  }
}

void
fault_pass (const char *name, const char *subject)
{
  if (is_hit (name, subject))
    act ();
}

gboolean
fault_error (const char *name)
{
  if (!is_hit (name, NULL))
    return FALSE;
  act ();
  return armed.action == ACTION_ERROR;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

const char **
fault_list (void)
{
  GPtrArray *names = g_ptr_array_new ();
  for (const FaultPoint *point = __start_fault_points; point < __stop_fault_points; point++)
    if (!g_ptr_array_find_with_equal_func (names, point->name, g_str_equal, NULL))
      g_ptr_array_add (names, (gpointer)point->name);
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (const char **)g_ptr_array_free (names, FALSE);
}

#else

const char **
fault_list (void)
{
  return g_new0 (const char *, 1);
}

#endif
