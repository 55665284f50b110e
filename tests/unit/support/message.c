#include "support/message.h"
#include "base/error.h"
#include <string.h>

GByteArray *
bytes_of (const char *hex)
{
  GByteArray *bytes = g_byte_array_new ();
  for (const char *at = hex; *at != '\0'; at += 2) {
    guint8 byte = g_ascii_xdigit_value (at[0]) * 16 + g_ascii_xdigit_value (at[1]);
    g_byte_array_append (bytes, &byte, 1);
  }
  return bytes;
}

char *
hex_of (const GByteArray *bytes)
{
  GString *hex = g_string_new (NULL);
  for (guint i = 0; i < bytes->len; i++)
    g_string_append_printf (hex, "%02x", bytes->data[i]);
  return g_string_free (hex, FALSE);
}

json_t *
json_of (const char *text)
{
  GError *error = NULL;
  json_t *value = json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return value;
}

char *
reason_of (const MessageSource *source)
{
  MessageDecoded decoded;
  g_autoptr (GError) error = NULL;
  g_assert_false (message_decode (source, &decoded, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_assert_null (decoded.content);
  g_assert_null (decoded.type);
  return g_strdup (error->message);
}

MessageSource
on_ticks (const char *value, gsize len)
{
  return (MessageSource){
    .value = (const guint8 *)value, .value_len = len, .type = "pruned.Tick", .space = "pruned.Tick"
  };
}

void
assert_tick (const char *value, gsize len, const char *wanted)
{
  MessageSource source = on_ticks (value, len);
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, wanted);
}

void
assert_event (const char *value, gsize len, const char *wanted)
{
  MessageHeader type = { "ce_type", EXPIRY, strlen (EXPIRY) };
  MessageSource source = { (const guint8 *)value, len, &type, 1, NULL, "pruned.events." };
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, wanted);
}
