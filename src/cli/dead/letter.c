#include "cli/dead/letter.h"

#include "base/clock.h"
#include "cli/note.h"

#define SQL "src/cli/dead/sql/"
#define NOTED 10 /* letters that the journal names */

Letter *
letter_new (KafkaMessage *message)
{
  Letter *letter = g_new0 (Letter, 1);
  letter->message = message;
  dead_letter_read (message, &letter->said);
  return letter;
}

static void
letter_free (Letter *letter)
{
  kafka_message_free (letter->message);
  g_free (letter->verdict);
  g_free (letter->verdict_at);
  g_free (letter);
}

GPtrArray *
letters_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)letter_free);
}

char *
letter_id (const Letter *letter)
{
  return g_strdup_printf ("%d:%" G_GINT64_FORMAT, letter->message->partition,
                          letter->message->offset);
}

static gboolean
parse_id (const char *text, LetterId *id, GError **error)
{
  guint64 partition, offset;
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  if (g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXINT32, &partition, NULL)
      && g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXINT64, &offset, NULL)) {
    *id = (LetterId){ (gint32)partition, (gint64)offset };
    return TRUE;
  }
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

static PgValues *
values_of (const char *topic, const GPtrArray *letters)
{
  GString *partitions = array_new (), *offsets = array_new (), *times = array_new ();
  for (guint i = 0; i < letters->len; i++) {
    const Letter *letter = letters->pdata[i];
    g_autofree char *time = clock_format (MAX (letter->message->timestamp_ms, 0) * 1000);
    array_add_int (partitions, letter->message->partition);
    array_add_int (offsets, letter->message->offset);
    array_add (times, time);
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", topic);
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "offset", array_take (offsets));
  pg_values_take (values, "sent_at", array_take (times));
  return values;
}

static void
set_verdict (Letter *letter, const char *verdict, const char *at)
{
  g_free (letter->verdict);
  g_free (letter->verdict_at);
  letter->verdict = g_strdup (verdict);
  letter->verdict_at = g_strdup (at);
}

/* Within a transaction. */
static gboolean
judge (Pg *pg, const PgValues *values, const GPtrArray *letters, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "dead_verdicts.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    set_verdict (letters->pdata[rows_int (rows, i, "row")], rows_text (rows, i, "verdict"),
                 rows_text (rows, i, "at"));
  return rows != NULL;
}

gboolean
letters_judge (Pg *pg, const char *topic, GPtrArray *letters, GError **error)
{
  g_autoptr (PgValues) values = values_of (topic, letters);
  gboolean ok = pg_begin_read_only (pg, error) && judge (pg, values, letters, error);
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
  g_autoptr (PgValues) values = values_of (topic, letters);
  pg_values_set (values, "verdict", verdict);
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin (pg, error))
    rows = pg_run_file (pg, SQL "dead_decide.sql", values, error);
  if (rows == NULL || !judge (pg, values, letters, error)
      || !note (cli, pg, letters, verdict, reason, error) || !pg_commit (pg, error)) {
    pg_rollback (pg);
    return FALSE;
  }
  return TRUE;
}
