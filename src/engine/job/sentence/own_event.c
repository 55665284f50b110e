#include "engine/job/sentence/own_event.h"

#include "base/clock.h"

#include <stdarg.h>
#include <string.h>

#define REGISTRY_BYTES 5 /* 00, then the number of a schema of the registry */
#define DATE_BYTES 10    /* 2026-11-21 */

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (PRUNED_ERROR, PRUNED_REJECT, format, args));
  va_end (args);
  return FALSE;
}

/* --- the body --- */

const json_t *
own_event_find (const json_t *body, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, ".", -1);
  for (char **name = names; *name != NULL && body != NULL; name++) {
    guint64 index = 0;
    if (json_is_object (body))
      body = json_object_get (body, *name);
    else if (json_is_array (body)
             && g_ascii_string_to_unsigned (*name, 10, 0, G_MAXINT32, &index, NULL))
      body = json_array_get (body, index);
    else
      body = NULL;
  }
  return body;
}

/* Why the body cannot be read is told only if an event needs it. */
static void
read_body (OwnEvent *own)
{
  const char *text = (const char *)own->source->value;
  gsize len = own->source->value_len;
  g_autoptr (GError) cause = NULL;
  if (text == NULL || len == 0) {
    own->unreadable = g_strdup ("empty value");
    return;
  }
  if (len > REGISTRY_BYTES && text[0] == '\0') {
    text += REGISTRY_BYTES;
    len -= REGISTRY_BYTES;
  }
  own->body = json_parse_digits (text, len, &cause);
  if (own->body == NULL)
    own->unreadable = g_strdup_printf ("undecodable: %s", cause->message);
}

static const char *
attribute (const OwnEvent *own, const char *name)
{
  return json_string_value (json_object_get (own->body, name));
}

static gboolean
read_type (OwnEvent *own, GError **error)
{
  const char *content_type, *type;
  if (!message_header (own->source, "content-type", &content_type, error)
      || !message_header (own->source, "ce_type", &type, error))
    return FALSE;
  own->is_whole = type == NULL && content_type != NULL
                  && g_ascii_strncasecmp (content_type, "application/cloudevents",
                                          strlen ("application/cloudevents"))
                         == 0;
  own->type = g_strdup (own->is_whole ? attribute (own, "type") : type);
  return TRUE;
}

gboolean
own_event_open (OwnEvent *own, const MessageSource *source, GError **error)
{
  *own = (OwnEvent){ .source = source };
  read_body (own);
  if (read_type (own, error))
    return TRUE;
  own_event_clear (own);
  return FALSE;
}

void
own_event_clear (OwnEvent *own)
{
  g_clear_pointer (&own->body, json_decref);
  g_clear_pointer (&own->type, g_free);
  g_clear_pointer (&own->unreadable, g_free);
}

/* --- does it fit --- */

/* `com.example.UserErased` is a `UserErased`. */
static gboolean
is_named (const char *type, const char *name)
{
  gsize type_len = strlen (type), len = strlen (name);
  return g_str_equal (type, name)
         || (type_len > len && g_str_has_suffix (type, name) && type[type_len - len - 1] == '.');
}

/* `"5"`, `5` and `true` are written alike. NULL: not a single value. */
static char *
text_of (const json_t *value)
{
  if (json_is_string (value))
    return g_strdup (json_string_value (value));
  return json_is_integer (value) || json_is_boolean (value) ? json_text (value) : NULL;
}

gboolean
own_event_fits (const OwnEvent *own, const SentenceEvent *event, gboolean *fits, GError **error)
{
  *fits = TRUE;
  if (own->type != NULL)
    *fits = is_named (own->type, event->name);
  else if (event->match_path != NULL && own->source->value_len == 0)
    *fits = FALSE; /* a topic that is compacted has messages without a value */
  else if (own->body == NULL)
    return refuse (error, "%s", own->unreadable);
  else if (event->match_path != NULL) {
    g_autofree char *text = text_of (own_event_find (own->body, event->match_path));
    *fits = g_strcmp0 (text, event->match_value) == 0;
  }
  return TRUE;
}

/* --- what it says --- */

static char *
key_part (const OwnEvent *own, const char *path, GError **error)
{
  const json_t *value = own_event_find (own->body, path);
  if (value == NULL)
    refuse (error, "undecodable: key %s is missing", path);
  else if (json_is_null (value))
    refuse (error, "undecodable: key %s is null", path);
  else if (json_is_object (value) || json_is_array (value))
    refuse (error, "undecodable: key %s is an %s, not a value", path,
            json_is_object (value) ? "object" : "array");
  else
    return text_of (value);
  return NULL;
}

char **
own_event_key (const OwnEvent *own, const SentenceEvent *event, GError **error)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  if (own->body == NULL) {
    refuse (error, "%s", own->unreadable);
    return NULL;
  }
  for (char **path = event->key; *path != NULL; path++) {
    g_autofree char *part = key_part (own, *path, error);
    if (part == NULL)
      return NULL;
    g_strv_builder_add (parts, part);
  }
  return g_strv_builder_end (parts);
}

static gboolean
read_time (const char *text, gint64 *us, GError **error)
{
  g_autofree char *midnight
      = strlen (text) == DATE_BYTES ? g_strconcat (text, "T00:00:00Z", NULL) : NULL;
  return clock_parse (midnight != NULL ? midnight : text, us, error);
}

gboolean
own_event_due (const OwnEvent *own, const SentenceEvent *event, char **due, GError **error)
{
  gint64 us = 0;
  const json_t *value = event->due != NULL ? own_event_find (own->body, event->due) : NULL;
  *due = NULL;
  if (value == NULL || json_is_null (value))
    return TRUE;
  if (!json_is_string (value))
    return refuse (error, "undecodable: due %s is not a text with a time or a date", event->due);
  if (!read_time (json_string_value (value), &us, error)) {
    g_prefix_error (error, "undecodable: due %s: ", event->due);
    return FALSE;
  }
  *due = clock_format (us);
  return TRUE;
}

gboolean
own_event_identity (const OwnEvent *own, MessageDecoded *out, GError **error)
{
  *out = (MessageDecoded){ NULL };
  if (!own->is_whole)
    return message_identity (own->source, out, error);
  const char *id = attribute (own, "id"), *origin = attribute (own, "source"),
             *time = attribute (own, "time");
  if (time != NULL && !clock_parse (time, &out->ce_time_us, error)) {
    g_prefix_error (error, "undecodable: time: ");
    return FALSE;
  }
  out->ce_id = id != NULL && *id != '\0' ? g_strdup (id) : NULL;
  out->ce_source = origin != NULL && *origin != '\0' ? g_strdup (origin) : NULL;
  return TRUE;
}
