/* The records of schemas/avro: full name, text, fingerprint, and a flat list of fields. A message
 * is a record of scalars and lists of ids, each of which can be nullable; any other schema is a bug
 * (g_error). (avro-c has a header `avro/schema.h` already.)
 *
 * Threads: any; constant once they are loaded.
 * Ownership: the module owns everything, for ever.
 */
#pragma once
#include "avro/shape.h"
#include "base/json.h"

typedef enum {
  FIELD_STRING,
  FIELD_UUID,   /* string, logical type uuid */
  FIELD_OBJECT, /* as FIELD_JSON, but no array: `args` and `cursor` */
  FIELD_JSON,   /* string, contentMediaType application/json: an object or an array as text */
  FIELD_INT,
  FIELD_LONG,
  FIELD_DATE,  /* int, days since 1970 */
  FIELD_TIME,  /* long, timestamp-micros */
  FIELD_LONGS, /* array of long */
  FIELD_BOOL,
} FieldKind;

typedef struct {
  const char *name;
  FieldKind kind;
  gboolean nullable;        /* ["null", type] */
  gboolean has_default;     /* the default is null, or a text: */
  const char *default_text; /* NULL: null */
} SchemaField;

typedef struct {
  char *name; /* the full name */
  char *text; /* of the schema's file */
  Shape *shape;
  guint64 fingerprint; /* of the shape */
  guint index;         /* among all schemas */
  guint n_fields;
  SchemaField *fields;
  const char **field_names; /* NULL-terminated */
} Schema;

/* Loads the embedded schemas, if that has not been done. */
void records_setup (void);
/* The full names of all, sorted, NULL-terminated. */
const char *const *records_names (void);
/* NULL: no such schema. */
const Schema *schema_find (const char *name);
const Schema *schema_of_fingerprint (guint64 fingerprint);
guint records_count (void);

/* The position of a field, or -1. */
int schema_field_index (const Schema *schema, const char *name, gsize name_len);
