/* Outcomes as JSON that any reader can use (src/avro/readable.h). */
#include "avro/readable.h"
#include "avro/records.h"

#include <string.h>

#define OUTCOMES "pruned.outcomes."

/* A value of the field, as PostgreSQL writes it. */
static const char *
sample (const SchemaField *field, const char *json)
{
  static const char *const texts[] = { [FIELD_STRING] = "a \"text\"",
                                       [FIELD_UUID] = "0b1f6bb2-0000-4000-8000-000000000001",
                                       [FIELD_OBJECT] = "{}",
                                       [FIELD_INT] = "7",
                                       [FIELD_LONG] = "9007199254740993",
                                       [FIELD_DATE] = "2026-01-02",
                                       [FIELD_TIME] = "2026-01-02 03:04:05.000006+00",
                                       [FIELD_LONGS] = "{1,9007199254740993}",
                                       [FIELD_BOOL] = "t" };
  return field->kind == FIELD_JSON ? json : texts[field->kind];
}

static void
assert_goes_and_comes (const char *type, const char *json)
{
  const Schema *schema = schema_find (type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) avro = g_byte_array_new (), again = g_byte_array_new ();
  g_autofree const char **fields = g_new0 (const char *, schema->n_fields + 1);
  for (guint i = 0; i < schema->n_fields; i++)
    fields[i] = sample (&schema->fields[i], json);
  g_assert_true (message_encode_texts (type, fields, avro, &error));
  const MessageHeader header = { "ce_type", (char *)type, strlen (type) };
  const MessageSource source = { .value = avro->data,
                                 .value_len = avro->len,
                                 .headers = &header,
                                 .n_headers = 1,
                                 .space = OUTCOMES };
  g_autofree char *text = readable_write (&source, &error);
  g_test_message ("%s: %s", type, text != NULL ? text : error->message);
  g_assert_no_error (error);
  g_assert_null (strchr (text, '\n'));
  g_assert_true (readable_read (type, text, strlen (text), again));
  g_assert_cmpmem (again->data, again->len, avro->data, avro->len);
}

/* One that had no form in JSON would hold up all behind it. */
static void
test_each_outcome (void)
{
  guint n = 0;
  for (const char *const *type = message_types (); *type != NULL; type++)
    if (g_str_has_prefix (*type, OUTCOMES)) {
      assert_goes_and_comes (*type, "{\"a\":[1,{\"b\":null}]}");
      assert_goes_and_comes (*type, "[{\"table\":\"t\",\"removed\":2}]");
      assert_goes_and_comes (*type, "[]");
      n++;
    }
  g_assert_cmpuint (n, >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/readable/each_outcome", test_each_outcome);
  return g_test_run ();
}
