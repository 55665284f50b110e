/* For whom a check asks: the role of the connection, or that of --role. */
#include "cli/check/check.h"

#include "cli/grants.h"

#define NO_ROLE "22023"
#define MAY_NOT "42501"

/* The role that the connection has logged in as; NULL: not known. g_free it. */
static char *
own_role (Check *check)
{
  g_autoptr (PgRows) owners = cli_owners (check->cli);
  return owners != NULL ? g_strdup (rows_text (owners, 0, "role")) : NULL;
}

/* The role of a running daemon, if it is another one. */
static char *
other_role (Check *check)
{
  g_autofree char *own = own_role (check);
  g_autoptr (PgRows) rows = pg_run_alone (check->pg, "src/cli/sql/daemons_role.sql", NULL, NULL);
  const char *role = rows != NULL && rows_count (rows) > 0 ? rows_text (rows, 0, "role") : NULL;
  return own != NULL && role != NULL && !g_str_equal (own, role) ? g_strdup (role) : NULL;
}

static ExitCode
say_refused (Check *check, const char *role, const GError *cause, GError **error)
{
  const char *state = pg_sqlstate (check->pg);
  g_autofree char *own = own_role (check);
  if (g_str_equal (state, NO_ROLE))
    return cli_fail (CODE_NOT_FOUND, error, "--role: there is no role %s in this database", role);
  if (g_str_equal (state, MAY_NOT))
    return cli_fail (CODE_POSTGRES, error,
                     "--role: %s may not act as %s. Run it as a superuser, as %s itself (-s "
                     "postgres.url=...), or as a member: GRANT %s TO %s;",
                     own != NULL ? own : "this role", role, role, role, own != NULL ? own : "ROLE");
  return cli_fail (CODE_POSTGRES, error, "%s", cause->message);
}

ExitCode
check_as (Check *check, const char *role, GError **error)
{
  if (role == NULL) {
    check->daemon = other_role (check);
    return CODE_OK;
  }
  g_autoptr (GError) cause = NULL;
  pg_act_as (check->pg, role);
  gboolean may = pg_begin_read_only (check->pg, &cause) && pg_exec (check->pg, "SELECT", &cause);
  pg_rollback (check->pg);
  check->role = role;
  return may ? CODE_OK : say_refused (check, role, cause, error);
}

/* Rights were asked of the connection's role, and all is well. */
void
check_say_role (Check *check)
{
  if (check->daemon == NULL)
    return;
  g_autofree char *name = g_shell_quote (check->daemon),
                  *remedy = g_strdup_printf ("pruned check %s --role %s", check->job->name, name);
  check_warn (check, "role", (CheckPlace){ 0 }, remedy,
              "a daemon runs as %s: what is said of rights is about the role of this command",
              check->daemon);
}

void
check_session (Check *check)
{
  if (check->role != NULL || check->daemon != NULL)
    return;
  g_autoptr (PgRows) rows
      = pg_run_alone (check->pg, "src/cli/sql/session_settings.sql", NULL, NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *remedy
        = grants_psql (check->cli->config, "postgres", rows_text (rows, i, "remedy"));
    if (rows_bool (rows, i, "wrong"))
      check_error (check, CODE_POSTGRES, "session", (CheckPlace){ 0 }, remedy, "%s is %s: %s",
                   rows_text (rows, i, "name"), rows_text (rows, i, "value"),
                   rows_text (rows, i, "why"));
  }
}
