#include "engine/view/letters/letter.h"

#include "base/clock.h"

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

gboolean
letter_id_parse (const char *text, LetterId *id)
{
  guint64 partition, offset;
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  if (g_strv_length (parts) != 2
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXINT32, &partition, NULL)
      || !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXINT64, &offset, NULL))
    return FALSE;
  *id = (LetterId){ (gint32)partition, (gint64)offset };
  return TRUE;
}

/* --- verdicts --------------------------------------------------------------------------------- */

PgValues *
letter_values (const char *topic, const GPtrArray *letters)
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

gboolean
letters_judge (Pg *pg, const PgValues *values, const GPtrArray *letters, GError **error)
{
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/view/letters/sql/verdicts.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    set_verdict (letters->pdata[rows_int (rows, i, "row")], rows_text (rows, i, "verdict"),
                 rows_text (rows, i, "at"));
  return rows != NULL;
}
