#include "cli/grants.h"

#include "config/settings.h"

#include <string.h>

#define FILE_NAME "grants.sql"
#define INSTALLED "/usr/local/share/pruned/" FILE_NAME

/* Beside the binary, as `make install` and a package lay it out; or in the tree it was built in. */
static char *
file_path (void)
{
  static const char *const places[] = { "../share/pruned/" FILE_NAME, "../../deploy/" FILE_NAME };
  g_autofree char *binary = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = binary != NULL ? g_path_get_dirname (binary) : NULL;
  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_canonicalize_filename (places[i], folder);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
  return g_strdup (INSTALLED);
}

char *
grants_database (const Config *config, const char *user)
{
  const char *url = config_text (config, "postgres", "url");
  const char *rest = strstr (url, "://");
  if (*url == '\0')
    return g_strdup_printf ("postgresql://%s@HOST/DATABASE", user != NULL ? user : "USER");
  if (rest == NULL || user == NULL)
    return setting_shown_url (url);
  rest += strlen ("://");
  const char *end = rest + strcspn (rest, "/?"), *at = g_strrstr_len (rest, end - rest, "@");
  g_autofree char *escaped = g_uri_escape_string (user, NULL, FALSE);
  g_autofree char *as_user
      = g_strdup_printf ("%.*s%s@%s", (int)(rest - url), url, escaped, at != NULL ? at + 1 : rest);
  return setting_shown_url (as_user);
}

/* As a word of a shell; plain ones stay as they are. */
static char *
word (const char *text)
{
  return g_regex_match_simple ("^[\\w./-]+$", text, 0, 0) ? g_strdup (text) : g_shell_quote (text);
}

char *
grants_command (const Config *config, const char *owner, const char *role)
{
  const char *schema = config_text (config, "postgres", "app_schema");
  g_autofree char *database = grants_database (config, owner), *quoted = word (database),
                  *path = file_path ();
  g_autofree char *file = word (path), *of = word (role != NULL ? role : "NAME"),
                  *app = word (schema);
  return g_strdup_printf ("psql %s -v role=%s%s%s -f %s", quoted, of,
                          g_str_equal (schema, "public") ? "" : " -v app_schema=",
                          g_str_equal (schema, "public") ? "" : app, file);
}

char *
grants_psql (const Config *config, const char *user, const char *sql)
{
  g_autofree char *database = grants_database (config, user), *quoted = word (database),
                  *statement = g_shell_quote (sql);
  return g_strdup_printf ("psql %s -c %s", quoted, statement);
}

/* NULL: it does not answer. */
static PgRows *
ask_whose (Cli *cli)
{
  g_autoptr (Pg) pg = cli_pg_bare (cli, NULL);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) rows = pg != NULL && pg_begin_read_only (pg, NULL)
                                ? pg_run_file (pg, "src/cli/sql/whose.sql", values, NULL)
                                : NULL;
  if (rows != NULL)
    pg_rollback (pg);
  return g_steal_pointer (&rows);
}

char *
grants_asked (Cli *cli)
{
  g_autoptr (PgRows) rows = ask_whose (cli);
  if (rows == NULL)
    return grants_command (cli->config, NULL, NULL);
  return grants_command (cli->config, rows_text (rows, 0, "owner"), rows_text (rows, 0, "role"));
}

char *
grants_as_owner (Cli *cli)
{
  g_autoptr (PgRows) rows = ask_whose (cli);
  const char *ours = rows != NULL ? rows_text (rows, 0, "ours") : NULL;
  const char *owner = ours != NULL ? ours : rows != NULL ? rows_text (rows, 0, "owner") : NULL;
  g_autofree char *database = grants_database (cli->config, owner), *quoted = word (database);
  g_autoptr (GString) command = g_string_new (cli->command->name);
  for (guint i = 0; i < cli->n_arguments; i++) {
    g_autofree char *argument = word (cli->arguments[i]);
    g_string_append_printf (command, " %s", argument);
  }
  return g_strdup_printf (
      "this role%s%s may not; run it as the owner of %s, %s: pruned -s postgres.url=%s %s",
      rows != NULL ? " " : "", rows != NULL ? rows_text (rows, 0, "role") : "",
      ours != NULL ? "schema pruned" : "the application's tables",
      owner != NULL ? owner : "whoever that is", quoted, command->str);
}
