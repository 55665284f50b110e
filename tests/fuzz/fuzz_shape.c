/* Any schema, and any bytes as a datum of it. The input: the schema's text, a NUL, the bytes.
 * Without a NUL it is a datum of a schema that has every kind of type. */
#include "avro/shape.h"
#include "base/error.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char every[]
    = "{\"type\":\"record\",\"name\":\"E\",\"fields\":["
      "{\"name\":\"a\",\"type\":[\"null\",\"boolean\",\"int\",\"long\",\"float\",\"double\",\"bytes\","
      "\"string\",{\"type\":\"fixed\",\"name\":\"F\",\"size\":3},\"E\","
      "{\"type\":\"enum\",\"name\":\"K\",\"symbols\":[\"A\",\"B\"]},"
      "{\"type\":\"array\",\"items\":[\"null\",\"E\"]},{\"type\":\"map\",\"values\":\"null\"}]},"
      "{\"name\":\"b\",\"type\":[{\"type\":\"int\",\"logicalType\":\"date\"},"
      "{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"},"
      "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"scale\":2}]},"
      "{\"name\":\"c\",\"type\":[{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\"},"
      "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"},"
      "{\"type\":\"array\",\"items\":\"null\"}]}]}";

/* What is not wanted is checked all the same, and what is wanted is as it is among all. */
static void
assert_part (const Shape *shape, const guint8 *bytes, gsize len, const json_t *whole)
{
  static const char *const wanted[] = { "b", NULL };
  ShapeNotes notes = { .wanted = wanted };
  g_autoptr (json_t) part = shape_read (shape, bytes, len, &notes, NULL);
  g_assert_true ((part != NULL) == (whole != NULL));
  if (json_is_object (part) && json_object_get (part, "b") != NULL)
    g_assert_true (json_equal (json_object_get (part, "b"), json_object_get (whole, "b")));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  GError *error = NULL;
  const uint8_t *end = size > 0 ? memchr (data, 0, size) : NULL;
  gboolean own = end != NULL && data[0] != 0;
  g_autofree char *text = own ? g_strndup ((const char *)data, end - data) : g_strdup (every);
  gsize start = own ? (gsize)(end - data) + 1 : 0;
  g_autofree guint8 *bytes = g_memdup2 (data + start, size - start);
  g_autoptr (Shape) shape = shape_parse (NULL, text, &error);
  g_autoptr (GHashTable) types = g_hash_table_new (NULL, NULL);
  ShapeNotes notes = { .types = types };
  g_autoptr (json_t) value
      = shape != NULL ? shape_read (shape, bytes, size - start, &notes, &error) : NULL;
  g_assert_true ((value == NULL) == (error != NULL));
  if (error != NULL) {
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
    g_assert_cmpuint (g_hash_table_size (types), ==, 0);
  }
  if (shape != NULL)
    assert_part (shape, bytes, size - start, value);
  g_clear_error (&error);
  return 0;
}
