#include "engine/job/cursor_type.h"

#include <string.h>

/* Each with its values at both ends; NULL: it has none. No text comes behind all others. */
static const struct {
  const char *name;
  CursorKind kind;
  const char *least, *greatest;
} TYPES[] = {
  { "bigint", CURSOR_INTEGER, "-9223372036854775808", "9223372036854775807" },
  { "int8", CURSOR_INTEGER, "-9223372036854775808", "9223372036854775807" },
  { "integer", CURSOR_INTEGER, "-2147483648", "2147483647" },
  { "int", CURSOR_INTEGER, "-2147483648", "2147483647" },
  { "int4", CURSOR_INTEGER, "-2147483648", "2147483647" },
  { "smallint", CURSOR_INTEGER, "-32768", "32767" },
  { "int2", CURSOR_INTEGER, "-32768", "32767" },
  { "numeric", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "decimal", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "real", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "float4", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "double precision", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "float8", CURSOR_DECIMAL, "-infinity", "infinity" },
  { "date", CURSOR_TIME, "-infinity", "infinity" },
  { "timestamp", CURSOR_TIME, "-infinity", "infinity" },
  { "timestamptz", CURSOR_TIME, "-infinity", "infinity" },
  { "timestamp with time zone", CURSOR_TIME, "-infinity", "infinity" },
  { "timestamp without time zone", CURSOR_TIME, "-infinity", "infinity" },
  { "text", CURSOR_OTHER, "", NULL },
  { "varchar", CURSOR_OTHER, "", NULL },
  { "character varying", CURSOR_OTHER, "", NULL },
  { "citext", CURSOR_OTHER, "", NULL },
  { "name", CURSOR_OTHER, "", NULL },
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
  if (at < 0 || (TYPES[at].kind == CURSOR_DECIMAL && strchr (type, '(') != NULL))
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

CursorKind
cursor_type_kind (const char *type)
{
  const gssize at = place_of (type);
  return at >= 0 ? TYPES[at].kind : g_str_equal (type, "uuid") ? CURSOR_UUID : CURSOR_OTHER;
}

/* `2026-11-21`, `2026-11-21 10:20:30.5+00`: such texts are in the order of the times. */
static gboolean
is_time (const char *text)
{
  return strspn (text, "0123456789") == 4 && text[4] == '-' && strlen (text) >= 10
         && strstr (text, "BC") == NULL && (text[10] == '\0' || text[10] == ' ');
}

/* Of equal numbers it is not known whether they differ in further digits, nor of NaN. */
static gboolean
order_of_decimals (const char *a, const char *b, int *order)
{
  const double x = g_ascii_strtod (a, NULL), y = g_ascii_strtod (b, NULL);
  *order = (x > y) - (x < y);
  return *order != 0;
}

static gboolean
order_of_integers (const char *a, const char *b, int *order)
{
  const gint64 x = g_ascii_strtoll (a, NULL, 10), y = g_ascii_strtoll (b, NULL, 10);
  *order = (x > y) - (x < y);
  return TRUE;
}

gboolean
cursor_type_order (CursorKind kind, const char *a, const char *b, int *order)
{
  *order = 0;
  switch (kind) {
  case CURSOR_INTEGER:
    return order_of_integers (a, b, order);
  case CURSOR_DECIMAL:
    return order_of_decimals (a, b, order);
  case CURSOR_TIME:
    if (!is_time (a) || !is_time (b))
      return FALSE;
    break;
  case CURSOR_UUID:
    break;
  case CURSOR_OTHER:
    return FALSE;
  }
  *order = strcmp (a, b);
  return strlen (a) == strlen (b);
}
