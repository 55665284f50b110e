#include "avro/message.h"

#include <string.h>

/* The record and every field in schemas/avro must have a sentence of documentation. */
static void
test_every_field_has_a_doc (void)
{
  for (const char *const *type = message_types (); *type != NULL; type++) {
    const char *text = message_schema (*type);
    g_autoptr (json_t) schema = json_parse (text, strlen (text), NULL);
    const json_t *fields = json_object_get (schema, "fields");
    gsize i;
    json_t *field;
    g_assert_cmpuint (json_string_length (json_object_get (schema, "doc")), >, 10);
    json_array_foreach ((json_t *)fields, i, field) {
      g_assert_cmpuint (json_string_length (json_object_get (field, "doc")), >, 7);
      g_assert_cmpstr (message_fields (*type)[i], ==,
                       json_string_value (json_object_get (field, "name")));
    }
    g_assert_null (message_fields (*type)[i]);
  }
  g_assert_null (message_schema ("pruned.Nothing"));
  g_assert_null (message_fields ("pruned.Nothing"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/records/every_field_has_a_doc", test_every_field_has_a_doc);
  return g_test_run ();
}
