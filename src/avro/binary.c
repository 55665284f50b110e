#include "avro/binary.h"
#include "avro/field.h"
#include "base/error.h"

typedef struct {
  const guint8 *at, *end;
  GError **error;
} Bytes;

static gboolean
fail (Bytes *bytes, const char *why)
{
  g_set_error_literal (bytes->error, PRUNED_ERROR, PRUNED_REJECT, why);
  return FALSE;
}

static gboolean
take_long (Bytes *bytes, gint64 *value)
{
  guint64 raw = 0;
  for (guint shift = 0; shift < 64; shift += 7) {
    if (bytes->at == bytes->end)
      return fail (bytes, "the bytes end too early");
    guint8 byte = *bytes->at++;
    if (shift == 63 && byte > 1)
      return fail (bytes, "a number of more than 64 bits");
    raw |= (guint64)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = (gint64)(raw >> 1) ^ -(gint64)(raw & 1);
      return TRUE;
    }
  }
  return fail (bytes, "a number of more than 64 bits");
}

static gboolean
skip_int (Bytes *bytes)
{
  gint64 value;
  if (!take_long (bytes, &value))
    return FALSE;
  return (value >= G_MININT32 && value <= G_MAXINT32) || fail (bytes, "not within 32 bits");
}

static gboolean
skip_string (Bytes *bytes)
{
  gint64 len;
  if (!take_long (bytes, &len))
    return FALSE;
  if (len < 0 || len > bytes->end - bytes->at)
    return fail (bytes, "its length is not that of the bytes that follow");
  bytes->at += len;
  return TRUE;
}

/* Skips blocks of items up to the empty block; a negative count is followed by the block's size in
 * bytes. */
static gboolean
skip_longs (Bytes *bytes)
{
  gint64 count, item, size;
  for (;;) {
    if (!take_long (bytes, &count))
      return FALSE;
    if (count == 0)
      return TRUE;
    if (count < 0 && !take_long (bytes, &size))
      return FALSE;
    if (count == G_MININT64 || ABS (count) > bytes->end - bytes->at)
      return fail (bytes, "more items than bytes");
    for (count = ABS (count); count > 0; count--)
      if (!take_long (bytes, &item))
        return FALSE;
  }
}

static gboolean
skip_bool (Bytes *bytes)
{
  if (bytes->at == bytes->end)
    return fail (bytes, "the bytes end too early");
  return *bytes->at++ <= 1 || fail (bytes, "neither true nor false");
}

static gboolean
skip_kind (Bytes *bytes, FieldKind kind)
{
  gint64 value;
  switch (kind) {
  case FIELD_STRING:
  case FIELD_UUID:
  case FIELD_JSON:
    return skip_string (bytes);
  case FIELD_INT:
  case FIELD_DATE:
    return skip_int (bytes);
  case FIELD_LONG:
  case FIELD_TIME:
    return take_long (bytes, &value);
  case FIELD_LONGS:
    return skip_longs (bytes);
  case FIELD_BOOL:
    return skip_bool (bytes);
  }
  g_assert_not_reached ();
}

static gboolean
skip_field (Bytes *bytes, const SchemaField *field)
{
  gint64 branch = 1;
  if (field->nullable && !take_long (bytes, &branch))
    return FALSE;
  if (branch != 0 && branch != 1)
    return fail (bytes, "no such branch of its union");
  return branch == 0 || skip_kind (bytes, field->kind);
}

gboolean
binary_check (const Schema *schema, const guint8 *start, gsize len, GError **error)
{
  Bytes bytes = { start, start + len, error };
  for (guint i = 0; i < schema->n_fields; i++)
    if (!skip_field (&bytes, &schema->fields[i])) {
      field_prefix (error, &schema->fields[i]);
      return FALSE;
    }
  if (bytes.at == bytes.end)
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "%" G_GSIZE_FORMAT " bytes too many",
               (gsize)(bytes.end - bytes.at));
  return FALSE;
}
