#include "cli/grants.h"

#include "config/settings.h"

#include <string.h>

char *
grants_user (const char *url)
{
  const char *rest = strstr (url, "://");
  g_autoptr (GMatchInfo) match = NULL;
  if (rest == NULL) {
    g_autoptr (GRegex) pattern = g_regex_new ("\\buser\\s*=\\s*'?([^'\\s]+)", 0, 0, NULL);
    return g_regex_match (pattern, url, 0, &match) ? g_match_info_fetch (match, 1) : NULL;
  }
  rest += strlen ("://");
  const char *end = rest + strcspn (rest, "/?"), *at = g_strrstr_len (rest, end - rest, "@");
  const char *colon = at != NULL ? memchr (rest, ':', (size_t)(at - rest)) : NULL;
  if (at == NULL || at == rest || colon == rest)
    return NULL;
  g_autofree char *user = g_strndup (rest, (gsize)((colon != NULL ? colon : at) - rest));
  return g_uri_unescape_string (user, NULL);
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

char *
grants_word (const char *text)
{
  return g_regex_match_simple ("^[\\w.:/-]+$", text, 0, 0) ? g_strdup (text) : g_shell_quote (text);
}

char *
grants_command (const Config *config, const char *owner, const char *role)
{
  g_autofree char *database = grants_database (config, owner), *quoted = grants_word (database),
                  *of = grants_word (role != NULL ? role : "NAME");
  return g_strdup_printf ("pruned grants --role %s | psql -v ON_ERROR_STOP=1 %s", of, quoted);
}

char *
grants_psql (const Config *config, const char *user, const char *sql)
{
  g_autofree char *database = grants_database (config, user), *quoted = grants_word (database),
                  *statement = g_shell_quote (sql);
  return g_strdup_printf ("psql %s -c %s", quoted, statement);
}

char *
grants_of (const Config *config, const PgRows *owners)
{
  if (owners == NULL)
    return grants_command (config, NULL, NULL);
  return grants_command (config, rows_text (owners, 0, "owner"), rows_text (owners, 0, "role"));
}

char *
grants_as_owner (const Cli *cli, const PgRows *owners)
{
  const char *ours = owners != NULL ? rows_text (owners, 0, "ours") : NULL;
  const char *owner = ours != NULL ? ours : owners != NULL ? rows_text (owners, 0, "owner") : NULL;
  const char *lacks = ours == NULL && owners != NULL ? rows_text (owners, 0, "lacks") : NULL;
  if (lacks != NULL && g_str_equal (owner, rows_text (owners, 0, "role"))) {
    g_autofree char *grant = grants_psql (cli->config, rows_text (owners, 0, "of_database"), lacks);
    return g_strdup_printf (
        "this role %s may make no schema in the database; let its owner allow it: %s", owner,
        grant);
  }
  g_autofree char *database = grants_database (cli->config, owner),
                  *quoted = grants_word (database);
  g_autoptr (GString) command = g_string_new (cli->command->name);
  for (guint i = 0; i < cli->n_arguments; i++) {
    g_autofree char *argument = grants_word (cli->arguments[i]);
    g_string_append_printf (command, " %s", argument);
  }
  return g_strdup_printf (
      "this role%s%s may not; run it as the owner of %s, %s: pruned -s postgres.url=%s %s",
      owners != NULL ? " " : "", owners != NULL ? rows_text (owners, 0, "role") : "",
      ours != NULL ? "schema pruned" : "the application's tables",
      owner != NULL ? owner : "(not known)", quoted, command->str);
}
