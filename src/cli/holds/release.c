#include "base/plural.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/holds/holds.h"
#include "cli/note.h"
#include "engine/view/row/row_name.h"

#include <string.h>

#define SQL "src/cli/holds/sql/"
#define LEAST_ID 4

static char *reason;
static gboolean yes;
static gint64 expected = -1; /* rows; -1: any number */

const GOptionEntry release_options[]
    = { { "yes", 0, 0, G_OPTION_ARG_NONE, &yes, "do not ask", NULL },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason,
          "why; the journal keeps it. It is needed for rows of `pruned hold`", "TEXT" },
        { "rows", 0, 0, G_OPTION_ARG_INT64, &expected,
          "only if this many rows would be released, as it was looked at", "N" },
        { NULL } };

const char release_more[]
    = "TABLE:KEY is released from all holds. ID may be the beginning of one, as `pruned holds` shows it: all rows of that hold, or of the run "
      "whose rows a restore has brought back. It asks, and says how many rows: the next run of a job may remove them.";

/* What the arguments name, as parallel arrays. */
typedef struct {
  GString *given, *ids, *tabs, *keys;
} Given;

static gboolean
is_id (const char *text)
{
  const gsize n = strspn (text, "0123456789abcdefABCDEF-");
  return n >= LEAST_ID && text[n] == '\0';
}

static void
add (Given *given, const char *text, const char *id, const char *tab, const char *key)
{
  array_add (given->given, text);
  array_add (given->ids, id);
  array_add (given->tabs, tab);
  array_add (given->keys, key);
}

static ExitCode
read_arguments (Cli *cli, Pg *pg, Given *given, GError **error)
{
  g_auto (RowNameLast) last = { 0 };
  for (guint i = 0; i < cli->n_arguments; i++) {
    const char *text = cli->arguments[i];
    if (is_id (text)) {
      g_autofree char *id = g_ascii_strdown (text, -1);
      add (given, text, id, NULL, NULL);
      continue;
    }
    g_auto (RowName) row = { 0 };
    const ItemEnd end = row_name_read (cli->jobs, pg, text, &last, &row, error);
    if (end != ITEM_READ)
      return cli_row_end (end, pg, error);
    add (given, text, NULL, row.tab, row.key);
  }
  return CODE_OK;
}

static PgValues *
values_of (const Given *given)
{
  PgValues *values = pg_values_new ();
  pg_values_take (values, "given", g_strconcat (given->given->str, "}", NULL));
  pg_values_take (values, "id", g_strconcat (given->ids->str, "}", NULL));
  pg_values_take (values, "tab", g_strconcat (given->tabs->str, "}", NULL));
  pg_values_take (values, "key", g_strconcat (given->keys->str, "}", NULL));
  return values;
}

/* Asks about what CHOSEN says. */
static ExitCode
ask (const PgRows *chosen, GError **error)
{
  const char *unknown = rows_text (chosen, 0, "unknown"),
             *several = rows_text (chosen, 0, "several"), *jobs = rows_text (chosen, 0, "jobs");
  const gint64 n = rows_int (chosen, 0, "rows"), restored = rows_int (chosen, 0, "restored");
  if (unknown != NULL)
    return cli_fail (CODE_NOT_FOUND, error, "'%s' is not held; nothing was released", unknown);
  if (several != NULL)
    return cli_usage (error, "'%s' begins the ids of several holds; nothing was released", several);
  if (rows_int (chosen, 0, "held") > 0 && (reason == NULL || *reason == '\0'))
    return cli_usage (error, "--reason: say why these rows are on hold no longer; nothing was "
                             "released");
  if (expected >= 0 && n != expected)
    return cli_usage (error,
                      "these are %" G_GINT64_FORMAT " %s, and not %" G_GINT64_FORMAT
                      "; nothing was released",
                      n, plural (n, "row", "rows"), expected);
  g_autofree char *after
      = restored == 0
            ? g_strdup ("")
            : g_strdup_printf (", %" G_GINT64_FORMAT " of them held after a restore of %s",
                               restored, jobs != NULL ? jobs : "a run"),
      *deed = g_strdup_printf ("release %" G_GINT64_FORMAT " %s%s, which the next run of a job may "
                               "then remove",
                               n, plural (n, "row", "rows"), after);
  return ask_first (yes, deed, error);
}

/* What somebody has held since it was asked about is not released: nobody has said so. */
static ExitCode
release (Cli *cli, Pg *pg, const Given *given, const PgRows *chosen, GError **error)
{
  const gint64 n = rows_int (chosen, 0, "rows"),
               entries = rows_int (chosen, 0, "held") + rows_int (chosen, 0, "restored");
  g_autoptr (PgValues) values = values_of (given);
  g_autofree char *all
      = g_strjoinv (" ", cli->arguments),
      *object = g_strdup_printf ("%s (%" G_GINT64_FORMAT " %s)", all, n, plural (n, "row", "rows"));
  g_autoptr (PgRows) rows
      = pg_begin (pg, error) && pg_exec (pg, "SET LOCAL statement_timeout = 0", error)
            ? pg_run_file (pg, SQL "release.sql", values, error)
            : NULL;
  ExitCode code = CODE_OK;
  if (rows != NULL && rows_int (rows, 0, "n") != entries)
    code = cli_fail (CODE_USAGE, error,
                     "holds of these rows were put or released meanwhile; nothing was released: "
                     "look at `pruned holds`, then try again");
  else if (rows == NULL || !cli_note (cli, pg, NULL, object, reason, error)
           || !pg_commit (pg, error))
    code = cli_pg_failed (pg, error);
  if (code != CODE_OK)
    pg_rollback (pg);
  return code;
}

ExitCode
command_release (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg_patient (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  Given given = { array_new (), array_new (), array_new (), array_new () };
  ExitCode code = holds_follow (pg, error) ? read_arguments (cli, pg, &given, error)
                                           : cli_pg_failed (pg, error);
  if (code == CODE_OK) {
    g_autoptr (PgValues) values = values_of (&given);
    g_autoptr (PgRows) chosen = pg_run_file (pg, SQL "choose.sql", values, error);
    code = chosen == NULL ? cli_pg_failed (pg, error) : ask (chosen, error);
    const gint64 n = code == CODE_OK ? rows_int (chosen, 0, "rows") : 0;
    if (code == CODE_OK)
      code = release (cli, pg, &given, chosen, error);
    if (code == CODE_OK)
      output_say (cli->out, "%" G_GINT64_FORMAT " %s released", n,
                  plural (n, "row is", "rows are"));
  }
  GString *lists[] = { given.given, given.ids, given.tabs, given.keys };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    g_string_free (lists[i], TRUE);
  return code;
}
