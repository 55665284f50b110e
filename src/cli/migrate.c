#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/grants.h"
#include "cli/note.h"
#include "cli/topics.h"
#include "engine/ledger/database.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/keeping.h"
#include "engine/ledger/schema.h"

static gboolean indexes, topics, dry_run;
static char *identity;

const GOptionEntry migrate_options[] = {
  { "indexes", 0, 0, G_OPTION_ARG_NONE, &indexes,
    "also make the indexes that jobs want on the application's tables (CREATE INDEX CONCURRENTLY)",
    NULL },
  { "topics", 0, 0, G_OPTION_ARG_NONE, &topics, "also do what `pruned topics --apply` does", NULL },
  { "identity", 0, 0, G_OPTION_ARG_STRING, &identity,
    "of a copy, or a database that has moved: keep the identity that it brought, or get a new one",
    "keep|new" },
  { "dry-run", 0, 0, G_OPTION_ARG_NONE, &dry_run, "only print what would be done", NULL },
  { NULL }
};

static const Column COLUMNS[]
    = { { "what" }, { "name" }, { "action" }, { "sql", .detail = TRUE }, { NULL } };

typedef struct {
  Cli *cli;
  guint n;
} Done;

static void
show (Cli *cli, const char *what, const char *name, const char *action, const char *sql)
{
  if (dry_run && !output_is_json (cli->out))
    output_say (cli->out, "-- %s %s: %s\n%s", what, name, action, sql != NULL ? sql : "");
  else
    output_row (cli->out, json_string (what), json_string (name), json_string (action),
                json_string (sql));
}

static void
show_step (const char *step, const char *text, gpointer data)
{
  Done *done = data;
  done->n++;
  show (done->cli, "schema", step, dry_run ? "would apply" : "applied", text);
}

/* Steps before the one that makes the journal leave no row in it. Nobody reads the topics of a
 * schema that is new. */
static gboolean
note_step (Pg *pg, const char *step, gboolean anew, gpointer data, GError **error)
{
  const Done *done = data;
  GError *cause = NULL;
  if (!journal_is_there (pg, &cause)) {
    if (cause != NULL)
      g_propagate_error (error, cause);
    return cause == NULL;
  }
  if (!anew)
    return cli_note (done->cli, pg, NULL, step, NULL, error);
  JournalEntry entry = { done->cli->command->name, step, NULL };
  return journal_put (pg, done->cli->jobs, NULL, &entry, error);
}

static gboolean
make_index (Cli *cli, Pg *pg, const WantedIndex *index, GError **error)
{
  if (index->state == INDEX_THERE)
    return TRUE;
  if (index->state == INDEX_NO_TABLE) {
    show (cli, "index", index->name, "no such table", index->create);
    return TRUE;
  }
  gboolean anew = index->state == INDEX_INVALID;
  g_autofree char *sql
      = g_strconcat (anew ? index->drop : "", anew ? ";\n" : "", index->create, ";", NULL);
  if (!dry_run
      && (!schema_index_make (pg, index, error)
          || !cli_note_alone (cli, pg, "--indexes", index->name, NULL, error))) {
    g_prefix_error (error, "index %s: ", index->name);
    return FALSE;
  }
  show (cli, "index", index->name, dry_run ? "would make" : "made", sql);
  return TRUE;
}

static gboolean
make_indexes (Done *done, Pg *pg, GError **error)
{
  g_autoptr (GPtrArray) wanted = schema_indexes (pg, done->cli->jobs, error);
  for (guint i = 0; wanted != NULL && i < wanted->len; i++) {
    const WantedIndex *index = wanted->pdata[i];
    done->n += index->state != INDEX_THERE;
    if (!make_index (done->cli, pg, index, error))
      return FALSE;
  }
  return wanted != NULL;
}

/* The index of `pruned who` on days of the audit that are older than it. */
static gboolean
index_days (Done *done, Pg *pg, GError **error)
{
  if (dry_run && !schema_check (pg, NULL))
    return TRUE;
  g_autoptr (PgRows) days = pg_run_file (pg, "src/cli/sql/days_without_index.sql", NULL, error);
  for (int i = 0; days != NULL && i < rows_count (days); i++) {
    const char *name = rows_text (days, i, "name"), *make = rows_text (days, i, "make");
    if (!dry_run
        && (!pg_script (pg, rows_text (days, i, "remove"), error) || !pg_script (pg, make, error)
            || !pg_script (pg, rows_text (days, i, "attach"), error)
            || !cli_note_alone (done->cli, pg, "--indexes", name, NULL, error))) {
      g_prefix_error (error, "index %s: ", name);
      return FALSE;
    }
    show (done->cli, "index", name, dry_run ? "would make" : "made", make);
    done->n++;
  }
  return days != NULL;
}

static gboolean
set (Cli *cli, Pg *pg, GError **error)
{
  if (pg_begin (pg, error) && keeping_set (pg, cli->config, error)
      && cli_note (cli, pg, NULL, "keeping", NULL, error) && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}

/* Only the owner can set how long records are kept (engine/ledger/keeping.h). A dry run has nothing
 * to compare with while the schema does not exist. */
static gboolean
keep (Done *done, Pg *pg, GError **error)
{
  if (dry_run && !schema_check (pg, NULL))
    return TRUE;
  g_autoptr (PgRows) differs = keeping_differs (pg, done->cli->config, error);
  for (int i = 0; differs != NULL && i < rows_count (differs); i++) {
    const char *days = rows_text (differs, i, "wanted");
    g_autofree char *action
        = days != NULL ? g_strdup_printf ("%s%s %s", dry_run ? "would be kept for " : "kept for ",
                                          days, plural (g_str_equal (days, "1"), "day", "days"))
                       : g_strdup (dry_run ? "would be kept as the others" : "kept as the others");
    show (done->cli, "keeping", rows_text (differs, i, "what"), action, NULL);
    done->n++;
  }
  return differs != NULL && (dry_run || rows_count (differs) == 0 || set (done->cli, pg, error));
}

static gboolean
put_identity (Cli *cli, Pg *pg, gboolean anew, char **database, GError **error)
{
  g_autofree char *object = NULL;
  gboolean ok = pg_begin (pg, error) && database_put (pg, anew, database, error);
  if (ok)
    object = g_strconcat (identity != NULL ? identity : "new", " ", *database, NULL);
  if (ok && cli_note (cli, pg, "--identity", object, NULL, error) && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}

/* Only the user knows whether this one takes the place of the database that it was copied from.
 * *COPIED: that is the error. */
static gboolean
identify (Done *done, Pg *pg, gboolean *copied, GError **error)
{
  g_auto (Origin) origin = { NULL };
  g_autofree char *database = NULL;
  if (dry_run && !schema_check (pg, NULL))
    return TRUE;
  if (!database_look (pg, &origin, error))
    return FALSE;
  const gboolean unnamed = origin.database == NULL;
  if (identity == NULL && !unnamed)
    return !(*copied = !database_check (&origin, error));
  const gboolean anew = unnamed || g_str_equal (identity, "new");
  if (!dry_run && !put_identity (done->cli, pg, anew, &database, error))
    return FALSE;
  done->n++;
  show (done->cli, "identity", dry_run ? origin.name : database,
        dry_run ? (anew ? "would get a new one" : "would be kept")
        : anew  ? "new"
                : "kept",
        NULL);
  return TRUE;
}

ExitCode
command_migrate (Cli *cli, GError **error)
{
  Done done = { cli, 0 };
  if (identity != NULL && !g_str_equal (identity, "keep") && !g_str_equal (identity, "new"))
    return cli_usage (error, "--identity %s: expected keep or new", identity);
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  if (!dry_run || output_is_json (cli->out))
    output_table (cli->out, COLUMNS);
  gboolean copied = FALSE;
  SchemaVisitor visitor = { show_step, note_step, &done };
  gboolean ok = schema_upgrade (pg, dry_run, &visitor, error) && keep (&done, pg, error)
                && identify (&done, pg, &copied, error)
                && (!indexes || (make_indexes (&done, pg, error) && index_days (&done, pg, error)));
  output_end (cli->out);
  if (copied)
    return CODE_CONFIG;
  if (!ok)
    return cli_pg_failed_owner (cli, pg, error);
  if (done.n == 0)
    output_say (cli->out, "%sNothing to do: schema pruned is at step %d.", dry_run ? "-- " : "",
                schema_wanted ());
  else if (!dry_run) {
    g_autofree char *grants = grants_command (cli->config, NULL, NULL);
    output_hint (cli->out, "\nA role of its own for the daemon: %s", grants);
  }
  if (!topics)
    return CODE_OK;
  output_say (cli->out, "%s", "");
  /* Which jobs are in force is known once there is a schema. */
  if (!cli_look_at_tables (cli, error))
    return CODE_POSTGRES;
  ExitCode code = topics_settle (cli, !dry_run, error);
  return dry_run && code == CODE_NOT_FOUND ? CODE_OK : code;
}
