#include "cli/dead/letter.h"

#include "cli/note.h"

#define SQL "src/cli/dead/sql/"
#define NOTED 10 /* letters that the journal names */

static gboolean
parse_id (const char *text, LetterId *id, GError **error)
{
  if (letter_id_parse (text, id))
    return TRUE;
  cli_usage (error, "'%s': an ID is PARTITION:OFFSET, see: pruned dead", text);
  return FALSE;
}

static gboolean
has_id (const GArray *ids, const LetterId *id)
{
  for (guint i = 0; i < ids->len; i++) {
    const LetterId *other = &g_array_index (ids, LetterId, i);
    if (other->partition == id->partition && other->offset == id->offset)
      return TRUE;
  }
  return FALSE;
}

GArray *
letter_ids_parse (char **texts, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (LetterId));
  for (; *texts != NULL; texts++) {
    LetterId id;
    if (!parse_id (*texts, &id, error))
      return NULL;
    if (!has_id (ids, &id))
      g_array_append_val (ids, id);
  }
  return g_steal_pointer (&ids);
}

/* --- verdicts --------------------------------------------------------------------------------- */

gboolean
letters_look_up (Pg *pg, const char *topic, GPtrArray *letters, GError **error)
{
  g_autoptr (PgValues) values = letter_values (topic, letters);
  gboolean ok = pg_begin_read_only (pg, error) && letters_judge (pg, values, letters, error);
  pg_rollback (pg);
  return ok;
}

/* The ids of the first NOTED letters that have this verdict. */
static gboolean
note (Cli *cli, Pg *pg, const GPtrArray *letters, const char *verdict, const char *reason,
      GError **error)
{
  guint n = 0;
  g_autoptr (GString) ids = g_string_new (NULL);
  for (guint i = 0; i < letters->len; i++) {
    g_autofree char *id = letter_id (letters->pdata[i]);
    if (g_strcmp0 (((Letter *)letters->pdata[i])->verdict, verdict) == 0 && n++ < NOTED)
      g_string_append_printf (ids, "%s%s", n > 1 ? " " : "", id);
  }
  if (n > NOTED)
    g_string_append_printf (ids, " and %u more", n - NOTED);
  return n == 0
         || cli_note (cli, pg, g_str_equal (verdict, LETTER_RETRIED) ? "retry" : "drop", ids->str,
                      reason, error);
}

gboolean
letters_decide (Cli *cli, Pg *pg, const char *topic, GPtrArray *letters, const char *verdict,
                const char *reason, GError **error)
{
  if (letters->len == 0)
    return TRUE;
  g_autoptr (PgValues) values = letter_values (topic, letters);
  pg_values_set (values, "verdict", verdict);
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin (pg, error))
    rows = pg_run_file (pg, SQL "dead_decide.sql", values, error);
  if (rows == NULL || !letters_judge (pg, values, letters, error)
      || !note (cli, pg, letters, verdict, reason, error) || !pg_commit (pg, error)) {
    pg_rollback (pg);
    return FALSE;
  }
  return TRUE;
}

/* --- shown ------------------------------------------------------------------------------------ */

void
letter_show (Output *out, const Letter *letter)
{
  output_cells (out, letter_cells (letter));
}

void
letter_show_whole (Output *out, const Letter *letter, const char *prefix)
{
  output_record_cells (out, LETTER_WHOLE_COLUMNS, letter_whole_cells (letter, prefix));
}
