/* `pruned grants`: the rights of a daemon's role, as SQL for the owner of the tables. */
#include "cli/acl.h"
#include "cli/commands.h"
#include "cli/grants.h"
#include "cli/own_rights.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/job_rights.h"
#include "engine/ledger/schema.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/sql/"

static char *role, *principal;
static gboolean kafka, producer, reader;

const GOptionEntry grants_options[]
    = { { "role", 0, 0, G_OPTION_ARG_STRING, &role,
          "the daemon's role; default: the user of [postgres] url", "ROLE" },
        { "kafka", 0, 0, G_OPTION_ARG_NONE, &kafka,
          "print commands for Kafka's ACLs instead, of the daemon and of the commands beside it",
          NULL },
        { "producer", 0, 0, G_OPTION_ARG_NONE, &producer,
          "with --kafka: of who sends ticks and events", NULL },
        { "reader", 0, 0, G_OPTION_ARG_NONE, &reader, "with --kafka: of who reads outcomes", NULL },
        { "principal", 0, 0, G_OPTION_ARG_STRING, &principal,
          "with --kafka: whose rights; default: User: and sasl.username", "PRINCIPAL" },
        { NULL } };

const char grants_more[]
    = "Prints SQL and runs nothing: the rights that the jobs in force need, those of `pruned restore` included, and no more. Run it "
      "as the owner of the tables after `pruned migrate`, and again after an upgrade, when other jobs are chosen, and when tables "
      "come: pruned grants --role ROLE | psql -v ON_ERROR_STOP=1 OWNERS_URL. All is granted together, or nothing; without "
      "ON_ERROR_STOP psql ends with 0 either way. Behind it, by itself: a job that drops partitions makes the role a member of the "
      "table's owner. Since PostgreSQL 16 that takes a superuser, or the ADMIN OPTION on that owner. Tables that the database lacks are left out; without "
      "a database that cannot be known, and all tables that the jobs name are printed. A name without a schema is one of [postgres] "
      "app_schema. Exit code 3 if schema pruned is not of this version.\n"
      "With --kafka it prints commands for Kafka's ACLs, a line for each right, and needs no database: those of the daemon, or with "
      "--producer or --reader those of who sends ticks and events, or reads outcomes in consumer groups whose names begin with its "
      "own. What is denied of the daemon's, `pruned doctor` names with the same line. `pruned topics --apply` and [topics] create = on "
      "need Create and Alter on the topics, too.";

static const Column COLUMNS[] = { { "sql" }, { NULL } };

/* --- what the jobs in force need --- */

typedef struct {
  GString *jobs, *tables, *rights;
  GHashTable *seen;
} Needed;

static void
need_one (Needed *needed, const Job *job, const char *table, const char *right)
{
  if (!g_hash_table_add (needed->seen, g_strconcat (table, " ", right, NULL)))
    return;
  array_add (needed->jobs, job->name);
  array_add (needed->tables, table);
  array_add (needed->rights, right);
}

/* MAKES and ROOT: what grants.sql says. What a sentence adds is known better (job_rights_filled).
 */
static void
need (const Job *job, const char *table, const char *right, gpointer data)
{
  need_one (data, job, table, right);
  if (g_str_equal (right, "INSERT") && job->sentence == NULL)
    need_one (data, job, table, "MAKES");
  if (g_str_equal (right, "DELETE") && job->follows[0] != NULL)
    need_one (data, job, table, "ROOT");
}

/* A sentence can name all rows below its own (`children = auto`): the catalogue knows the tables.
 */
static const Job *
completed (Pg *pg, const Job *job)
{
  g_autofree char *refusal = NULL;
  g_autoptr (GError) error = NULL;
  const Job *whole
      = pg_begin_read_only (pg, &error) ? job_complete (pg, job, &refusal, &error) : NULL;
  pg_rollback (pg);
  if (whole == NULL)
    log_warning ("Job does not match the database's catalogue", "job", job->name, "reason",
                 refusal != NULL ? refusal : error->message);
  return whole != NULL ? whole : job;
}

static Needed
needs_of (const Jobs *jobs, Pg *pg)
{
  Needed needed = { array_new (), array_new (), array_new (),
                    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  for (guint i = 0; i < jobs_count (jobs); i++) {
    job_rights_each (completed (pg, jobs_at (jobs, i)), need, &needed);
    job_rights_filled (jobs_at (jobs, i), need, &needed);
    job_rights_of_table (jobs_at (jobs, i), need, &needed);
  }
  return needed;
}

static PgValues *
values_of (const Cli *cli, Pg *pg, const char *to)
{
  Needed needed = needs_of (cli->jobs, pg);
  PgValues *values = pg_values_new ();
  g_hash_table_unref (needed.seen);
  pg_values_set (values, "role", to);
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  pg_values_take (values, "job", array_take (needed.jobs));
  pg_values_take (values, "relation", array_take (needed.tables));
  pg_values_take (values, "name", array_take (needed.rights));
  pg_values_set (values, "groups",
                 jobs_find (cli->jobs, "groups.destroy") != NULL ? "true" : "false");
  pg_values_set (values, "users",
                 jobs_find (cli->jobs, "users.destroy") != NULL ? "true" : "false");
  pg_values_set (values, "references",
                 config_job_text (cli->config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (cli->config, "users.delete_placeholder", "references"));
  return values;
}

/* --- what is printed --- */

static void
print (Cli *cli, const char *sql)
{
  if (output_is_json (cli->out))
    output_row (cli->out, json_string (sql));
  else
    output_say (cli->out, "%s;", sql);
}

static void G_GNUC_PRINTF (2, 3) printed (Cli *cli, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *sql = g_strdup_vprintf (format, list);
  va_end (list);
  print (cli, sql);
}

static void
print_own (Cli *cli, const char *to, const char *app_schema)
{
  printed (cli, "GRANT USAGE ON SCHEMA pruned, %s TO %s", app_schema, to);
  /* Takes back what an older version granted. */
  printed (cli, "REVOKE ALL ON ALL TABLES IN SCHEMA pruned FROM %s", to);
  printed (cli, "GRANT EXECUTE ON FUNCTION %s TO %s", own_rights_functions, to);
  for (const OwnRights *own = own_rights; own->table != NULL; own++)
    printed (cli, "GRANT %s ON pruned.%s TO %s", own->rights, own->table, to);
}

/* --- with a database --- */

static gboolean
check_names (const PgRows *names, GError **error)
{
  const char *unknown = rows_text (names, 0, "unknown"), *bare = rows_text (names, 0, "bare");
  if (rows_bool (names, 0, "owns"))
    g_set_error (
        error, PRUNED_ERROR, PRUNED_FATAL,
        "role %s owns schema pruned and needs no rights: name the daemon's role with --role", bare);
  else if (unknown != NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "this version does not know %s: use the version that made it", unknown);
  else if (!rows_bool (names, 0, "known"))
    log_warning ("The role does not exist in this database", "role", bare, "remedy",
                 "CREATE ROLE ... LOGIN");
  return !rows_bool (names, 0, "owns") && unknown == NULL;
}

/* Only an owner drops partitions. Nobody becomes a member of a superuser. Who owns the tables often
 * may not grant a membership, so that is asked for behind all else, which is granted by then. */
static void
print_owners (Cli *cli, const PgRows *owners)
{
  if (rows_count (owners) > 0 && !output_is_json (cli->out))
    output_say (
        cli->out,
        "-- For jobs that drop partitions. It takes a superuser, or the ADMIN OPTION on the "
        "owner; if it fails, all above is granted, and only these jobs are blocked.");
  for (int i = 0; i < rows_count (owners); i++)
    if (rows_bool (owners, i, "superuser"))
      log_warning ("A superuser owns the table of a job that drops its partitions", "table",
                   rows_text (owners, i, "relation"), "remedy", "ALTER TABLE ... OWNER TO ...");
    else
      print (cli, rows_text (owners, i, "sql"));
}

static PgRows *
owners_of (const Cli *cli, Pg *pg, const char *to, GError **error)
{
  GString *jobs = array_new (), *tables = array_new (), *names = array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    if (!job->kind->owner)
      continue;
    array_add (jobs, job->name);
    array_add (tables, job->sentence->table);
    array_add (names, "OWNER");
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "role", to);
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "relation", array_take (tables));
  pg_values_take (values, "name", array_take (names));
  return pg_run_file (pg, SQL "grants_owners.sql", values, error);
}

static ExitCode
print_with (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) asked = pg_values_new ();
  own_rights_values (asked);
  pg_values_set (asked, "role", role);
  pg_values_set (asked, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  if (!pg_begin_read_only (pg, error))
    return cli_pg_failed (pg, error);
  g_autoptr (PgRows) names = pg_run_file (pg, SQL "grants_names.sql", asked, error);
  if (names == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  if (!check_names (names, error))
    return rows_bool (names, 0, "owns") ? CODE_USAGE : CODE_POSTGRES;
  g_autoptr (PgValues) values = values_of (cli, pg, rows_text (names, 0, "role"));
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? pg_run_file (pg, SQL "grants.sql", values, error) : NULL;
  g_autoptr (PgRows) owners
      = rows != NULL ? owners_of (cli, pg, rows_text (names, 0, "role"), error) : NULL;
  pg_rollback (pg);
  if (owners == NULL)
    return cli_pg_failed (pg, error);
  print (cli, "BEGIN");
  print_own (cli, rows_text (names, 0, "role"), rows_text (names, 0, "app_schema"));
  for (int i = 0; i < rows_count (rows); i++)
    print (cli, rows_text (rows, i, "sql"));
  print (cli, "COMMIT");
  print_owners (cli, owners);
  return CODE_OK;
}

/* --- without one --- */

typedef struct {
  Cli *cli;
  const char *to, *app_schema;
  GHashTable *seen, *changed; /* statements; tables */
  gboolean reads;             /* FALSE: what is more than SELECT */
} Printing;

/* SQL: taken. */
static void
print_once (const Printing *printing, char *sql)
{
  if (!g_hash_table_contains (printing->seen, sql))
    print (printing->cli, sql);
  g_hash_table_add (printing->seen, sql);
}

/* Of a job of one's own the names in its statements may be no tables; those that it changes are. */
static void
print_right (const Job *job, const char *table, const char *right, gpointer data)
{
  const Printing *printing = data;
  const char *name = g_str_equal (right, RIGHT_RESTORE) ? "INSERT" : right;
  g_autofree char *schema = quoted_schema (table),
                  *within = g_strconcat (schema == NULL ? printing->app_schema : "",
                                         schema == NULL ? "." : "", table, NULL);
  if (g_str_equal (right, "SELECT") != printing->reads)
    return;
  if (printing->reads && !job->built_in && !job->kind->owner
      && !g_hash_table_contains (printing->changed, table))
    return;
  g_hash_table_add (printing->changed, g_strdup (table));
  if (schema != NULL)
    print_once (printing, g_strdup_printf ("GRANT USAGE ON SCHEMA %s TO %s", schema, printing->to));
  print_once (printing, g_strdup_printf ("GRANT %s ON %s TO %s", name, within, printing->to));
}

static ExitCode
print_without (Cli *cli, const GError *cause, GError **error)
{
  g_autofree char *user
      = role != NULL ? g_strdup (role) : grants_user (config_text (cli->config, "postgres", "url"));
  if (user == NULL)
    return cli_usage (error, "[postgres] url names no user: name the daemon's role with --role");
  log_warning (
      "No database: tables that it may lack are granted, too; those known by foreign keys only are left out",
      "error", cause != NULL ? cause->message : "[postgres] url is not set");
  g_autofree char *to = quoted_make (user),
                  *app_schema = quoted_make (config_text (cli->config, "postgres", "app_schema"));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Printing printing = { cli, to, app_schema, seen, changed, FALSE };
  print (cli, "BEGIN");
  print_own (cli, to, app_schema);
  const char *schemas = config_text (cli->config, "postgres", "extension_schemas");
  if (*schemas != '\0' && !g_str_equal (schemas, "auto"))
    printed (cli, "GRANT USAGE ON SCHEMA %s TO %s", schemas, to);
  for (int reads = FALSE; reads <= TRUE; reads++) {
    printing.reads = reads;
    for (guint i = 0; i < jobs_count (cli->jobs); i++) {
      job_rights_each (jobs_at (cli->jobs, i), print_right, &printing);
      job_rights_of_table (jobs_at (cli->jobs, i), print_right, &printing);
    }
  }
  print (cli, "COMMIT");
  return CODE_OK;
}

ExitCode
command_grants (Cli *cli, GError **error)
{
  if (producer && reader)
    return cli_usage (error, "--producer and --reader: only one of them can be given");
  if (!kafka && (producer || reader || principal != NULL))
    return cli_usage (error, "--producer, --reader and --principal need --kafka");
  if (kafka)
    return acls_print (cli,
                       producer ? ACL_PRODUCER
                       : reader ? ACL_READER
                                : ACL_DAEMON,
                       principal, error);
  g_autoptr (GError) cause = NULL;
  g_autoptr (Pg) pg
      = *config_text (cli->config, "postgres", "url") != '\0' ? cli_pg_bare (cli, &cause) : NULL;
  if (output_is_json (cli->out))
    output_table (cli->out, COLUMNS);
  if (pg == NULL)
    return print_without (cli, cause, error);
  return schema_check (pg, error) ? print_with (cli, pg, error) : cli_pg_failed (pg, error);
}
