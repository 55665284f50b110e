/* Which messages an [event] section takes. */
#include "engine/job/sentence/own_event.h"

#include <string.h>

#define HEADER "header."
#define RECORD "record"
#define ALL "*"

static gboolean
is_of_header (const SentenceMatch *match)
{
  return g_str_has_prefix (match->path, HEADER);
}

static gboolean
is_of_record (const SentenceEvent *event, const SentenceMatch *match)
{
  return event->format == EVENT_AVRO && g_str_equal (match->path, RECORD);
}

/* Of Avro a message without a type is told by its record, unless `match` names another one. */
static gboolean
asks_for_its_record (const OwnEvent *own, const SentenceEvent *event)
{
  gboolean named = FALSE;
  for (guint i = 0; i < event->match->len; i++)
    named |= is_of_record (event, event->match->pdata[i]);
  return own->type == NULL && event->format == EVENT_AVRO && !named;
}

static gboolean
headers_fit (const OwnEvent *own, const SentenceEvent *event, gboolean *fits, GError **error)
{
  for (guint i = 0; *fits && i < event->match->len; i++) {
    const char *text;
    const SentenceMatch *match = event->match->pdata[i];
    if (!is_of_header (match))
      continue;
    if (!own_event_header (own, match->path + strlen (HEADER), &text, error))
      return FALSE;
    *fits = g_strcmp0 (text, match->value) == 0;
  }
  return TRUE;
}

static gboolean
looks_into_value (const OwnEvent *own, const SentenceEvent *event)
{
  gboolean some = asks_for_its_record (own, event);
  for (guint i = 0; i < event->match->len; i++)
    some |= !is_of_header (event->match->pdata[i]);
  return some;
}

static gboolean
record_fits (const OwnEvent *own, const char *name)
{
  return own->record != NULL && (g_str_equal (name, ALL) || own_event_type_is (own->record, name));
}

static gboolean
value_fits (const OwnEvent *own, const SentenceEvent *event, const json_t *body)
{
  gboolean fits = !asks_for_its_record (own, event) || record_fits (own, event->type);
  for (guint i = 0; fits && i < event->match->len; i++) {
    const SentenceMatch *match = event->match->pdata[i];
    if (is_of_header (match))
      continue;
    const char *path = *match->path == '.' ? match->path + 1 : match->path;
    g_autofree char *text = own_event_text (own_event_find (body, path));
    fits = is_of_record (event, match) ? record_fits (own, match->value)
                                       : g_strcmp0 (text, match->value) == 0;
  }
  return fits;
}

gboolean
own_event_fits (OwnEvent *own, const SentenceEvent *event, gboolean *fits, GError **error)
{
  *fits = own->type == NULL || own_event_type_is (own->type, event->type);
  if (!headers_fit (own, event, fits, error))
    return FALSE;
  if (!*fits || (own->type != NULL && !looks_into_value (own, event)))
    return TRUE;
  if (own->type == NULL && own->source->value_len == 0 && looks_into_value (own, event)) {
    *fits = FALSE; /* a topic that is compacted has messages without a value */
    return TRUE;
  }
  const json_t *body = own_event_body (own, event, error);
  *fits = body != NULL && value_fits (own, event, body);
  return body != NULL;
}
