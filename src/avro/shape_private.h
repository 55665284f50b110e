/* The parsed form of a schema, which shape.c makes and shape_read.c reads, and logical types
 * (shape_meaning.c).
 *
 * Threads: any, once parsed. Ownership: shape_free.
 */
#pragma once
#include "avro/shape.h"

typedef enum {
  SHAPE_NULL,
  SHAPE_BOOLEAN,
  SHAPE_INT,
  SHAPE_LONG,
  SHAPE_FLOAT,
  SHAPE_DOUBLE,
  SHAPE_BYTES,
  SHAPE_STRING,
  SHAPE_FIXED,
  SHAPE_ENUM,
  SHAPE_ARRAY,
  SHAPE_MAP,
  SHAPE_RECORD,
  SHAPE_UNION,
} ShapeKind;

/* A logical type, where it is one of a kind that can have it. */
typedef enum {
  MEANS_ITSELF,
  MEANS_DATE,
  MEANS_MILLIS,
  MEANS_MICROS,
  MEANS_LOCAL_MILLIS,
  MEANS_LOCAL_MICROS,
  MEANS_DECIMAL,
  MEANS_UUID,
} ShapeMeaning;

typedef struct {
  ShapeKind kind;
  ShapeMeaning meaning;
  char *name;   /* of a record, enum or fixed: the full name */
  char *type;   /* what the schema calls it: `connect.name`, else `logicalType`; NULL: nothing */
  gint64 size;  /* of a fixed, in bytes */
  gint64 scale; /* of a decimal */
  GPtrArray *names; /* of char: of a record's fields, of an enum's symbols */
  GPtrArray *parts; /* of Node, borrowed: of the fields, of the branches, of the items */
} Node;

struct _Shape {
  GPtrArray *nodes; /* of Node: all */
  Node *root;
  guint64 fingerprint;
};

#define DECIMAL_BYTES 64 /* more digits than any column of numbers is given */
#define SCALE_MOST 64

/* What stands for bytes, see shape_is_bytes. */
json_t *shape_bytes_form (void);

/* A text with all digits. LEN: DECIMAL_BYTES at most. */
json_t *shape_decimal_of (const guint8 *bytes, gint64 len, gint64 scale);
/* A text with the fewest digits that read back the same; IS_FLOAT: as a float. */
json_t *shape_real_of (double value, gboolean is_float);
json_t *shape_uuid_of (const guint8 *bytes); /* 16 bytes */
/* A day, or a time in units of UNIT_US microseconds, since 1970. One that has no text within the
 * years 1 to 9999 stays a number: it may be in a field that nobody asks for. */
json_t *shape_date_of (gint64 day);
json_t *shape_time_of (gint64 value, gint64 unit_us, gboolean is_local);
