/* `pruned new`: a first version of a job for a table. */
#include "cli/new.h"

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/job/sentence/sentence_keys.h"
#include "engine/job/sentence/sentence_read.h"
#include "engine/job/sentence/sentence_write.h"
#include "engine/ledger/unrecorded.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char *table, *where;

const GOptionEntry new_options[]
    = { { "table", 0, 0, G_OPTION_ARG_STRING, &table, "the table whose rows go", "TABLE" },
        { "where", 0, 0, G_OPTION_ARG_STRING, &where,
          "which rows, as one expression; :T is the time of the tick", "EXPR" },
        { NULL } };

const char new_more[]
    = "Looks at the table and writes NAME.conf into the folder [run] jobs_dir; without the folder it prints the file. The job is switched "
      "off, and its first run is held. Without --where it proposes to drop old partitions if the table is partitioned by a time, or a "
      "condition if it has a column like deleted_at or created_at.\n"
      "Exit code 2: there is such a job or file, or the table is none that a sentence can be about; 6: there is no such table.";

/* --- what is asked for ------------------------------------------------------------------------ */

static ExitCode
check_name (Cli *cli, const char *name, GError **error)
{
  if (!sentence_name_is_valid (name))
    return cli_usage (error, "'%s' cannot be the name of a job: letters, digits, '.', '_' and '-'",
                      name);
  const JobRefused *refused = jobs_refused_find (cli->jobs, name);
  if (refused != NULL)
    return cli_fail (CODE_CONFIG, error, "there is a job %s, which is refused: %s", name,
                     refused->place);
  if (jobs_find_loaded (cli->jobs, name) != NULL)
    return cli_fail (CODE_CONFIG, error, "there is a job %s already", name);
  return CODE_OK;
}

/* Sets KEY of the sentence, as its file would. */
static gboolean
say (Sentence *sentence, const char *key, const char *value, GError **error)
{
  const Key *known = key_find (sentence_keys, key);
  return known->read (sentence, known, value, error);
}

static ExitCode
check_option (Sentence *sentence, const char *key, char *value, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_strstrip (value);
  for (const char *p = value; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      return cli_usage (error, "--%s: must not contain line breaks", key);
  if (!say (sentence, key, value, &cause))
    return cli_usage (error, "--%s: %s", key, cause->message);
  return CODE_OK;
}

/* --- the table -------------------------------------------------------------------------------- */

static ExitCode
unknown_table (Pg *pg, const char *name, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/new_tables.sql", NULL, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (names, (gpointer)rows_text (rows, i, "name"));
  g_ptr_array_add (names, NULL);
  arguments_set_unknown (error, "table", name, (const char *const *)names->pdata);
  return CODE_NOT_FOUND;
}

/* Whether a sentence can be about it. */
static ExitCode
check_sentence (New *new, Pg *pg, GError **error)
{
  g_autofree char *refusal = NULL;
  g_autoptr (Catalogue) catalogue = catalogue_read (pg, new->sentence, error);
  if (catalogue == NULL)
    return cli_pg_failed (pg, error);
  g_autoptr (Written) written = sentence_write (new->sentence, catalogue, &refusal);
  if (written == NULL)
    return cli_fail (CODE_CONFIG, error, "%s", refusal);
  return CODE_OK;
}

static ExitCode
may_not_read (GError **error)
{
  g_autofree char *why = g_strdup ((*error)->message);
  g_clear_error (error);
  return cli_fail (CODE_POSTGRES, error,
                   "%s; run it as a role that can read the table: "
                   "pruned -s postgres.url=postgresql://owner@/app new ...",
                   why);
}

static ExitCode
look (New *new, Pg *pg, GError **error)
{
  if (new_look (new, pg, error)) {
    if (new->all)
      return cli_usage (error, "--where: true for every row; write such a job by hand");
    return CODE_OK;
  }
  if (pg_is_hidden (pg))
    return cli_pg_failed (pg, error);
  if (g_str_equal (pg_sqlstate (pg), "42501")) /* `pruned grants` knows jobs that are there */
    return may_not_read (error);
  if (!pg_is_class42 (pg))
    return cli_pg_failed (pg, error);
  g_prefix_error (error, "--where: ");
  return CODE_USAGE;
}

/* In the open transaction. */
static ExitCode
ask (New *new, Pg *pg, GError **error)
{
  new->sentence->children_auto = TRUE;
  new->catalogue = catalogue_read (pg, new->sentence, error);
  new->sentence->children_auto = FALSE;
  if (new->catalogue == NULL)
    return cli_pg_failed (pg, error);
  const CatTable *found = new->catalogue->tables->pdata[0];
  if (found->kind == '\0')
    return unknown_table (pg, new->sentence->table, error);
  if (!new_look_at_partitions (new, pg, error))
    return cli_pg_failed (pg, error);
  if (new->by_time &&new->sentence->where == NULL) {
    new->by = NEW_BY_PARTITIONS;
    return CODE_OK;
  }
  if (!new_find_outside (new, pg, error))
    return cli_pg_failed (pg, error);
  new_find_children (new);
  ExitCode code = check_sentence (new, pg, error);
  if (code != CODE_OK)
    return code;
  if (new->sentence->where == NULL && !new_propose (new))
    return cli_usage (error,
                      "--where is needed: no column of %s says when a row is over, as deleted_at,"
                      " expires_at or created_at would",
                      found->name);
  return look (new, pg, error);
}

/* Nothing is said where the schema pruned is not there yet. */
static void
look_at_secrets (New *new, Pg *pg)
{
  if (new->by == NEW_BY_PARTITIONS || !pg_begin_read_only (pg, NULL))
    return;
  g_autoptr (GPtrArray) whats = g_ptr_array_new ();
  const Job job = { .name = (char *)new->job,
                    .sentence = new->sentence,
                    .kind = job_kind_of (NULL, new->sentence),
                    .table = new->sentence->table,
                    .whats = whats };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) columns = unrecorded_find (pg, &job, &error);
  if (columns == NULL && !g_str_equal (pg_sqlstate (pg), "3F000"))
    log_warning ("It is not known what the audit leaves out", "job", new->job, "error",
                 error->message);
  pg_rollback (pg);
  new->unrecorded = columns != NULL ? unrecorded_words (columns) : NULL;
}

/* --- the file --------------------------------------------------------------------------------- */

static ExitCode
write_file (const char *path, const char *text, GError **error)
{
  int file = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0)
    return cli_fail (CODE_CONFIG, error, "%s: %s", path, g_strerror (errno));
  gsize len = strlen (text);
  gboolean whole = write (file, text, len) == (gssize)len;
  whole = close (file) == 0 && whole;
  if (whole)
    return CODE_OK;
  (void)unlink (path);
  return cli_fail (CODE_CONFIG, error, "%s: could not be written", path);
}

/* NULL: there is no folder for it. */
static char *
path_of (Cli *cli, const char *name)
{
  const char *folder = config_text (cli->config, "run", "jobs_dir");
  if (*folder == '\0' || !g_file_test (folder, G_FILE_TEST_IS_DIR))
    return NULL;
  g_autofree char *file = g_strconcat (name, ".conf", NULL);
  return g_build_filename (folder, file, NULL);
}

static ExitCode
put (Cli *cli, const New *new, const char *path, GError **error)
{
  g_autofree char *text = new_text (new);
  ExitCode code = path != NULL ? write_file (path, text, error) : CODE_OK;
  if (code != CODE_OK)
    return code;
  g_autoptr (json_t) object
      = json_pack ("{s:s, s:s?, s:s}", "job", new->job, "file", path, "text", text);
  output_object (cli->out, object);
  g_strchomp (text);
  output_say (cli->out, "%s", path != NULL ? path : text);
  output_hint (cli->out, "Next: pruned check %s, then pruned plan %s", new->job, new->job);
  return CODE_OK;
}

ExitCode
command_new (Cli *cli, GError **error)
{
  g_auto (New) new = { .job = cli->arguments[0],
                       .sentence = sentence_new (),
                       .bucket = config_text (cli->config, "store.object", "bucket"),
                       .schema = config_text (cli->config, "postgres", "app_schema") };
  ExitCode code = check_name (cli, new.job, error);
  if (code != CODE_OK)
    return code;
  if (table == NULL)
    return cli_usage (error, "--table is needed: the table whose rows go");
  code = check_option (new.sentence, "table", table, error);
  if (code == CODE_OK && where != NULL)
    code = check_option (new.sentence, "where", where, error);
  if (code != CODE_OK)
    return code;
  g_autofree char *path = path_of (cli, new.job);
  if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return cli_fail (CODE_CONFIG, error, "%s exists already", path);
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  code = pg_begin_read_only (pg, error) ? ask (&new, pg, error) : cli_pg_failed (pg, error);
  pg_rollback (pg);
  if (code == CODE_OK)
    look_at_secrets (&new, pg);
  return code == CODE_OK ? put (cli, &new, path, error) : code;
}
