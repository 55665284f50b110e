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
  if (error != NULL)
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_clear_error (&error);
  return 0;
}
