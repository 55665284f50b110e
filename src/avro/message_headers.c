/* The headers of a message, and texts that go into one. */
#include "avro/message.h"
#include "base/clock.h"
#include "base/error.h"

#include <string.h>

#define REASON_BYTES 400 /* the longest reason: it goes into a header and a log line */
#define SHOWN "%.200s"   /* for text that a producer sent */

static gboolean
same_value (const MessageHeader *a, const MessageHeader *b)
{
  return a->value_len == b->value_len && memcmp (a->value, b->value, a->value_len) == 0;
}

/* Producers write the names of CloudEvents in any case. Another name is the application's own. */
static gboolean
is_named (const char *given, const char *name)
{
  const gboolean is_ours = g_str_has_prefix (name, "ce_") || g_str_equal (name, "content-type");
  return is_ours ? g_ascii_strcasecmp (given, name) == 0 : g_str_equal (given, name);
}

gboolean
message_header (const MessageSource *source, const char *name, const char **text, GError **error)
{
  const MessageHeader *found = NULL;
  *text = NULL;
  for (guint i = 0; i < source->n_headers; i++) {
    const MessageHeader *header = &source->headers[i];
    if (!is_named (header->name, name) || header->value == NULL || header->value_len == 0)
      continue;
    if (found != NULL && !same_value (found, header))
      return error_reject (error, "undecodable: header %s is there twice, with different values",
                           name);
    found = header;
  }
  if (found == NULL)
    return TRUE;
  if (!g_utf8_validate_len (found->value, found->value_len, NULL))
    return error_reject (error, "undecodable: header %s is not UTF-8 text", name);
  *text = found->value;
  return TRUE;
}

static gboolean
read_time (const MessageSource *source, gint64 *us, GError **error)
{
  const char *text;
  if (!message_header (source, "ce_time", &text, error))
    return FALSE;
  if (text == NULL)
    return TRUE;
  if (!clock_parse (text, us, error)) {
    g_prefix_error (error, "undecodable: ce_time: ");
    return FALSE;
  }
  return *us > 0 || error_reject (error, "undecodable: ce_time: nothing happened at %s", text);
}

gboolean
message_version (const char *version, GError **error)
{
  return version == NULL || g_str_equal (version, "1.0")
         || error_reject (error, "undecodable: ce_specversion " SHOWN " is not 1.0", version);
}

/* An outbox has the id of an event there. Others may use the name otherwise: bytes, or two
 * values, are none. */
static const char *
plain_id (const MessageSource *source)
{
  const char *id;
  return message_header (source, "id", &id, NULL) ? id : NULL;
}

gboolean
message_identity (const MessageSource *source, MessageDecoded *out, GError **error)
{
  const char *version, *id, *origin;
  if (!message_header (source, "ce_specversion", &version, error)
      || !message_header (source, "ce_id", &id, error)
      || !message_header (source, "ce_source", &origin, error)
      || !read_time (source, &out->ce_time_us, error))
    return FALSE;
  if (!message_version (version, error))
    return FALSE;
  const char *plain = id == NULL ? plain_id (source) : NULL;
  out->id_is_plain = plain != NULL;
  out->ce_id = g_strdup (id != NULL ? id : plain);
  out->ce_source = g_strdup (origin);
  return TRUE;
}

gsize
message_type_len (const char *type)
{
  const char *dot = strrchr (type, '.');
  gboolean is_version = dot != NULL && dot > type && dot[1] == 'v' && dot[2] != '\0'
                        && strspn (dot + 2, "0123456789") == strlen (dot + 2);
  return is_version ? (gsize)(dot - type) : strlen (type);
}

char *
message_printable (const char *reason)
{
  GString *out = g_string_new (NULL);
  const char *at = reason;
  while (*at != '\0' && out->len < REASON_BYTES) {
    gunichar c = g_utf8_get_char_validated (at, -1);
    if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint (c)) {
      g_string_append_printf (out, "\\x%02x", (guchar)*at++);
      continue;
    }
    g_string_append_unichar (out, c);
    at = g_utf8_next_char (at);
  }
  if (*at != '\0')
    g_string_append (out, "...");
  return g_string_free (out, FALSE);
}
