#include "engine/job/argument_type.h"

#include "avro/field.h"
#include "base/uuid5.h"
#include "engine/job/argument_text.h"

#include <math.h>
#include <string.h>

#define WHOLE_MOST 9007199254740992.0 /* above it a double cannot represent every whole number */

typedef enum { WHOLE, NUMBER, TEXT, TRUTH, DAY, INSTANT, UUID, ANY } Kind;

static const struct {
  const char *type;
  Kind kind;
  gint64 least, most; /* WHOLE */
} TYPES[] = {
  { "bigint", WHOLE, G_MININT64, G_MAXINT64 },
  { "int8", WHOLE, G_MININT64, G_MAXINT64 },
  { "integer", WHOLE, G_MININT32, G_MAXINT32 },
  { "int", WHOLE, G_MININT32, G_MAXINT32 },
  { "int4", WHOLE, G_MININT32, G_MAXINT32 },
  { "smallint", WHOLE, G_MININT16, G_MAXINT16 },
  { "numeric", NUMBER, 0, 0 },
  { "text", TEXT, 0, 0 },
  { "boolean", TRUTH, 0, 0 },
  { "date", DAY, 0, 0 },
  { "timestamptz", INSTANT, 0, 0 },
  { "uuid", UUID, 0, 0 },
  { "jsonb", ANY, 0, 0 },
};

static int
find_type (const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (TYPES); i++)
    if (g_str_equal (TYPES[i].type, type))
      return (int)i;
  return -1;
}

gboolean
argument_type_known (const char *type)
{
  return find_type (type) >= 0;
}

void
argument_type_names (GPtrArray *names)
{
  for (guint i = 0; i < G_N_ELEMENTS (TYPES); i++)
    g_ptr_array_add (names, (gpointer)TYPES[i].type);
}

static gboolean
is_whole (const json_t *value, gint64 least, gint64 most)
{
  if (!json_is_integer (value))
    return FALSE;
  return json_integer_value (value) >= least && json_integer_value (value) <= most;
}

static gboolean
is_instant (const char *text)
{
  gint64 us;
  return field_is_infinite (text) || field_to_long (FIELD_TIME, text, &us, NULL);
}

static gboolean
is_day (const char *text)
{
  return field_is_infinite (text) || field_date_is_valid (text);
}

gboolean
argument_type_fits (const char *type, const json_t *value)
{
  int known = find_type (type);
  const char *text = json_string_value (value);
  switch (known < 0 ? ANY : TYPES[known].kind) {
  case WHOLE:
    return is_whole (value, TYPES[known].least, TYPES[known].most);
  case NUMBER:
    return json_is_number (value) || json_exact (value) != NULL;
  case TEXT:
    return text != NULL;
  case TRUTH:
    return json_is_boolean (value);
  case DAY:
    return text != NULL && is_day (text);
  case INSTANT:
    return text != NULL && is_instant (text);
  case UUID:
    return text != NULL && uuid5_is_valid (text);
  case ANY:
    break;
  }
  return TRUE;
}

gboolean
argument_type_reads (const char *type, const char *text)
{
  int known = find_type (type);
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  switch (known < 0 ? ANY : TYPES[known].kind) {
  case WHOLE:
    return argument_text_is_whole (trimmed, TYPES[known].least, TYPES[known].most);
  case NUMBER:
    return argument_text_is_number (trimmed);
  case TRUTH:
    return argument_text_is_truth (trimmed);
  case DAY:
  case INSTANT:
    return field_is_infinite (trimmed) || argument_text_is_time (trimmed);
  case UUID:
    return argument_text_is_uuid (trimmed);
  case TEXT:
  case ANY:
    break;
  }
  g_autoptr (json_t) json = known >= 0 && TYPES[known].kind == ANY
                                ? json_parse_exact (text, strlen (text), NULL)
                                : NULL;
  return known < 0 || TYPES[known].kind == TEXT || json != NULL;
}

void
argument_type_make_whole (json_t *object, const char *name, const char *type)
{
  const json_t *value = json_object_get (object, name);
  int known = find_type (type);
  if (known < 0 || TYPES[known].kind != WHOLE || !json_is_real (value))
    return;
  double number = json_real_value (value);
  if (fabs (number) <= WHOLE_MOST && floor (number) == number)
    json_object_set_new (object, name, json_integer ((json_int_t)number));
}
