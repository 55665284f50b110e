#include "base/clock.h"
#include "base/plural.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/holds/holds.h"
#include "cli/note.h"
#include "engine/ledger/journal.h"
#include "engine/view/row/row_name.h"

#include <string.h>

#define SQL "src/cli/holds/sql/"
#define CHUNK 100000  /* rows of a statement */
#define NAMED_MOST 20 /* rows in the journal */
#define ASK_FROM 1000 /* rows that a condition may match without a question */

static char *where, *until, *reason;
static gboolean yes;

const GOptionEntry hold_options[]
    = { { "where", 0, 0, G_OPTION_ARG_STRING, &where,
          "all rows of TABLE for which this is true now", "EXPR" },
        { "until", 0, 0, G_OPTION_ARG_STRING, &until,
          "when the hold ends by itself; without it, when it is released", "DATE" },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; it is needed", "TEXT" },
        { "yes", 0, 0, G_OPTION_ARG_NONE, &yes, "a condition that matches many rows: do not ask",
          NULL },
        { NULL } };

const char hold_more[]
    = "TABLE:KEY as `pruned who` takes it; of a key of several columns {\"column\": value, ...}. Held rows stay, whatever would take them: "
      "jobs, events, foreign keys, triggers, partitions; so do the rows above whose removal would take them along. A row that does "
      "not exist cannot be held: then nothing is. --where is asked once, in a transaction that may only read; rows that match later are not "
      "held. The command waits for steps that have begun before it. DATE: 00:00 UTC of a day, or a time.";

typedef struct {
  Cli *cli;
  Pg *pg;
  char *hold_id;
  char *until;       /* a time; NULL: none */
  GPtrArray *tables; /* of HoldTable */
  guint n;           /* rows */
} Hold;

static void
hold_clear (Hold *hold)
{
  g_free (hold->hold_id);
  g_free (hold->until);
  g_clear_pointer (&hold->tables, g_ptr_array_unref);
  g_clear_pointer (&hold->pg, pg_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Hold, hold_clear)

/* --- what is to be held ----------------------------------------------------------------------- */

static void
add_key (Hold *hold, const char *tab, const char *name, const char *key)
{
  HoldTable *table = NULL;
  for (guint i = 0; i < hold->tables->len && table == NULL; i++)
    if (g_str_equal (((HoldTable *)hold->tables->pdata[i])->tab, tab))
      table = hold->tables->pdata[i];
  if (table == NULL) {
    table = holds_table_new (tab, name);
    g_ptr_array_add (hold->tables, table);
  }
  g_ptr_array_add (table->keys, g_strdup (key));
}

/* All rows that are named, or none. */
static ExitCode
take_items (Hold *hold, GError **error)
{
  g_auto (RowNameLast) last = { 0 };
  for (guint i = 0; i < hold->cli->n_arguments; i++) {
    g_auto (RowName) row = { 0 };
    const ItemEnd end
        = row_name_read (hold->cli->jobs, hold->pg, hold->cli->arguments[i], &last, &row, error);
    if (end != ITEM_READ)
      return cli_row_end (end, hold->pg, error);
    add_key (hold, row.tab, row.name, row.key);
  }
  for (guint i = 0; i < hold->tables->len; i++) {
    g_autofree char *missing = NULL;
    guint n = 0;
    if (!holds_missing (hold->pg, hold->tables->pdata[i], &missing, &n, NULL, error))
      return (*error)->code == PRUNED_REJECT ? CODE_USAGE : cli_pg_failed (hold->pg, error);
    if (n > 0)
      return cli_fail (CODE_NOT_FOUND, error,
                       "%s does not exist%s: nothing was held. `pruned who %s` says what is known "
                       "of it",
                       missing, n > 1 ? ", and others" : "", missing);
  }
  return CODE_OK;
}

static ExitCode
take_where (Hold *hold, GError **error)
{
  HoldTable *found = NULL;
  const ExitCode code = holds_find (hold->pg, hold->cli->arguments[0], where, &found, error);
  if (code != CODE_OK)
    return code;
  g_ptr_array_add (hold->tables, found);
  if (found->keys->len == 0)
    return cli_fail (CODE_NOT_FOUND, error, "no row of %s matches: nothing was held", found->name);
  g_autofree char *deed = g_strdup_printf ("hold %u %s of %s", found->keys->len,
                                           plural (found->keys->len, "row", "rows"), found->name);
  return found->keys->len > ASK_FROM ? ask_first (yes, deed, error) : CODE_OK;
}

static ExitCode
look_at_options (Hold *hold, GError **error)
{
  gint64 until_us;
  if (reason == NULL || *reason == '\0')
    return cli_usage (error, "--reason: say why, whoever reads the journal must know");
  if (where != NULL && hold->cli->n_arguments != 1)
    return cli_usage (error, "--where: expected one table");
  if (until == NULL)
    return CODE_OK;
  if (!cli_time (until, &until_us, error)) {
    g_prefix_error (error, "--until: ");
    return CODE_USAGE;
  }
  if (until_us <= clock_now_us ())
    return cli_usage (error, "--until: %s has passed", until);
  hold->until = clock_format (until_us);
  return CODE_OK;
}

/* A process of the version before would take the rows. */
static ExitCode
check_processes (Hold *hold, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (hold->pg, SQL "older.sql", NULL, error);
  if (rows == NULL)
    return cli_pg_failed (hold->pg, error);
  if (rows_count (rows) == 0)
    return CODE_OK;
  return cli_fail (CODE_CONFIG, error,
                   "process %s on %s is of a version that does not know holds (%s): restart it "
                   "with this one first; nothing was held",
                   rows_text (rows, 0, "pid"), rows_text (rows, 0, "host"),
                   rows_text (rows, 0, "version"));
}

/* --- the hold --------------------------------------------------------------------------------- */

static gboolean
put (const Hold *hold, const char *file, const char *tab, const GPtrArray *keys, GError **error)
{
  for (guint from = 0; from < keys->len; from += CHUNK) {
    GString *some = array_new ();
    for (guint i = from; i < keys->len && i < from + CHUNK; i++)
      array_add (some, keys->pdata[i]);
    g_autoptr (PgValues) values = pg_values_new ();
    pg_values_set (values, "tab", tab);
    pg_values_take (values, "key", array_take (some));
    pg_values_set (values, "hold_id", hold->hold_id);
    pg_values_set (values, "reason", reason);
    pg_values_take (values, "who", journal_actor ());
    pg_values_set (values, "until", hold->until);
    g_autoptr (PgRows) rows = pg_run_file (hold->pg, file, values, error);
    if (rows == NULL)
      return FALSE;
  }
  return TRUE;
}

/* What the journal calls it: the rows, or the hold with its table and condition; and until when. */
static char *
object_of (const Hold *hold)
{
  const HoldTable *first = hold->tables->pdata[0];
  GString *object = g_string_new (hold->hold_id);
  guint named = 0;
  for (guint i = 0; where == NULL && i < hold->tables->len; i++) {
    const HoldTable *table = hold->tables->pdata[i];
    for (guint j = 0; j < table->keys->len && named < NAMED_MOST; j++, named++)
      g_string_append_printf (object, " %s:%s", table->name, (char *)table->keys->pdata[j]);
  }
  if (where == NULL && named < hold->n)
    g_string_append_printf (object, " and %u more", hold->n - named);
  if (where != NULL)
    g_string_append_printf (object, " %s (%u %s)", first->name, hold->n,
                            plural (hold->n, "row", "rows"));
  if (hold->until != NULL)
    g_string_append_printf (object, " until %s", hold->until);
  if (where != NULL)
    g_string_append_printf (object, ": %s", where);
  return g_string_free (object, FALSE);
}

static gboolean
write_all (const Hold *hold, GError **error)
{
  g_autofree char *object = object_of (hold);
  if (!pg_begin (hold->pg, error) || !pg_exec (hold->pg, "SET LOCAL statement_timeout = 0", error))
    return FALSE;
  for (guint i = 0; i < hold->tables->len; i++) {
    const HoldTable *table = hold->tables->pdata[i];
    if (!put (hold, SQL "put.sql", table->tab, table->keys, error))
      return FALSE;
  }
  return holds_follow (hold->pg, error)
         && cli_note (hold->cli, hold->pg, NULL, object, reason, error)
         && pg_commit (hold->pg, error);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* *N rows went before they were held, the first of them *MISSING. */
static gboolean
drop_gone (const Hold *hold, guint *n, char **missing, GError **error)
{
  for (guint i = 0; i < hold->tables->len; i++) {
    const HoldTable *table = hold->tables->pdata[i];
    g_autofree char *one = NULL;
    g_autoptr (GPtrArray) went = g_ptr_array_new_with_free_func (g_free);
    guint some = 0;
    if (!holds_missing (hold->pg, table, &one, &some, went, error)
        || !put (hold, SQL "went.sql", table->tab, went, error))
      return FALSE;
    if (*n == 0 && some > 0)
      *missing = g_steal_pointer (&one);
    *n += some;
  }
  return TRUE;
}

static ExitCode
settle (const Hold *hold, GError **error)
{
  guint gone = 0;
  g_autofree char *missing = NULL;
  if (!holds_wait (hold->pg, TRUE, error) || !drop_gone (hold, &gone, &missing, error)) {
    const ExitCode code = cli_pg_failed (hold->pg, error);
    g_prefix_error (error,
                    "hold %s stands, but it is not known whether a step that had begun before it "
                    "took a row: repeat the command: ",
                    hold->hold_id);
    return code;
  }
  output_end (hold->cli->out);
  output_say (hold->cli->out, "%u %s held. `pruned release %s` ends it.", hold->n - gone,
              plural (hold->n - gone, "row is", "rows are"), hold->hold_id);
  return gone == 0 ? CODE_OK
                   : cli_fail (CODE_NOT_FOUND, error, "%u %s before the hold: %s%s", gone,
                               plural (gone, "row went", "rows went"), missing,
                               gone > 1 ? ", and others" : "");
}

static const Column COLUMNS[]
    = { { "hold_id" }, { "table" }, { "rows", CELL_NUMBER }, { "until", CELL_TIME }, { NULL } };

static void
say_tables (const Hold *hold)
{
  output_table (hold->cli->out, COLUMNS);
  for (guint i = 0; i < hold->tables->len; i++) {
    const HoldTable *table = hold->tables->pdata[i];
    output_row (hold->cli->out, json_string (hold->hold_id), json_string (table->name),
                json_integer (table->keys->len),
                hold->until != NULL ? cell_from_text (CELL_TIME, hold->until) : NULL);
  }
}

ExitCode
command_hold (Cli *cli, GError **error)
{
  g_auto (Hold) hold = { .cli = cli,
                         .hold_id = g_uuid_string_random (),
                         .tables = g_ptr_array_new_with_free_func (holds_table_free) };
  ExitCode code = look_at_options (&hold, error);
  if (code != CODE_OK)
    return code;
  if ((hold.pg = cli_pg_patient (cli, error)) == NULL)
    return CODE_POSTGRES;
  code = holds_follow (hold.pg, error) ? check_processes (&hold, error)
                                       : cli_pg_failed (hold.pg, error);
  if (code == CODE_OK)
    code = where != NULL ? take_where (&hold, error) : take_items (&hold, error);
  if (code != CODE_OK)
    return code;
  for (guint i = 0; i < hold.tables->len; i++)
    hold.n += ((HoldTable *)hold.tables->pdata[i])->keys->len;
  if (!write_all (&hold, error)) {
    code = cli_pg_failed (hold.pg, error);
    pg_rollback (hold.pg);
    return code;
  }
  say_tables (&hold);
  return settle (&hold, error);
}
