/* What data of schemas of others say (src/avro/shape.h). */
#include "avro/shape.h"
#include "base/error.h"

#include <string.h>

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
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x03\x02\x02\x04\x00", 5, NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x03\x06\x02\x04\x00", 5, NULL },
  { "{\"type\":\"array\",\"items\":\"null\"}", "\x06\x00", 2, "[null,null,null]" },
  { "{\"type\":\"array\",\"items\":\"null\"}", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10,
    NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 11,
    NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x02",
    12, NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x03", 1, NULL },
  { "{\"type\":\"array\",\"items\":\"int\"}", "\x02\x02", 2, NULL },
  { "[]", "\x00", 1, NULL },
  { "[\"null\",\"int\"]", "\x01\x02", 2, NULL },
  { "{\"type\":\"enum\",\"name\":\"A\",\"symbols\":[\"X\"]}", "\x01", 1, NULL },
  { "{\"type\":\"enum\",\"name\":\"A\",\"symbols\":[\"X\"]}", "\x02", 1, NULL },
  { "{\"type\":\"enum\",\"name\":\"A\",\"symbols\":[]}", "\x00", 1, NULL },
  { "{\"type\":\"fixed\",\"name\":\"A\",\"size\":9223372036854775807}", "ab", 2, NULL },
  { "{\"type\":\"fixed\",\"name\":\"A\",\"size\":0,\"logicalType\":\"decimal\"}", "", 0, "\"0\"" },
  { "\"double\"", "\0\0\0", 3, NULL },
  { "\"bytes\"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, NULL },
  { "\"long\"", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, NULL },
  { "\"long\"", "\x80\x80", 2, NULL },
  { "\"long\"", "", 0, NULL },
  { "{\"type\":\"map\",\"values\":\"int\"}",
    "\x02\x02"
    "a\x04\x00",
    5, "{\"a\":2}" },
  { "{\"type\":\"map\",\"values\":\"int\"}", "\x02\x02\xff\x04\x00", 5, NULL },
  { "{\"type\":\"map\",\"values\":\"int\"}", "\x02\x03", 2, NULL },
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

/* --- what a writer can do to the reader --- */

#define DEEP 100000

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

/* What is nested is refused, and needs no deep stack. */
static void
test_depth (void)
{
  for (guint depth = 126; depth <= 2500; depth = depth < 128 ? depth + 1 : depth * 2) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree guint8 *bytes = g_malloc0 (2 * (gsize)depth + 1);
    for (guint i = 0; i < depth; i++) {
      g_string_append (text, "{\"type\":\"array\",\"items\":");
      bytes[i] = 2; /* one item */
    }
    g_string_append (text, "\"int\"");
    for (guint i = 0; i < depth; i++)
      g_string_append_c (text, '}');
    g_autoptr (Shape) shape = shape_parse (NULL, text->str, &error);
    g_autoptr (json_t) value
        = shape != NULL ? shape_read (shape, bytes, 2 * (gsize)depth + 1, NULL, &error) : NULL;
    g_test_message ("%u: %s", depth, error != NULL ? error->message : "read");
    g_assert_true ((value != NULL) == (depth <= 127));
    if (value == NULL)
      g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  }
}

#define ARRAY_OF(fields)                                                                           \
  "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"E\",\"fields\":[" fields "]}}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"

/* COUNT items, each a zero byte if IS_LONG, then the end of the list. */
static gboolean
is_read (const char *schema, guint64 count, gboolean is_long)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (Shape) shape = shape_parse (NULL, schema, NULL);
  guint64 left = count * 2;
  do {
    guint8 byte = (left & 0x7f) | (left >= 0x80 ? 0x80 : 0);
    g_byte_array_append (bytes, &byte, 1);
    left >>= 7;
  } while (left > 0);
  guint head = bytes->len;
  g_byte_array_set_size (bytes, head + (is_long ? (guint)count : 0) + 1);
  memset (bytes->data + head, 0, bytes->len - head);
  g_autoptr (json_t) value = shape_read (shape, bytes->data, bytes->len, NULL, &error);
  g_test_message ("%s: %s", schema, error != NULL ? error->message : "read");
  g_assert_true (value == NULL || json_array_size (value) == count);
  g_assert_true (value != NULL || strstr (error->message, "more values than bytes") != NULL);
  return value != NULL;
}

/* A few bytes do not become a gigabyte. */
static void
test_values_without_bytes (void)
{
  g_assert_true (is_read ("{\"type\":\"array\",\"items\":\"null\"}", 100000, FALSE));
  g_assert_false (is_read ("{\"type\":\"array\",\"items\":\"null\"}", 200000, FALSE));
  g_assert_true (is_read (ARRAY_OF (""), 9000, FALSE));
  g_assert_false (is_read (ARRAY_OF (""), 11000, FALSE));
  g_assert_true (is_read (ARRAY_OF (FIELD ("a", "\"int\"")), 15000, TRUE));
  g_assert_false (is_read (ARRAY_OF (FIELD ("a", "\"int\"")), 1000000, TRUE));
}

/* A type is kept under the value's address, which the next value can have. */
static void
test_what_is_refused_has_no_types (void)
{
  g_autoptr (Shape) shape = shape_parse (
      NULL, ARRAY_OF ("{\"name\":\"a\",\"type\":{\"type\":\"int\",\"logicalType\":\"x\"}}"), NULL);
  static const struct {
    const char *bytes;
    gsize len;
    guint n;
  } cases[] = { { "\4\2\2\0", 4, 2 }, { "\4\2\2\0!", 5, 0 }, { "\4\2\2", 3, 0 }, { "\4\2", 2, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GHashTable) types = g_hash_table_new (NULL, NULL);
    ShapeNotes notes = { .types = types };
    g_autoptr (json_t) value
        = shape_read (shape, (const guint8 *)cases[i].bytes, cases[i].len, &notes, NULL);
    g_assert_true ((value != NULL) == (cases[i].n > 0));
    g_assert_cmpuint (g_hash_table_size (types), ==, cases[i].n);
  }
}

/* Of a record some fields can be wanted; the others are checked all the same. */
static void
test_wanted_fields (void)
{
  static const char schema[]
      = "{\"type\":\"record\",\"name\":\"A\",\"fields\":[" FIELD ("a", "\"int\"") "," FIELD ("b", "\"string\"") "," FIELD (
          "c",
          "{\"type\":\"map\",\"values\":\"int\"}") "," FIELD ("d",
                                                              ARRAY_OF (FIELD (
                                                                  "a",
                                                                  "\"string\""))) "," FIELD ("e",
                                                                                             "\"int\"") "]}";
  static const struct {
    const char *bytes;
    gsize len;
    const char *wanted, *json;
  } cases[] = {
    { "\2\2b\2\2k\4\0\2\2d\0\6", 13, "a,e", "{\"a\":1,\"e\":3}" },
    { "\2\2b\2\2k\4\0\2\2d\0\6", 13, "e,x,b", "{\"b\":\"b\",\"e\":3}" },
    { "\2\2b\2\2k\4\0\2\2d\0\6", 13, "c,d", "{\"c\":{\"k\":2},\"d\":[{\"a\":\"d\"}]}" },
    { "\2\2b\2\2k\4\0\2\2d\0\6", 13, "", "{}" },
    { "\x80\x80\x80\x80\x10\2b\0\0\6", 10, "e", NULL },
    { "\2\2\xff\0\0\6", 6, "e", NULL },
    { "\2\2b\4\2k\4\2k\4\0\0\6", 13, "e", NULL },
    { "\2\2b\0\2\2\xff\0\6", 9, "e", NULL },
  };
  g_autoptr (Shape) shape = shape_parse (NULL, schema, NULL);
  g_assert_nonnull (shape);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) wanted = g_strsplit (cases[i].wanted, ",", -1);
    ShapeNotes notes = { .wanted = (const char *const *)wanted };
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) value
        = shape_read (shape, (const guint8 *)cases[i].bytes, cases[i].len, &notes, &error);
    g_autofree char *text = value != NULL ? json_text (value) : NULL;
    g_test_message ("%u: %s", i, text != NULL ? text : error->message);
    g_assert_cmpstr (text, ==, cases[i].json);
  }
}

/* The fewest digits that read back the same. */
static void
test_digits (void)
{
  static const struct {
    double value;
    const char *text;
  } doubles[] = { { 5e-324, "5e-324" },
                  { 1.5e-310, "1.5e-310" },
                  { 2.2250738585072014e-308, "2.2250738585072014e-308" },
                  { 1e23, "1e+23" },
                  { 0.1 + 0.2, "0.30000000000000004" },
                  { 1.7976931348623157e308, "1.7976931348623157e+308" },
                  { 120, "120" },
                  { 0, "0" } },
    floats[] = { { 1e-45, "1e-45" },
                 { 16777217, "16777216" },
                 { 3.4028235e38, "3.4028235e+38" },
                 { -2.5, "-2.5" } };
  g_autoptr (Shape) wide = shape_parse (NULL, "\"double\"", NULL),
                    narrow = shape_parse (NULL, "\"float\"", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (doubles) + G_N_ELEMENTS (floats); i++) {
    gboolean is_wide = i < G_N_ELEMENTS (doubles);
    guint at = is_wide ? i : i - (guint)G_N_ELEMENTS (doubles);
    double value = is_wide ? doubles[at].value : floats[at].value;
    float single = (float)value;
    guint8 bytes[sizeof value];
    memcpy (bytes, is_wide ? (void *)&value : (void *)&single, is_wide ? 8 : 4);
    g_autoptr (json_t) read
        = shape_read (is_wide ? wide : narrow, bytes, is_wide ? 8 : 4, NULL, NULL);
    g_assert_cmpstr (json_string_value (read), ==, is_wide ? doubles[at].text : floats[at].text);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape_read/data", test_data);
  g_test_add_func ("/shape_read/record", test_record);
  g_test_add_func ("/shape_read/data_without_bound", test_data_without_bound);
  g_test_add_func ("/shape_read/depth", test_depth);
  g_test_add_func ("/shape_read/values_without_bytes", test_values_without_bytes);
  g_test_add_func ("/shape_read/what_is_refused_has_no_types", test_what_is_refused_has_no_types);
  g_test_add_func ("/shape_read/wanted_fields", test_wanted_fields);
  g_test_add_func ("/shape_read/digits", test_digits);
  return g_test_run ();
}
