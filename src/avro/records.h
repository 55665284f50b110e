/* The records of schemas/avro, as code wants them: full name, text, fingerprint, and a flat list of
 * fields. A message is a record of scalars and lists of ids, each perhaps null; a schema that is
 * more than that is a bug (g_error). (The name `avro/schema.h` is taken, by avro-c.)
 *
 * Threads: any, after message_setup; nothing changes then.
 * Ownership: everything is the module's, for ever.
 */
#pragma once
#include "base/json.h"

typedef enum {
  FIELD_STRING,
  FIELD_UUID, /* string, logical type uuid */
  FIELD_JSON, /* string, contentMediaType application/json: an object as text */
  FIELD_INT,
  FIELD_LONG,
  FIELD_DATE,  /* int, days since 1970 */
  FIELD_TIME,  /* long, timestamp-micros */
  FIELD_LONGS, /* array of long */
} FieldKind;

typedef struct {
  const char *name;
  FieldKind kind;
  gboolean nullable;        /* ["null", type] */
  gboolean has_default;     /* null, or a text: */
  const char *default_text; /* NULL: null */
} SchemaField;

typedef struct {
  char *name; /* full */
  char *text; /* of the file */
  guint64 fingerprint;
  guint index; /* among all */
  guint n_fields;
  SchemaField *fields;
  const char **field_names; /* NULL-terminated */
} Schema;

/* NULL: there is none. */
const Schema *schema_find (const char *name);
const Schema *schema_of_fingerprint (guint64 fingerprint);
guint schema_count (void);

/* The position of a field, or -1. */
int schema_field_index (const Schema *schema, const char *name, gsize name_len);
