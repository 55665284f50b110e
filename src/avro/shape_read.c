#include "avro/shape_private.h"
#include "base/clock.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 128
/* Bounds the memory that a datum takes as JSON: 150 times its bytes. Each value takes a byte, but
 * nulls, and records without anything else. */
#define VALUES_PER_BYTE 8
#define VALUES_MORE 160000
#define VALUES_OF_PARTS 16 /* what has parts takes as much memory as so many others */

typedef struct {
  const guint8 *at, *end;
  gint64 values; /* that may still come */
  guint depth;
  gboolean is_placed;        /* the error names a field already */
  gboolean is_passed_over;   /* what is read is only checked: null stands for it */
  const char *const *wanted; /* see ShapeNotes */
  GHashTable *types;         /* alike */
  GError **error;
} Datum;

static json_t *read_node (Datum *datum, const Node *node);

static gboolean
fail (Datum *datum, const char *why)
{
  return error_reject (datum->error, "%s", why);
}

static json_t *
none (Datum *datum, const char *why)
{
  (void)fail (datum, why);
  return NULL;
}

/* --- bytes --- */

static gboolean
take_long (Datum *datum, gint64 *value)
{
  guint64 raw = 0;
  for (guint shift = 0; shift < 64; shift += 7) {
    if (datum->at == datum->end)
      return fail (datum, "the bytes end too early");
    guint8 byte = *datum->at++;
    if (shift == 63 && byte > 1)
      break;
    raw |= (guint64)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = (gint64)(raw >> 1) ^ -(gint64)(raw & 1);
      return TRUE;
    }
  }
  return fail (datum, "a number of more than 64 bits");
}

/* NULL: fewer than LEN bytes are left. */
static const guint8 *
take (Datum *datum, gint64 len)
{
  if (len < 0 || len > datum->end - datum->at) {
    (void)fail (datum, "its length is not that of the bytes that follow");
    return NULL;
  }
  const guint8 *bytes = datum->at;
  datum->at += len;
  return bytes;
}

/* --- texts --- */

static json_t *
read_text (Datum *datum, gboolean is_key)
{
  gint64 len;
  const guint8 *bytes = take_long (datum, &len) ? take (datum, len) : NULL;
  if (bytes == NULL)
    return NULL;
  if (!g_utf8_validate_len ((const char *)bytes, (gsize)len, NULL))
    return none (datum, "not UTF-8, or a NUL byte");
  return datum->is_passed_over && !is_key ? json_null ()
                                          : json_stringn_nocheck ((const char *)bytes, (gsize)len);
}

/* --- bytes that mean something --- */

/* No field and no symbol of a path has this name. */
json_t *
shape_bytes_form (void)
{
  return json_pack ("{s:s}", "", "bytes");
}

gboolean
shape_is_bytes (const json_t *value)
{
  return json_object_size (value) == 1 && json_object_get (value, "") != NULL;
}

static json_t *
read_bytes (Datum *datum, const Node *node)
{
  gint64 len = node->size;
  if (node->kind == SHAPE_BYTES && !take_long (datum, &len))
    return NULL;
  const guint8 *bytes = take (datum, len);
  if (bytes == NULL)
    return NULL;
  if (node->meaning == MEANS_UUID)
    return shape_uuid_of (bytes);
  return node->meaning == MEANS_DECIMAL && len <= DECIMAL_BYTES
             ? shape_decimal_of (bytes, len, node->scale)
             : shape_bytes_form ();
}

/* --- numbers --- */

static json_t *
read_integer (Datum *datum, const Node *node)
{
  gint64 value;
  if (!take_long (datum, &value))
    return NULL;
  if (node->kind == SHAPE_INT && (value < G_MININT32 || value > G_MAXINT32))
    return none (datum, "not within 32 bits");
  if (datum->is_passed_over)
    return json_null ();
  switch (node->meaning) {
  case MEANS_DATE:
    return shape_date_of (value);
  case MEANS_MILLIS:
  case MEANS_LOCAL_MILLIS:
    return shape_time_of (value, G_TIME_SPAN_MILLISECOND, node->meaning == MEANS_LOCAL_MILLIS);
  case MEANS_MICROS:
  case MEANS_LOCAL_MICROS:
    return shape_time_of (value, 1, node->meaning == MEANS_LOCAL_MICROS);
  default:
    return json_integer (value);
  }
}

static json_t *
read_real (Datum *datum, gboolean is_float)
{
  guint64 raw = 0;
  double value;
  guint size = is_float ? sizeof (float) : sizeof (double);
  const guint8 *bytes = take (datum, size);
  if (bytes == NULL)
    return NULL;
  for (guint i = 0; i < size; i++)
    raw |= (guint64)bytes[i] << (8 * i);
  guint32 half = (guint32)raw;
  float single;
  memcpy (&single, &half, sizeof single);
  memcpy (&value, &raw, sizeof value);
  return shape_real_of (is_float ? (double)single : value, is_float);
}

static json_t *
read_boolean (Datum *datum)
{
  const guint8 *byte = take (datum, 1);
  if (byte == NULL)
    return NULL;
  return *byte <= 1 ? json_boolean (*byte) : none (datum, "neither true nor false");
}

/* --- what has parts --- */

static json_t *
read_symbol (Datum *datum, const Node *node)
{
  gint64 i;
  if (!take_long (datum, &i))
    return NULL;
  return i >= 0 && i < node->names->len ? json_string (node->names->pdata[i])
                                        : none (datum, "no such symbol of its enum");
}

static json_t *
read_branch (Datum *datum, const Node *node)
{
  gint64 i;
  if (!take_long (datum, &i))
    return NULL;
  return i >= 0 && i < node->parts->len ? read_node (datum, node->parts->pdata[i])
                                        : none (datum, "no such branch of its union");
}

static json_t *
read_record (Datum *datum, const Node *node)
{
  g_autoptr (json_t) record = json_object ();
  const char *const *wanted = datum->depth == 1 ? datum->wanted : NULL;
  for (guint i = 0; i < node->parts->len; i++) {
    if (wanted != NULL)
      datum->is_passed_over = !g_strv_contains (wanted, node->names->pdata[i]);
    json_t *value = read_node (datum, node->parts->pdata[i]);
    if (value == NULL) {
      g_prefix_error (datum->error,
                      datum->is_placed ? "%s." : "%s: ", (char *)node->names->pdata[i]);
      datum->is_placed = TRUE;
      return NULL;
    }
    if (datum->is_passed_over)
      json_decref (value);
    else
      json_object_set_new (record, node->names->pdata[i], value);
  }
  return g_steal_pointer (&record);
}

static gboolean
add_item (Datum *datum, const Node *node, json_t *list)
{
  g_autoptr (json_t) key = node->kind == SHAPE_MAP ? read_text (datum, TRUE) : NULL;
  if (node->kind == SHAPE_MAP && key == NULL)
    return FALSE;
  json_t *value = read_node (datum, node->parts->pdata[0]);
  if (value == NULL)
    return FALSE;
  if (key == NULL)
    return json_array_append_new (list, value) == 0;
  gboolean is_new = json_object_get (list, json_string_value (key)) == NULL;
  json_object_set_new (list, json_string_value (key), value);
  return is_new || fail (datum, "a key of a map is there twice");
}

/* Blocks of items up to the empty block; a negative count is followed by the block's bytes. */
static json_t *
read_list (Datum *datum, const Node *node)
{
  gint64 count, size;
  g_autoptr (json_t) list = node->kind == SHAPE_MAP ? json_object () : json_array ();
  for (;;) {
    if (!take_long (datum, &count) || (count < 0 && !take_long (datum, &size)))
      return NULL;
    if (count == 0)
      return g_steal_pointer (&list);
    if (count == G_MININT64)
      return none (datum, "more items than bytes");
    const gboolean is_sized = count < 0;
    const guint8 *from = datum->at;
    for (count = ABS (count); count > 0; count--)
      if (!add_item (datum, node, list))
        return NULL;
    if (is_sized && datum->at - from != size)
      return none (datum, "a block of items is longer or shorter than it says");
  }
}

static json_t *
read_kind (Datum *datum, const Node *node)
{
  switch (node->kind) {
  case SHAPE_NULL:
    return json_null ();
  case SHAPE_BOOLEAN:
    return read_boolean (datum);
  case SHAPE_INT:
  case SHAPE_LONG:
    return read_integer (datum, node);
  case SHAPE_FLOAT:
  case SHAPE_DOUBLE:
    return read_real (datum, node->kind == SHAPE_FLOAT);
  case SHAPE_BYTES:
  case SHAPE_FIXED:
    return read_bytes (datum, node);
  case SHAPE_STRING:
    return read_text (datum, FALSE);
  case SHAPE_ENUM:
    return read_symbol (datum, node);
  case SHAPE_ARRAY:
  case SHAPE_MAP:
    return read_list (datum, node);
  case SHAPE_RECORD:
    return read_record (datum, node);
  case SHAPE_UNION:
    return read_branch (datum, node);
  }
  g_assert_not_reached ();
}

static json_t *
read_node (Datum *datum, const Node *node)
{
  if (datum->depth == DEPTH_MOST)
    return none (datum, "nested too deep");
  datum->values -= node->kind >= SHAPE_ARRAY && node->kind <= SHAPE_RECORD ? VALUES_OF_PARTS : 1;
  if (datum->values < 0)
    return none (datum, "more values than bytes");
  datum->depth++;
  json_t *value = read_kind (datum, node);
  datum->depth--;
  if (node->type != NULL && datum->types != NULL
      && (json_is_string (value) || json_is_integer (value)))
    g_hash_table_insert (datum->types, value, node->type);
  return value;
}

/* BYTES are a datum. */
static const char *
record_of (const Shape *shape, const guint8 *bytes, gsize len)
{
  gint64 branch;
  const Node *node = shape->root;
  Datum datum = { .at = bytes, .end = bytes + len };
  if (node->kind == SHAPE_UNION && take_long (&datum, &branch))
    node = node->parts->pdata[branch];
  return node->kind == SHAPE_RECORD ? node->name : NULL;
}

json_t *
shape_read (const Shape *shape, const guint8 *bytes, gsize len, ShapeNotes *notes, GError **error)
{
  Datum datum = { .at = bytes,
                  .end = bytes + len,
                  .values = (gint64)len * VALUES_PER_BYTE + VALUES_MORE,
                  .wanted = notes != NULL ? notes->wanted : NULL,
                  .types = notes != NULL ? notes->types : NULL,
                  .error = error };
  g_autoptr (json_t) value = read_node (&datum, shape->root);
  if (value != NULL && datum.at == datum.end) {
    if (notes != NULL)
      notes->record = record_of (shape, bytes, len);
    return g_steal_pointer (&value);
  }
  if (datum.types != NULL)
    g_hash_table_remove_all (datum.types);
  if (datum.is_placed)
    g_prefix_error_literal (error, "field ");
  if (value == NULL)
    return NULL;
  return error_null (error, PRUNED_REJECT, "%" G_GSIZE_FORMAT " bytes too many",
                     (gsize)(datum.end - datum.at));
}
