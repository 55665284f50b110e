#include "avro/readable.h"

/* New reference. */
static json_t *
as_text (const json_t *value)
{
  g_autofree char *text = json_text (value);
  return json_string (text);
}

/* VALUE of a field: its numbers as texts. New reference. */
static json_t *
readable (json_t *value)
{
  if (json_is_integer (value))
    return as_text (value);
  if (!json_is_array (value))
    return json_incref (value);
  json_t *items = json_array (), *item;
  gsize i;
  json_array_foreach (value, i, item)
    json_array_append_new (items, json_is_integer (item) ? as_text (item) : json_incref (item));
  return items;
}

char *
readable_write (const MessageSource *source, GError **error)
{
  MessageDecoded decoded;
  if (!message_decode (source, &decoded, error))
    return NULL;
  g_autoptr (json_t) object = json_object ();
  for (const char *const *field = message_fields (decoded.type); *field != NULL; field++)
    json_object_set_new (object, *field, readable (json_object_get (decoded.content, *field)));
  message_decoded_clear (&decoded);
  return json_text (object);
}

/* As message_encode_texts reads it; NULL: null. g_free it. */
static char *
text_of (const json_t *value)
{
  if (value == NULL || json_is_null (value))
    return NULL;
  if (json_is_string (value))
    return g_strdup (json_string_value (value));
  if (json_is_boolean (value))
    return g_strdup (json_is_true (value) ? "t" : "f");
  if (!json_is_array (value))
    return json_text (value);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  gsize i;
  json_t *item;
  json_array_foreach ((json_t *)value, i, item)
    g_ptr_array_add (items, text_of (item));
  g_ptr_array_add (items, NULL);
  g_autofree char *list = g_strjoinv (",", (char **)items->pdata);
  return g_strconcat ("[", list, "]", NULL);
}

gboolean
readable_read (const char *type, const char *text, gsize len, GByteArray *out)
{
  g_autoptr (json_t) object = json_parse_exact (text, len, NULL);
  const char *const *names = message_fields (type);
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    g_ptr_array_add (fields, text_of (json_object_get (object, names[i])));
  return object != NULL && names != NULL
         && message_encode_texts (type, (const char *const *)fields->pdata, out, NULL);
}
