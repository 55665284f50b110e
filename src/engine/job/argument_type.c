#include "engine/job/argument_type.h"

#include "avro/field.h"
#include "base/uuid5.h"

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

/* Which texts are values of a type, for those that PostgreSQL is to read (`"17"` of a bigint): the
 * forms in which it writes the type, and some more. It reads others, too (`now` or `11/21/2026` of
 * a date, `0x11` of a bigint), which are refused here; and it may refuse what is accepted here.
 * Blanks around a text are removed before. */
#define YEARS 400     /* after which the calendar begins again */
#define MOST_DIGITS 7 /* of a year */
#define UUID_DIGITS 32

static gboolean
argument_text_is_whole (const char *text, gint64 least, gint64 most)
{
  return g_ascii_string_to_signed (text, 10, least, most, NULL, NULL);
}

static gboolean
argument_text_is_number (const char *text)
{
  char *end;
  (void)g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

static gboolean
argument_text_is_truth (const char *text)
{
  static const char *const words[] = { "true", "false", "yes", "no", "on", "off", "1", "0" };
  gsize len = strlen (text);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (len > 0 && g_ascii_strncasecmp (words[i], text, len) == 0)
      return TRUE;
  return FALSE;
}

/* The number of exactly two digits; -1: there is none. */
static int
two_digits (const char *text)
{
  if (!g_ascii_isdigit (text[0]) || !g_ascii_isdigit (text[1]) || g_ascii_isdigit (text[2]))
    return -1;
  return (text[0] - '0') * 10 + text[1] - '0';
}

/* What follows a time of day (fractions, a zone) is left to PostgreSQL. */
static gboolean
is_time_of_day (const char *text)
{
  const int hour = two_digits (text);
  if (hour < 0 || hour > 24 || text[2] != ':')
    return FALSE;
  const int minute = two_digits (text + 3);
  return minute >= 0 && minute < 60;
}

/* A day of the calendar as `2026-11-21`, and perhaps a time behind it; of any year. */
static gboolean
argument_text_is_time (const char *text)
{
  char *behind;
  const gsize digits = strspn (text, "0123456789");
  if (digits < 4 || digits > MOST_DIGITS || text[digits] != '-')
    return FALSE;
  const gint64 year = g_ascii_strtoll (text, &behind, 10);
  const int month = two_digits (behind + 1);
  if (month < 1 || month > 12 || behind[3] != '-')
    return FALSE;
  const int day = two_digits (behind + 4);
  const char *rest = day > 0 ? behind + 6 : "";
  const gboolean before_christ = g_str_has_suffix (rest, " BC");
  /* In the same place of the calendar's period; there is no year 0. */
  const gint64 alike = before_christ ? YEARS - (year - 1) % YEARS : YEARS + year % YEARS;
  if (day < 1 || year == 0
      || !g_date_valid_dmy ((GDateDay)day, (GDateMonth)month, (GDateYear)alike))
    return FALSE;
  return *rest == '\0' || g_str_equal (rest, " BC")
         || ((*rest == ' ' || *rest == 'T') && is_time_of_day (rest + 1));
}

static gboolean
argument_text_is_uuid (const char *text)
{
  guint digits = 0;
  for (; *text != '\0'; text++)
    if (g_ascii_isxdigit (*text))
      digits++;
    else if (strchr ("-{}", *text) == NULL)
      return FALSE;
  return digits == UUID_DIGITS;
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
