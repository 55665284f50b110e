/* When the row that a message names is due. */
#include "avro/epoch.h"
#include "base/clock.h"
#include "engine/job/sentence/own_event.h"

#include <string.h>

#define DATE_BYTES 10 /* 2026-11-21 */

static gboolean refuse (GError **error, const char *path, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, const char *path, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "undecodable: due %s %s", path, why);
  return FALSE;
}

static gboolean
read_text (const char *path, const char *text, gint64 *us, GError **error)
{
  g_autofree char *midnight
      = strlen (text) == DATE_BYTES ? g_strconcat (text, "T00:00:00Z", NULL) : NULL;
  if (clock_parse (midnight != NULL ? midnight : text, us, error))
    return TRUE;
  g_prefix_error (error, "undecodable: due %s: ", path);
  return FALSE;
}

/* TYPE: what the message's schema calls the number; NULL: nothing. */
static gboolean
read_number (const SentenceEvent *event, const json_t *value, const char *type, gint64 *us,
             GError **error)
{
  EpochUnit unit = type != NULL ? epoch_of_type (type) : event->due_unit;
  json_int_t number = json_integer_value (value);
  if (type != NULL && unit == EPOCH_NONE)
    return refuse (error, event->due, "is %.100s, not a date or a time", type);
  if (unit == EPOCH_NONE)
    return refuse (error, event->due,
                   "is not a text with a time or a date; of a number due_unit says the unit");
  return epoch_time (number, unit, us)
         || refuse (error, event->due,
                    "is %" JSON_INTEGER_FORMAT " %s since 1970, not within the years 1971 to 9999",
                    number, epoch_word (unit));
}

static gboolean
read_value (const SentenceEvent *event, const json_t *value, const char *type, gint64 *us,
            GError **error)
{
  EpochUnit unit = type != NULL ? epoch_of_type (type) : EPOCH_NONE;
  if (unit != EPOCH_NONE && event->due_unit != EPOCH_NONE && unit != event->due_unit)
    return refuse (error, event->due, "is in %s (%.100s), and due_unit says %s", epoch_word (unit),
                   type, epoch_word (event->due_unit));
  if (json_is_integer (value))
    return read_number (event, value, type, us, error);
  return json_is_string (value) ? read_text (event->due, json_string_value (value), us, error)
                                : refuse (error, event->due, "is not a text with a time or a date");
}

gboolean
own_event_due (OwnEvent *own, const SentenceEvent *event, char **due, GError **error)
{
  gint64 us = 0;
  *due = NULL;
  if (event->due == NULL)
    return TRUE;
  const json_t *body = own_event_body (own, event, error);
  const json_t *value = body != NULL ? own_event_find (body, event->due) : NULL;
  if (body == NULL)
    return FALSE;
  if (value == NULL || json_is_null (value))
    return TRUE;
  const OwnBody *from = event->format == EVENT_AVRO ? &own->avro : &own->json;
  if (!read_value (event, value, g_hash_table_lookup (from->types, value), &us, error))
    return FALSE;
  *due = clock_format (us);
  return TRUE;
}
