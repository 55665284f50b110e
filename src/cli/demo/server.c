#include "cli/demo/server.h"
#include "cli/demo/child.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define DEBIAN "/usr/lib/postgresql" /* has a folder for each version */
#define STOP_MS 10000

struct _DemoServer {
  char *url;
  Child *child;
};

/* The user that PostgreSQL runs as, because it refuses root; NULL: there is none. */
static const struct passwd *
unprivileged (void)
{
  const struct passwd *user = getpwnam ("postgres");
  return user != NULL ? user : getpwnam ("nobody");
}

/* PROGRAM of the newest version that Debian's packages installed. */
static char *
find_debian (const char *program)
{
  g_autoptr (GDir) dir = g_dir_open (DEBIAN, 0, NULL);
  g_autofree char *best = NULL;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (DEBIAN, name, "bin", program, NULL);
    if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE)
        || (best != NULL && atof (best) > g_ascii_strtod (name, NULL)))
      continue;
    g_free (best);
    best = g_strdup (name);
  }
  return best != NULL ? g_build_filename (DEBIAN, best, "bin", program, NULL) : NULL;
}

static char *
find_program (const char *program, GError **error)
{
  char *path = g_find_program_in_path (program);
  if (path == NULL)
    path = find_debian (program);
  if (path == NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "no %s on this machine; on Debian: apt-get install postgresql", program);
  return path;
}

/* If we are root, the folder must belong to the user that PostgreSQL runs as. */
static gboolean
give_away (const char *folder, const struct passwd *user, GError **error)
{
  if (geteuid () != 0 || (user != NULL && chown (folder, user->pw_uid, user->pw_gid) == 0))
    return TRUE;
  return error_fatal (error, "%s cannot be given to user postgres: %s", folder,
                      user != NULL ? g_strerror (errno) : "no such user");
}

static gboolean
init (const char *folder, const char *data, const char *user, GError **error)
{
  g_autofree char *initdb = find_program ("initdb", error),
                  *log = g_build_filename (folder, "initdb.log", NULL);
  const char *argv[] = { initdb,  "-D", data,   "-U",         "postgres",  "-A",
                         "trust", "-E", "UTF8", "--locale=C", "--no-sync", NULL };
  return initdb != NULL && child_run (argv, folder, log, user, error);
}

static Child *
start (const char *folder, const char *data, const char *user, GError **error)
{
  g_autofree char *program = find_program ("postgres", error),
                  *log = g_build_filename (folder, "postgres.log", NULL);
  /* Its data is removed at the end, so nothing must reach the disk. */
  const char *argv[] = { program,
                         "-D",
                         data,
                         "-k",
                         folder,
                         "-c",
                         "listen_addresses=",
                         "-c",
                         "fsync=off",
                         "-c",
                         "synchronous_commit=off",
                         "-c",
                         "full_page_writes=off",
                         "-c",
                         "max_wal_size=2GB",
                         NULL };
  return program != NULL ? child_new (argv, folder, log, user, error) : NULL;
}

DemoServer *
server_new (const char *folder, GError **error)
{
  const struct passwd *user = unprivileged ();
  g_autofree char *name = user != NULL ? g_strdup (user->pw_name) : NULL;
  g_autofree char *data = g_build_filename (folder, "data", NULL);
  if (!give_away (folder, user, error) || !init (folder, data, name, error))
    return NULL;
  Child *child = start (folder, data, name, error);
  if (child == NULL)
    return NULL;
  DemoServer *server = g_new0 (DemoServer, 1);
  server->child = child;
  server->url = g_strdup_printf ("host=%s user=postgres dbname=postgres", folder);
  return server;
}

void
server_free (DemoServer *server)
{
  if (server == NULL)
    return;
  child_stop (server->child, SIGINT, STOP_MS);
  child_free (server->child);
  g_free (server->url);
  g_free (server);
}

const char *
server_url (const DemoServer *server)
{
  return server->url;
}

gboolean
server_is_running (DemoServer *server)
{
  return child_is_running (server->child);
}
