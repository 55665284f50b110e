#include "cli/fleet/fleet_run.h"

#include "base/error.h"

#include <gio/gio.h>
#include <string.h>

#define AT_ONCE 16

typedef struct {
  GPtrArray *members;
  const char *const *arguments;
  guint seconds, next, open;
  GMainLoop *loop;
} Fleet;

typedef struct {
  Fleet *fleet;
  FleetMember *member;
  GSubprocess *child;
  guint timer; /* 0: it has gone off */
} Turn;

static void
member_free (gpointer data)
{
  FleetMember *member = data;
  g_free (member->name);
  g_free (member->path);
  g_free (member->error);
  json_decref (member->said);
  g_free (member);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(FleetMember *const *)a)->name, (*(FleetMember *const *)b)->name);
}

static GPtrArray *
members_of (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (member_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  if (dir == NULL)
    return NULL;
  for (const char *file; (file = g_dir_read_name (dir)) != NULL;) {
    if (*file == '.' || !g_str_has_suffix (file, ".conf"))
      continue;
    FleetMember *member = g_new0 (FleetMember, 1);
    member->name = g_strndup (file, strlen (file) - strlen (".conf"));
    member->path = g_build_filename (folder, file, NULL);
    member->said = json_array ();
    member->code = -1;
    g_ptr_array_add (members, member);
  }
  if (members->len == 0) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s has no *.conf: fleet wants a folder with a configuration for each database",
                 folder);
    return NULL;
  }
  g_ptr_array_sort (members, by_name);
  return g_steal_pointer (&members);
}

static void
take_said (FleetMember *member, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    json_t *object = **line == '{' ? json_loads (*line, 0, NULL) : NULL;
    if (object != NULL)
      json_array_append_new (member->said, object);
  }
}

static void
take_error (FleetMember *member, char *text)
{
  char *last = strrchr (g_strchomp (text), '\n');
  last = last != NULL ? last + 1 : text;
  if (*last != '\0')
    member->error
        = g_strdup (g_str_has_prefix (last, "pruned: ") ? last + strlen ("pruned: ") : last);
}

static void start_more (Fleet *fleet);

static void
ended (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autofree Turn *turn = data;
  FleetMember *member = turn->member;
  Fleet *fleet = turn->fleet;
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr (GError) error = NULL;
  gboolean late = turn->timer == 0;
  if (!late)
    g_source_remove (turn->timer);
  if (late)
    member->error = g_strdup_printf ("no answer within %u s", fleet->seconds);
  else if (!g_subprocess_communicate_utf8_finish (G_SUBPROCESS (object), result, &out, &err,
                                                  &error))
    member->error = g_strdup (error->message);
  else {
    if (g_subprocess_get_if_exited (turn->child))
      member->code = g_subprocess_get_exit_status (turn->child);
    take_said (member, out);
    take_error (member, err);
  }
  g_object_unref (turn->child);
  fleet->open--;
  start_more (fleet);
}

static gboolean
too_late (gpointer data)
{
  Turn *turn = data;
  turn->timer = 0;
  g_subprocess_force_exit (turn->child);
  return G_SOURCE_REMOVE;
}

static GSubprocess *
start (const Fleet *fleet, const FleetMember *member, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_auto (GStrv) names = g_listenv ();
  for (char **name = names; *name != NULL; name++)
    if (g_str_has_prefix (*name, "PRUNED_"))
      g_subprocess_launcher_unsetenv (launcher, *name);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_ptr_array_add (argv, "/proc/self/exe");
  g_ptr_array_add (argv, "-c");
  g_ptr_array_add (argv, member->path);
  g_ptr_array_add (argv, "--json");
  for (const char *const *argument = fleet->arguments; *argument != NULL; argument++)
    g_ptr_array_add (argv, (char *)*argument);
  g_ptr_array_add (argv, NULL);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *)argv->pdata, error);
}

static void
start_more (Fleet *fleet)
{
  while (fleet->open < AT_ONCE && fleet->next < fleet->members->len) {
    FleetMember *member = g_ptr_array_index (fleet->members, fleet->next++);
    g_autoptr (GError) error = NULL;
    GSubprocess *child = start (fleet, member, &error);
    if (child == NULL) {
      member->error = g_strdup (error->message);
      continue;
    }
    Turn *turn = g_new0 (Turn, 1);
    *turn = (Turn){ .fleet = fleet, .member = member, .child = child };
    turn->timer = g_timeout_add_seconds (fleet->seconds, too_late, turn);
    fleet->open++;
    g_subprocess_communicate_utf8_async (child, NULL, NULL, ended, turn);
  }
  if (fleet->open == 0)
    g_main_loop_quit (fleet->loop);
}

GPtrArray *
fleet_run (const char *folder, const char *const *arguments, guint seconds, GError **error)
{
  g_autoptr (GPtrArray) members = members_of (folder, error);
  if (members == NULL)
    return NULL;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Fleet fleet = { members, arguments, seconds, 0, 0, loop };
  start_more (&fleet);
  if (fleet.open > 0)
    g_main_loop_run (loop);
  return g_steal_pointer (&members);
}
