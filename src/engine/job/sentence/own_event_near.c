/* Names that nearly are an event's. */
#include "engine/job/sentence/own_event.h"

#include <string.h>

/* The last name in TEXT, without a version, in small letters, and of these only letters and digits.
 */
static char *
plain_of (const char *text, gsize len)
{
  GString *out = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    if (text[i] == '.' || text[i] == '$' || text[i] == '/')
      g_string_truncate (out, 0);
    else if (g_ascii_isalnum (text[i]))
      g_string_append_c (out, g_ascii_tolower (text[i]));
  return g_string_free (out, FALSE);
}

static gboolean
is_near (const char *text, const char *name)
{
  g_autofree char *there
      = plain_of (text, strcspn (text, "\"'") == 0 ? strlen (text) : message_type_len (text));
  g_autofree char *wanted = plain_of (name, strlen (name));
  return *wanted != '\0' && g_str_equal (there, wanted);
}

static char *
near_in_headers (const OwnEvent *own, const char *name)
{
  static const char *const headers[]
      = { "ce_type", "eventType", "event_type", "__TypeId__", "type" };
  for (guint i = 0; i < G_N_ELEMENTS (headers); i++) {
    const char *text;
    if (message_header (own->source, headers[i], &text, NULL) && text != NULL
        && is_near (text, name))
      return g_strdup_printf ("header %s %.100s", headers[i], text);
  }
  return NULL;
}

static char *
near_in_value (OwnEvent *own, const SentenceEvent *event)
{
  static const char *const paths[] = { "type", "eventType", "event_type" };
  const json_t *body = own_event_body (own, event, NULL);
  for (guint i = 0; body != NULL && i < G_N_ELEMENTS (paths); i++) {
    const char *text = json_string_value (own_event_find (body, paths[i]));
    if (text != NULL && is_near (text, event->type))
      return g_strdup_printf ("field %s %.100s", paths[i], text);
  }
  return NULL;
}

char *
own_event_near (OwnEvent *own, const SentenceEvent *event)
{
  char *near = own->type != NULL && own->is_whole && is_near (own->type, event->type)
                   ? g_strdup_printf ("attribute type %.100s", own->type)
                   : near_in_headers (own, event->type);
  if (near == NULL)
    near = near_in_value (own, event);
  if (near == NULL && own->record != NULL && is_near (own->record, event->type))
    near = g_strdup_printf ("record %.100s", own->record);
  return near;
}
