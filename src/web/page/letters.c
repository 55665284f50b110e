/* The dead letters: messages that could not be handled, each with its reason and its commands. They
 * are read from Kafka, by a consumer of its own that commits nothing. */
#include "web/page/views.h"

#include "engine/job/in_force.h"
#include "engine/view/letters/letter.h"
#include "kafka/reader.h"

#include <string.h>

#define WAIT_MS 1500 /* for the next message */
#define LOOKED_AT 5000

typedef struct {
  GPtrArray *letters;
  guint most;
  gint64 unread; /* messages of batches that cannot be unpacked */
} Taken;

static void
add_pair (const char *key, const char *value, gpointer data)
{
  g_ptr_array_add (data, g_strdup (key));
  g_ptr_array_add (data, g_strdup (value));
}

static char **
settings_of (void)
{
  GPtrArray *pairs = g_ptr_array_new ();
  config_each_kafka (in_force_config (), add_pair, pairs);
  g_ptr_array_add (pairs, NULL);
  return (char **)g_ptr_array_free (pairs, FALSE);
}

/* Kafka is another service than the one whose tables are read. */
static gboolean
say_away (Sheet *sheet, const GError *cause)
{
  g_autofree char *says = g_strdup_printf ("The dead topic cannot be read: %s", cause->message);
  sheet->status = 503;
  html_open (sheet->html, HTML_P);
  html_set (sheet->html, HTML_AT_CLASS, "bad");
  html_add (sheet->html, says);
  html_close (sheet->html);
  return TRUE;
}

static void
show_commands (Sheet *sheet, const char *id)
{
  static const char *const verbs[] = { "show", "retry", "drop" };
  html_open (sheet->html, HTML_DIV);
  html_set (sheet->html, HTML_AT_CLASS, "commands");
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
    g_autofree char *command = g_strdup_printf ("pruned dead %s %s", verbs[i], id);
    sheet_command (sheet, command);
  }
  html_close (sheet->html);
}

/* --- one -------------------------------------------------------------------------------------- */

static void
show_whole (Sheet *sheet, const Letter *letter)
{
  g_autofree char *id = letter_id (letter);
  g_autoptr (json_t) rows = json_array ();
  json_t *cells = letter_whole_cells (letter, config_text (in_force_config (), "topics", "prefix"));
  json_array_append_new (rows, cells);
  if (sheet->form != NULL) {
    sheet_table (sheet, &(SheetTable){ "letter", NULL, LETTER_WHOLE_COLUMNS, json_incref (rows),
                                       "There is none." });
    return;
  }
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "whole");
  html_text (sheet->html, HTML_H2, id);
  html_open (sheet->html, HTML_DL);
  for (guint k = 0; LETTER_WHOLE_COLUMNS[k].name != NULL; k++) {
    const json_t *cell = json_array_get (cells, k);
    g_autofree char *text = cell_text (&LETTER_WHOLE_COLUMNS[k], TRUE, cell),
                    *name = g_strdelimit (g_strdup (LETTER_WHOLE_COLUMNS[k].name), "_", ' ');
    if (cell == NULL || json_is_null (cell))
      continue;
    html_text (sheet->html, HTML_DT, name);
    html_text (sheet->html, HTML_DD, text);
  }
  html_close (sheet->html);
  show_commands (sheet, id);
  html_close (sheet->html);
}

static gboolean
show_one (Sheet *sheet, const char *topic, const char *const *settings, const char *given,
          GError **error)
{
  LetterId id;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GPtrArray) letters = letters_new ();
  KafkaMessage *message
      = letter_id_parse (given, &id)
            ? kafka_read_message (settings, topic, id.partition, id.offset, &cause)
            : NULL;
  if (cause != NULL)
    return say_away (sheet, cause);
  if (message == NULL) {
    sheet->status = 404;
    html_text (sheet->html, HTML_P, "There is no such letter.");
    return TRUE;
  }
  g_ptr_array_add (letters, letter_new (message));
  g_autoptr (PgValues) values = letter_values (topic, letters);
  if (!letters_judge (sheet->pg, values, letters, error))
    return FALSE;
  show_whole (sheet, letters->pdata[0]);
  return TRUE;
}

/* --- all -------------------------------------------------------------------------------------- */

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Taken *taken = data;
  g_ptr_array_add (taken->letters, letter_new (kafka_message_copy (message)));
  return taken->letters->len < taken->most;
}

static void
pass_over (const KafkaStretch *batch, gpointer data)
{
  Taken *taken = data;
  taken->unread += batch->to - batch->from;
}

/* Those that nobody has decided about. */
static json_t *
cells_of (const Sheet *sheet, const GPtrArray *letters)
{
  json_t *cells = json_array ();
  for (guint i = 0; i < letters->len; i++) {
    const Letter *letter = letters->pdata[i];
    if (letter->verdict == NULL && (sheet->form != NULL || json_array_size (cells) < SHEET_ROWS))
      json_array_append_new (cells, letter_cells (letter));
  }
  return cells;
}

static gboolean
show_all (Sheet *sheet, const char *topic, const char *const *settings, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GPtrArray) letters = letters_new ();
  Taken taken = { letters, LOOKED_AT, 0 };
  const KafkaVisitor visitor = { take, pass_over, &taken };
  if (!kafka_read_topic (settings, topic, -1, WAIT_MS, &visitor, &cause))
    return say_away (sheet, cause);
  g_autoptr (PgValues) values = letter_values (topic, letters);
  if (letters->len > 0 && !letters_judge (sheet->pg, values, letters, error))
    return FALSE;
  sheet_table (sheet,
               &(SheetTable){ "letters", "Messages that could not be handled", LETTER_COLUMNS,
                              cells_of (sheet, letters), "No message waits for a verdict." });
  if (taken.unread > 0) {
    g_autofree char *text = g_strdup_printf (
        "%" G_GINT64_FORMAT " messages cannot be unpacked: pruned dead names them.", taken.unread);
    html_text (sheet->html, HTML_P, text);
  }
  if (letters->len == LOOKED_AT)
    html_text (sheet->html, HTML_P, "There are more: the first 5,000 were looked at.");
  return TRUE;
}

gboolean
view_show_letters (Sheet *sheet, GError **error)
{
  const char *id = sheet_filter (sheet, "id");
  g_auto (GStrv) settings = settings_of ();
  g_autofree char *topic
      = g_strconcat (config_text (in_force_config (), "topics", "prefix"), ".dead", NULL);
  return id != NULL ? show_one (sheet, topic, (const char *const *)settings, id, error)
                    : show_all (sheet, topic, (const char *const *)settings, error);
}
