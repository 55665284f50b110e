/* Any Avro schema, and what a datum of it says, as JSON.
 *
 * avro-c is not used to read: it trusts the lengths in the bytes (for a negative one, version 1.11
 * writes outside its buffer), and resolves one schema against another. That is not needed here: a
 * datum is read with the schema that it was written with.
 *
 * A datum's content is JSON as its writer would have sent it: the value of a union without the name
 * of its branch; a `date` is `YYYY-MM-DD`, `timestamp-millis` and `-micros` RFC 3339 in UTC (those
 * of `local-timestamp-` without zone), a `decimal` and any number with a fraction a text with all
 * digits, a `uuid` a text; other times are their number. Bytes have no form (shape_is_bytes).
 *
 * Threads: any, once parsed; constant from then on. Ownership: see each function.
 */
#pragma once
#include "base/json.h"

typedef struct _Shape Shape;

/* TEXT: a schema as JSON. KNOWN: texts of schemas whose names it uses, each after those that it
 * uses itself; NULL-terminated, NULL: none. PRUNED_REJECT: not a schema. shape_free it. */
Shape *shape_parse (const char *const *known, const char *text, GError **error);
void shape_free (Shape *shape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Shape, shape_free)

/* CRC-64-AVRO of the schema; 0: it uses names of other schemas. */
guint64 shape_fingerprint (const Shape *shape);

/* What is asked of a datum beside its content, and the answers; those are borrowed from its Shape.
 */
typedef struct {
  const char *const *wanted; /* the only fields that the content of a record gets, NULL-terminated;
                                the others are only checked; NULL: all */
  const char *record; /* the full name of the record that it is, of a union that of its branch;
                         NULL: it is no record */
  GHashTable *types;  /* of the caller; gets json_t, a text or an integer of the content -> what the
                         schema calls it (`connect.name`, else `logicalType`), nothing of what is
                         refused; NULL: not asked for */
} ShapeNotes;

/* The content of BYTES, which must be exactly one datum. PRUNED_REJECT says where and what is
 * wrong. NOTES can be NULL. */
json_t *shape_read (const Shape *shape, const guint8 *bytes, gsize len, ShapeNotes *notes,
                    GError **error);

/* Whether VALUE stands for bytes, or a fixed, without a meaning. */
gboolean shape_is_bytes (const json_t *value);
