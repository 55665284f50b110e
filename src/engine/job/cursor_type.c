#include "engine/job/cursor_type.h"

#include <string.h>

typedef enum { INTEGER, DECIMAL, OTHER } Kind;

/* Each with its values at both ends; NULL: it has none. No text comes behind all others. */
static const struct {
  const char *name;
  Kind kind;
  const char *least, *greatest;
} TYPES[] = {
  { "bigint", INTEGER, "-9223372036854775808", "9223372036854775807" },
  { "int8", INTEGER, "-9223372036854775808", "9223372036854775807" },
  { "integer", INTEGER, "-2147483648", "2147483647" },
  { "int", INTEGER, "-2147483648", "2147483647" },
  { "int4", INTEGER, "-2147483648", "2147483647" },
  { "smallint", INTEGER, "-32768", "32767" },
  { "int2", INTEGER, "-32768", "32767" },
  { "numeric", DECIMAL, "-infinity", "infinity" },
  { "decimal", DECIMAL, "-infinity", "infinity" },
  { "real", DECIMAL, "-infinity", "infinity" },
  { "float4", DECIMAL, "-infinity", "infinity" },
  { "double precision", DECIMAL, "-infinity", "infinity" },
  { "float8", DECIMAL, "-infinity", "infinity" },
  { "date", OTHER, "-infinity", "infinity" },
  { "timestamp", OTHER, "-infinity", "infinity" },
  { "timestamptz", OTHER, "-infinity", "infinity" },
  { "timestamp with time zone", OTHER, "-infinity", "infinity" },
  { "timestamp without time zone", OTHER, "-infinity", "infinity" },
  { "text", OTHER, "", NULL },
  { "varchar", OTHER, "", NULL },
  { "character varying", OTHER, "", NULL },
  { "citext", OTHER, "", NULL },
  { "name", OTHER, "", NULL },
};

/* `numeric(9,2)` is numeric, `timestamp(3) with time zone` is the latter. */
static gssize
place_of (const char *type)
{
  const char *open = strchr (type, '('), *close = open != NULL ? strchr (open, ')') : NULL;
  g_autofree char *plain = close != NULL
                               ? g_strdup_printf ("%.*s%s", (int)(open - type), type, close + 1)
                               : g_strdup (type);
  g_strstrip (plain);
  for (gsize i = 0; i < G_N_ELEMENTS (TYPES); i++)
    if (g_ascii_strcasecmp (TYPES[i].name, plain) == 0)
      return (gssize)i;
  return -1;
}

const char *
cursor_type_first (const char *type, gboolean descending)
{
  const gssize at = place_of (type);
  if (at < 0 || (TYPES[at].kind == DECIMAL && strchr (type, '(') != NULL))
    return NULL; /* numeric(9,2) takes no infinity */
  return descending ? TYPES[at].greatest : TYPES[at].least;
}

char *
cursor_type_refusal (const char *name, const char *type, const char *direction)
{
  const gboolean descending = g_strcmp0 (direction, "desc") == 0;
  if (g_strcmp0 (direction, "null") == 0 || cursor_type_first (type, descending) != NULL)
    return NULL;
  return g_strdup_printf (
      "no value of the type %s is known to come %s all others, so the first page "
      "needs NULL: write '%s %s null', and let page.sql read all rows then",
      type, descending ? "behind" : "before", name, type);
}

static gboolean
is_of (const char *type, Kind kind)
{
  const gssize at = place_of (type);
  return at >= 0 && TYPES[at].kind == kind;
}

gboolean
cursor_type_is_decimal (const char *type)
{
  return is_of (type, DECIMAL);
}

gboolean
cursor_type_is_integer (const char *type)
{
  return is_of (type, INTEGER);
}
