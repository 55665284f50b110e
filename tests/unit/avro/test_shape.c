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

#define DECIMAL "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}"

/* Bytes are up to LEN, because they hold NULs; JSON NULL: they are refused. */
static const struct {
  const char *schema, *bytes;
  gsize len;
  const char *json;
} data[] = {
  { "\"null\"", "", 0, "null" },
  { "\"boolean\"", "\x01", 1, "true" },
  { "\"boolean\"", "\x02", 1, NULL },
  { "\"int\"", "\x54", 1, "42" },
  { "\"int\"", "\xfe\xff\xff\xff\x0f", 5, "2147483647" },
  { "\"int\"", "\x80\x80\x80\x80\x10", 5, NULL },
  { "\"long\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, "-9223372036854775808" },
  { "\"long\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, NULL },
  { "\"double\"", "\0\0\0\0\0\0\xf8\x3f", 8, "\"1.5\"" },
  { "\"float\"", "\xcd\xcc\xcc\x3d", 4, "\"0.1\"" },
  { "\"float\"", "\0\0\x80\x7f", 4, "\"Infinity\"" },
  { "\"string\"",
    "\x04"
    "ab",
    3, "\"ab\"" },
  { "\"string\"",
    "\x04"
    "a",
    2, NULL },
  { "\"string\"",
    "\x01"
    "a",
    2, NULL },
  { "\"string\"",
    "\x02"
    "\xff",
    2, NULL },
  { "\"bytes\"",
    "\x04"
    "ab",
    3, "{\"\":\"bytes\"}" },
  { DECIMAL, "\x02\x80", 2, "\"-1.28\"" },
  { DECIMAL, "\x02\x05", 2, "\"0.05\"" },
  { DECIMAL, "\x00", 1, "\"0.00\"" },
  { DECIMAL, "\x04\xff\x00", 3, "\"-2.56\"" },
  { "{\"type\":\"int\",\"logicalType\":\"date\"}", "\x00", 1, "\"1970-01-01\"" },
  { "{\"type\":\"int\",\"logicalType\":\"date\"}", "\x01", 1, "\"1969-12-31\"" },
  { "{\"type\":\"int\",\"logicalType\":\"date\"}", "\xfe\xff\xff\xff\x0f", 5, "2147483647" },
  { "{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}", "\x02", 1,
    "\"1970-01-01T00:00:00.001000Z\"" },
  { "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}", "\x01", 1,
    "\"1969-12-31T23:59:59.999999Z\"" },
  { "[\"null\",\"int\"]", "\x02\x02", 2, "1" },
  { "[\"null\",\"int\"]", "\x04\x02", 2, NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x03\x04\x02\x04\x00", 5, "[1,2]" },
  { "{\"type\":\"array\",\"items\":\"null\"}", "\x06\x00", 2, "[null,null,null]" },
  { "{\"type\":\"array\",\"items\":\"null\"}", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10,
    NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 11,
    NULL },
  { "{\"type\":\"map\",\"values\":\"int\"}",
    "\x02\x02"
    "a\x04\x00",
    5, "{\"a\":2}" },
  { "{\"type\":\"map\",\"values\":\"int\"}",
    "\x04\x02"
    "a\x04\x02"
    "a\x04\x00",
    8, NULL },
  { "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\",\"type\":\"A\"}]}", "", 0,
    NULL },
  { "{\"type\":\"record\",\"name\":\"A\",\"namespace\":\"x\",\"fields\":[{\"name\":\"a\",\"type\":"
    "[\"null\",\"x.A\"]},{\"name\":\"b\",\"type\":[\"null\",\"A\"]}]}",
    "\x02\x00\x00\x00", 4, "{\"a\":{\"a\":null,\"b\":null},\"b\":null}" },
};

static void
test_data (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (data); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Shape) shape = shape_parse (NULL, data[i].schema, &error);
    g_assert_no_error (error);
    g_autoptr (json_t) value
        = shape_read (shape, (const guint8 *)data[i].bytes, data[i].len, NULL, &error);
    g_autofree char *text = value != NULL ? json_text (value) : NULL;
    g_test_message ("%u %s: %s", i, data[i].schema, text != NULL ? text : error->message);
    g_assert_cmpstr (text, ==, data[i].json);
    g_assert_true ((value == NULL) == (error != NULL));
  }
}

/* The record that a datum is: its full name, also as the branch of a union. */
static void
test_record (void)
{
  static const struct {
    const char *schema, *bytes;
    gsize len;
    const char *record;
  } cases[] = {
    { "{\"type\": \"record\", \"name\": \"A\", \"namespace\": \"shop\", \"fields\": []}", "", 0,
      "shop.A" },
    { "{\"type\": \"record\", \"name\": \"A\", \"fields\": []}", "", 0, "A" },
    { "[\"null\", {\"type\": \"record\", \"name\": \"s.A\", \"fields\": []}, {\"type\": \"record\", \"name\": \"s.B\", \"fields\": [{\"name\": \"id\", \"type\": \"int\"}]}]",
      "\4\2", 2, "s.B" },
    { "[\"null\", {\"type\": \"record\", \"name\": \"s.A\", \"fields\": []}]", "\0", 1, NULL },
    { "[\"null\", {\"type\": \"record\", \"name\": \"s.A\", \"fields\": []}]", "\2", 1, "s.A" },
    { "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"s.A\", \"fields\": []}}",
      "\0", 1, NULL },
    { "{\"type\": \"enum\", \"name\": \"s.E\", \"symbols\": [\"X\"]}", "\0", 1, NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    ShapeNotes notes = { NULL };
    g_autoptr (Shape) shape = shape_parse (NULL, cases[i].schema, NULL);
    g_autoptr (json_t) value
        = shape_read (shape, (const guint8 *)cases[i].bytes, cases[i].len, &notes, NULL);
    g_test_message ("%u %s", i, cases[i].schema);
    g_assert_nonnull (value);
    g_assert_cmpstr (notes.record, ==, cases[i].record);
  }
}

#define DEEP 100000
#define FIELDS 10000

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

/* A list that is linked by records: its schema contains itself, and the bytes say how deep it is.
 */
static void
test_data_without_bound (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Shape) list
      = shape_parse (NULL,
                     "{\"type\":\"record\",\"name\":\"L\",\"fields\":[{\"name\":\"next\","
                     "\"type\":[\"null\",\"L\"]}]}",
                     &error);
  g_assert_no_error (error);
  g_autofree char *deep = g_strnfill (DEEP, '\2');
  deep[3] = '\0';
  g_autoptr (json_t) three = shape_read (list, (const guint8 *)deep, 4, NULL, &error);
  g_autofree char *text = three != NULL ? json_text (three) : NULL;
  g_assert_cmpstr (text, ==, "{\"next\":{\"next\":{\"next\":{\"next\":null}}}}");
  memset (deep, 2, DEEP);
  deep[DEEP - 1] = '\0';
  g_assert_null (shape_read (list, (const guint8 *)deep, DEEP, NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_test_message ("%s", error->message);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape/refused", test_refused);
  g_test_add_func ("/shape/record", test_record);
  g_test_add_func ("/shape/data", test_data);
  g_test_add_func ("/shape/schemas_without_bound", test_schemas_without_bound);
  g_test_add_func ("/shape/data_without_bound", test_data_without_bound);
  g_test_add_func ("/shape/ten_thousand_fields", test_ten_thousand_fields);
  return g_test_run ();
}
