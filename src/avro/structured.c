#include "avro/structured.h"
#include "avro/members.h"
#include "base/error.h"

#include <string.h>

#define CONTENT_TYPE "content-type"

static gboolean
is_structured_type (const char *content_type)
{
  content_type += strspn (content_type, " \t");
  gsize len = strcspn (content_type, "; \t");
  return g_ascii_strncasecmp (content_type, "application/cloudevents+json", len) == 0
         && (len == strlen ("application/cloudevents+json")
             || len == strlen ("application/cloudevents"));
}

static gboolean
refuse (GError **error, const char *name, const char *why)
{
  return error_reject (error, "undecodable: %s %s", name, why);
}

static gboolean
add_attribute (Structured *opened, const char *name, Slice slice, GError **error)
{
  g_autoptr (json_t) value = json_parse (slice.text, slice.len, NULL);
  if (!json_is_string (value))
    return refuse (error, name, "is no text");
  gboolean is_type = g_str_equal (name, "datacontenttype");
  char *text = g_strdup (json_string_value (value));
  char *header = is_type ? g_strdup (CONTENT_TYPE) : g_strconcat ("ce_", name, NULL);
  g_ptr_array_add (opened->texts, text);
  g_ptr_array_add (opened->texts, header);
  g_array_append_vals (opened->headers,
                       &(MessageHeader){ header, text, json_string_length (value) }, 1);
  return TRUE;
}

static gboolean
read_member (Structured *opened, Slice key, Slice value, GError **error)
{
  static const char *const attributes[]
      = { "specversion", "id", "source", "type", "time", "datacontenttype", NULL };
  g_autofree char *name = g_strndup (key.text, key.len);
  gboolean is_null = value.len == 4 && memcmp (value.text, "null", 4) == 0;
  if (is_null)
    return TRUE;
  if (g_str_equal (name, "data_base64"))
    return refuse (error, name, "is not read: send data");
  if (g_str_equal (name, "data")) {
    opened->source.value = (const guint8 *)value.text;
    opened->source.value_len = value.len;
  }
  return !g_strv_contains (attributes, name) || add_attribute (opened, name, value, error);
}

static gboolean
open_body (Structured *opened, const MessageSource *source, GError **error)
{
  Slice key, value;
  const char *text = (const char *)source->value;
  if (source->value == NULL || source->value_len == 0)
    return TRUE;
  opened->body = json_canonical_text (text, source->value_len, error);
  if (opened->body == NULL) {
    g_prefix_error (error, "undecodable: ");
    return FALSE;
  }
  for (const char *at = members_begin (opened->body); members_next (&at, &key, &value);)
    if (!read_member (opened, key, value, error))
      return FALSE;
  return TRUE;
}

static void
keep_other_headers (Structured *opened, const MessageSource *source)
{
  for (guint i = 0; i < source->n_headers; i++)
    if (g_ascii_strcasecmp (source->headers[i].name, CONTENT_TYPE) != 0)
      g_array_append_val (opened->headers, source->headers[i]);
}

gboolean
structured_open (Structured *opened, const MessageSource *source, gboolean *is_structured,
                 GError **error)
{
  const char *content_type;
  *opened = (Structured){ .source = *source };
  if (!message_header (source, CONTENT_TYPE, &content_type, error))
    return FALSE;
  *is_structured = content_type != NULL && is_structured_type (content_type);
  if (!*is_structured)
    return TRUE;
  opened->headers = g_array_new (FALSE, FALSE, sizeof (MessageHeader));
  opened->texts = g_ptr_array_new_with_free_func (g_free);
  opened->source.value = NULL;
  opened->source.value_len = 0;
  keep_other_headers (opened, source);
  gboolean ok = open_body (opened, source, error);
  opened->source.headers = (const MessageHeader *)(void *)opened->headers->data;
  opened->source.n_headers = opened->headers->len;
  if (!ok)
    structured_clear (opened);
  return ok;
}

void
structured_clear (Structured *opened)
{
  g_clear_pointer (&opened->headers, g_array_unref);
  g_clear_pointer (&opened->texts, g_ptr_array_unref);
  g_clear_pointer (&opened->body, g_free);
}
