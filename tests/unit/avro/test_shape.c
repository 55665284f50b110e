/* Schemas of others and their data (src/avro/shape.h). */
#include "avro/shape.h"
#include "base/error.h"

#include <string.h>

static void
test_refused (void)
{
  static const struct {
    const char *schema, *why;
  } cases[] = {
    { "long", "line 1" },
    { "\"Other\"", "there is no type Other" },
    { "{}", "a type is missing" },
    { "7", "a type is missing" },
    { "{\"type\":\"record\",\"name\":\"A\"}", "a record without fields" },
    { "{\"type\":\"record\",\"fields\":[]}", "a record, enum or fixed without a name" },
    { "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"type\":\"int\"}]}",
      "a field or a symbol without a name" },
    { "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},"
      "{\"name\":\"a\",\"type\":\"int\"}]}",
      "a is there twice" },
    { "{\"type\":\"enum\",\"name\":\"A\"}", "an enum without symbols" },
    { "{\"type\":\"fixed\",\"name\":\"A\",\"size\":-1}", "a fixed without a size" },
    { "{\"type\":\"array\"}", "a type is missing" },
    { "[{\"type\":\"fixed\",\"name\":\"A\",\"size\":1},{\"type\":\"fixed\",\"name\":\"A\","
      "\"size\":2}]",
      "the type A is there twice" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (shape_parse (NULL, cases[i].schema, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
    g_test_message ("%s: %s", cases[i].schema, error->message);
    g_assert_nonnull (strstr (error->message, cases[i].why));
  }
}

#define DEEP 100000
#define FIELDS 10000
#define PAIRS 16 /* of letters: 65,536 names */

/* `[[[...]]]`, and a field of a field of a field ... */
static void
test_schemas_without_bound (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *open = g_strnfill (DEEP, '['), *close = g_strnfill (DEEP, ']'),
                  *lists = g_strconcat (open, "\"int\"", close, NULL);
  g_assert_null (shape_parse (NULL, lists, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_clear_error (&error);
  GString *types = g_string_new (NULL);
  for (guint i = 0; i < DEEP; i++)
    g_string_append (types, "{\"type\":");
  g_assert_null (shape_parse (NULL, types->str, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_string_free (types, TRUE);
}

/* A record of so many fields, and the last of them twice. */
static char *
wide (guint more)
{
  GString *out = g_string_new ("{\"type\":\"record\",\"name\":\"W\",\"fields\":[");
  for (guint i = 0; i < FIELDS + more; i++)
    g_string_append_printf (out, "%s{\"name\":\"field_%u\",\"type\":\"int\"}", i > 0 ? "," : "",
                            MIN (i, FIELDS - 1));
  g_string_append (out, "]}");
  return g_string_free (out, FALSE);
}

static void
test_ten_thousand_fields (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *schema = wide (0), *twice = wide (1);
  g_autofree guint8 *bytes = g_malloc0 (FIELDS);
  gint64 began_us = g_get_monotonic_time ();
  bytes[FIELDS - 1] = 14;
  g_autoptr (Shape) shape = shape_parse (NULL, schema, &error);
  g_assert_no_error (error);
  g_autoptr (json_t) value = shape_read (shape, bytes, FIELDS, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (json_object_size (value), ==, FIELDS);
  g_assert_cmpint (json_integer_value (json_object_get (value, "field_9999")), ==, 7);
  g_assert_null (shape_parse (NULL, twice, &error));
  g_assert_nonnull (strstr (error->message, "field_9999 is there twice"));
  g_test_message ("%" G_GINT64_FORMAT " us", g_get_monotonic_time () - began_us);
}

/* Names that g_str_hash does not tell apart: of each pair of letters one of two that count the
 * same. A table of that hash takes a minute for them. */
static void
test_names_that_are_made_to_collide (void)
{
  static const struct {
    const char *head, *before, *behind, *tail;
  } cases[] = {
    { "{\"type\":\"enum\",\"name\":\"A\",\"symbols\":[", "\"", "\"", "]}" },
    { "[", "{\"type\":\"fixed\",\"name\":\"", "\",\"size\":1}", "]" },
  };
  g_assert_cmpuint (g_str_hash ("ab"), ==, g_str_hash ("bA"));
  for (guint n = 0; n < G_N_ELEMENTS (cases); n++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) text = g_string_new (cases[n].head);
    for (guint i = 0; i < 1u << PAIRS; i++) {
      g_string_append_printf (text, "%s%s", i > 0 ? "," : "", cases[n].before);
      for (guint pair = 0; pair < PAIRS; pair++)
        g_string_append (text, i >> pair & 1 ? "ab" : "bA");
      g_string_append (text, cases[n].behind);
    }
    g_string_append (text, cases[n].tail);
    g_autoptr (Shape) shape = shape_parse (NULL, text->str, &error);
    g_assert_no_error (error);
    g_assert_nonnull (shape);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape/refused", test_refused);
  g_test_add_func ("/shape/schemas_without_bound", test_schemas_without_bound);
  g_test_add_func ("/shape/ten_thousand_fields", test_ten_thousand_fields);
  g_test_add_func ("/shape/names_that_are_made_to_collide", test_names_that_are_made_to_collide);
  return g_test_run ();
}
