/* Checks who could make the daemon run code of theirs: owners of what is in schema pruned, and
 * roles that can create functions where the daemon looks for them. */
#include "cli/doctor/doctor.h"
#include "cli/grants.h"
#include "engine/ledger/schema.h"

#define SQL "src/cli/doctor/sql/"

/* Whoever owns a table or function of ours can run code as the daemon. `pruned migrate` refuses to
 * go on then. */
static void
check_owners (Doctor *doctor)
{
  const char *ours = doctor->ours != NULL ? doctor->ours : doctor->owner;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "role", ours);
  g_autoptr (PgRows) rows = doctor_ask (doctor, "owners", SCHEMA_STRANGERS, values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *remedy
        = grants_psql (doctor->cli->config, "postgres", rows_text (rows, i, "remedy"));
    doctor_error (
        doctor, CODE_POSTGRES, "owners", remedy,
        "%s owns %s, and %s the rest: an owner can run code as the daemon, and drop the audit (look at what is there before it is taken"
        " over)",
        rows_text (rows, i, "owner"), rows_text (rows, i, "things"), rows_text (rows, i, "role"));
  }
  if (rows != NULL && rows_count (rows) == 0 && doctor->ours != NULL)
    doctor_ok (doctor, "owners", "schema pruned and what is in it belong to %s", ours);
}

/* A role that can create operators or functions for the application's types, or in our schema, can
 * make the daemon run them. */
static void
check_creators (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (doctor->cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "creators", SQL "creators.sql", values);
  if (rows == NULL)
    return;
  if (rows_count (rows) == 0) {
    doctor_ok (
        doctor, "creators",
        "only their owners can create functions in the schemas of the path and in schema pruned");
    return;
  }
  g_autofree char *list = doctor_list (rows, "name");
  g_autoptr (GString) sql = g_string_new (NULL);
  for (int i = 0; i < rows_count (rows); i++)
    g_string_append_printf (sql, "%s%s", i > 0 ? "; " : "", rows_text (rows, i, "remedy"));
  g_autofree char *remedy = grants_psql (doctor->cli->config, doctor->owner, sql->str);
  doctor_warn (
      doctor, "creators", remedy,
      "functions, operators and types can be created by %s, who can so make the daemon run them with its rights",
      list);
}

void
doctor_owners (Doctor *doctor)
{
  check_owners (doctor);
  check_creators (doctor);
}
