/* The parsed form of a schema, which shape.c makes and shape_read.c reads. */
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
  gint64 size;      /* of a fixed, in bytes */
  gint64 scale;     /* of a decimal */
  GPtrArray *names; /* of char: of a record's fields, of an enum's symbols */
  GPtrArray *parts; /* of Node, borrowed: of the fields, of the branches, of the items */
} Node;

struct _Shape {
  GPtrArray *nodes; /* of Node: all */
  Node *root;
  guint64 fingerprint;
};
