#include "engine/ledger/schema.h"

#include "base/resource.h"

#include <stdlib.h>
#include <string.h>

#define STAYS_FROM 22 /* what `pruned stop` and such use is there since this step */
#define FOLDER "schemas/postgres"

/* Names of the steps, in order: NNN-name.sql. */
static char **
steps (void)
{
  return resource_list (FOLDER, NULL);
}

static int
step_version (const char *name)
{
  return (int)g_ascii_strtoll (name, NULL, 10);
}

int
schema_wanted (void)
{
  g_auto (GStrv) names = steps ();
  guint n = g_strv_length (names);
  g_assert (n > 0);
  return step_version (names[n - 1]);
}

/* The last step applied; 0: none, no schema. -1: error. */
static int
schema_found (Pg *pg, GError **error)
{
  g_autoptr (PgRows) there
      = pg_run_file (pg, "src/engine/ledger/sql/schema_there.sql", NULL, error);
  if (there == NULL)
    return -1;
  if (!rows_bool (there, 0, "there"))
    return 0;
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/schema_version.sql", NULL, error);
  return rows != NULL ? (int)rows_int (rows, 0, "version") : -1;
}

static gboolean
check_server (Pg *pg, GError **error)
{
  if (!pg_ensure (pg, error))
    return FALSE;
  int version = pg_server_version (pg);
  if (version >= SCHEMA_POSTGRES_LEAST)
    return TRUE;
  return error_fatal (error, "PostgreSQL %d is too old: %d or newer is needed", version / 10000,
                      SCHEMA_POSTGRES_LEAST / 10000);
}

static gboolean
fail_newer (int found, int wanted, GError **error)
{
  return error_fatal (
      error, "schema pruned is newer than this program: step %d, wanted %d; install a newer pruned",
      found, wanted);
}

/* The oldest program that can work with the schema, if the schema is newer than this program; 0:
 * error. */
static int
compatible_from (Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/schema_compatible.sql", NULL, error);
  return rows != NULL ? (int)rows_int (rows, 0, "compatible_from") : 0;
}

static gboolean
check_newer (Pg *pg, int found, int wanted, GError **error)
{
  int least = compatible_from (pg, error);
  if (least == 0 || least <= wanted)
    return least != 0;
  return error_fatal (
      error,
      "schema pruned is newer than this program: step %d, wanted %d; it needs a program that knows step %d;"
      " install a newer pruned",
      found, wanted, least);
}

/* ANY: what the caller uses is there from STAYS_FROM on. */
static gboolean
check (Pg *pg, gboolean any, GError **error)
{
  if (!check_server (pg, error))
    return FALSE;
  int wanted = schema_wanted (), found = schema_found (pg, error);
  if (found < 0)
    return FALSE;
  if (found == wanted)
    return TRUE;
  if (any && found >= STAYS_FROM)
    return TRUE;
  if (found > wanted)
    return check_newer (pg, found, wanted, error);
  if (found == 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "schema pruned is not there; run: pruned migrate");
  else
    g_set_error (
        error, PRUNED_ERROR, PRUNED_FATAL,
        "schema pruned is older than this program: step %d, wanted %d; run: pruned migrate", found,
        wanted);
  return FALSE;
}

gboolean
schema_check (Pg *pg, GError **error)
{
  return check (pg, FALSE, error);
}

gboolean
schema_check_there (Pg *pg, GError **error)
{
  return check (pg, TRUE, error);
}

static gboolean
store_version (Pg *pg, int version, const char *text, GError **error)
{
  static const char mark[] = "-- compatible_from:";
  const char *from = strstr (text, mark);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "version", version);
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/schema_note.sql", values, error);
  if (rows == NULL || from == NULL)
    return rows != NULL;
  pg_values_int (values, "compatible_from", g_ascii_strtoll (from + strlen (mark), NULL, 10));
  g_autoptr (PgRows) noted
      = pg_run_file (pg, "src/engine/ledger/sql/schema_note_compatible.sql", values, error);
  return noted != NULL;
}

/* An owner can replace a function that the daemon calls, and drop the audit. */
static gboolean
check_owners (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "role", NULL); /* the current one */
  g_autoptr (PgRows) rows = pg_run_file (pg, SCHEMA_STRANGERS, values, error);
  if (rows == NULL || rows_count (rows) == 0)
    return rows != NULL;
  const char *owner = rows_text (rows, 0, "owner");
  return error_fatal (
      error,
      "role %s owns %s, and is neither this role (%s) nor one that it is a member of, nor the owner of the database: it can run code as"
      " whoever uses schema pruned, and drop the audit. If %s made it for this program, run: pruned migrate as %s; if not, look at what is there,"
      " then drop the schema or change its owner",
      owner, rows_text (rows, 0, "things"), rows_text (rows, 0, "role"), owner, owner);
}

typedef struct {
  const char *name, *text;
  gboolean fresh; /* there was no schema when the migration began */
} SchemaStep;

/* In the transaction that the caller has begun. Checks the version again under the lock: another
 * migration can have applied the step. *APPLIED: whether this one did. */
static gboolean
apply_locked (Pg *pg, const SchemaStep *step, gboolean *applied, GError **error)
{
  int version = step_version (step->name);
  *applied = FALSE;
  if (!pg_exec (pg, "SET LOCAL statement_timeout = 0", error)
      || (step->fresh && !pg_exec (pg, "SET LOCAL pruned.fresh = 'on'", error))
      || !pg_exec (pg, "SET LOCAL lock_timeout = 0", error)
      || !pg_exec (pg, "SET LOCAL idle_in_transaction_session_timeout = 0", error))
    return FALSE;
  g_autoptr (PgRows) lock = pg_run_file (pg, "src/engine/ledger/sql/schema_lock.sql", NULL, error);
  if (lock == NULL || !check_owners (pg, error))
    return FALSE;
  int found = schema_found (pg, error);
  if (found < 0 || found >= version)
    return found >= version;
  *applied = TRUE;
  return pg_script (pg, step->text, error) && store_version (pg, version, step->text, error)
         && check_owners (pg, error);
}

static gboolean
apply_step (Pg *pg, const SchemaStep *step, const SchemaVisitor *visitor, gboolean *applied,
            GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  if (apply_locked (pg, step, applied, error)
      && (!*applied || visitor->note (pg, step->name, step->fresh, visitor->data, error))
      && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  g_prefix_error (error, "%s: ", step->name);
  return FALSE;
}

gboolean
schema_upgrade (Pg *pg, gboolean dry_run, const SchemaVisitor *visitor, GError **error)
{
  if (!check_server (pg, error) || !check_owners (pg, error))
    return FALSE;
  int found = schema_found (pg, error);
  if (found > schema_wanted ())
    return fail_newer (found, schema_wanted (), error);
  g_auto (GStrv) names = steps ();
  for (guint i = 0; found >= 0 && names[i] != NULL; i++) {
    if (step_version (names[i]) <= found)
      continue;
    g_autofree char *path = g_build_filename (FOLDER, names[i], NULL);
    g_autofree char *text = resource_text (path, error);
    gboolean applied = TRUE;
    const SchemaStep step = { names[i], text, found == 0 };
    if (text == NULL || (!dry_run && !apply_step (pg, &step, visitor, &applied, error)))
      return FALSE;
    if (applied)
      visitor->visit (names[i], text, visitor->data);
  }
  return found >= 0;
}
