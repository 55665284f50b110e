#include "avro/field.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/uuid5.h"
#include <string.h>

#define LAST_DAY 2932896 /* 9999-12-31 */

void
field_prefix (GError **error, const SchemaField *field)
{
  g_prefix_error (error, "field %s: ", field->name);
}

static void
fail (GError **error, const char *why)
{
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, why);
}

json_t *
field_from_time (gint64 us, GError **error)
{
  const gint64 latest_us = (LAST_DAY + G_GINT64_CONSTANT (1)) * 86400 * G_USEC_PER_SEC - 1;
  if (us < 0 || us > latest_us) {
    fail (error, "a time outside the years 1970 to 9999");
    return NULL;
  }
  g_autofree char *text = clock_format (us);
  return json_string (text);
}

static json_t *
from_json_text (FieldKind kind, const char *text, gsize len, GError **error)
{
  g_autoptr (json_t) value = json_parse_exact (text, len, error);
  if (value == NULL)
    return NULL;
  if (!json_is_plain_object (value) && (kind == FIELD_OBJECT || !json_is_array (value))) {
    fail (error, "not a JSON object");
    return NULL;
  }
  return g_steal_pointer (&value);
}

json_t *
field_from_text (FieldKind kind, const char *text, gsize len, GError **error)
{
  if (kind == FIELD_JSON || kind == FIELD_OBJECT)
    return from_json_text (kind, text, len, error);
  if (!g_utf8_validate_len (text, len, NULL)) {
    fail (error, "not UTF-8, or a NUL byte");
    return NULL;
  }
  g_autoptr (json_t) value = json_stringn_nocheck (text, len);
  if (kind == FIELD_UUID && !uuid5_is_valid (json_string_value (value))) {
    fail (error, "not a UUID");
    return NULL;
  }
  return g_steal_pointer (&value);
}

json_t *
field_default (const SchemaField *field, GError **error)
{
  if (field->nullable)
    return json_null ();
  if (field->default_text != NULL)
    return field_from_text (field->kind, field->default_text, strlen (field->default_text), error);
  fail (error, "may not be null");
  return NULL;
}

/* Days since 1970 of a date of the Gregorian calendar; year 0 is 1 BC. */
static gint64
days_of (gint64 year, int month, int day)
{
  gint64 shifted
      = year - (month <= 2); /* years that begin in March, so that the leap day comes last */
  gint64 era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  gint64 year_of_era = shifted - era * 400;
  gint64 day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  gint64 day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

static int
two_digits (const char *text)
{
  return (text[0] - '0') * 10 + text[1] - '0';
}

gboolean
field_date_is_valid (const char *text)
{
  for (int i = 0; i < 10; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : !g_ascii_isdigit (text[i]))
      return FALSE;
  return text[10] == '\0'
         && g_date_valid_dmy (two_digits (text + 8), two_digits (text + 5),
                              two_digits (text) * 100 + two_digits (text + 2));
}

/* Parses a date as PostgreSQL prints it: the year can have more than four digits, and ` BC` behind
 * it. */
static gboolean
parse_date (const char *text, gint64 *days, GError **error)
{
  char *end;
  gint64 year = g_ascii_isdigit (text[0]) ? g_ascii_strtoll (text, &end, 10) : 0;
  if (year > 0 && year < 10000000 && strlen (end) >= 6 && end[0] == '-' && end[3] == '-') {
    int month = g_ascii_strtoll (end + 1, NULL, 10), day = g_ascii_strtoll (end + 4, NULL, 10);
    gboolean bc = g_str_equal (end + 6, " BC");
    if ((bc || end[6] == '\0') && month >= 1 && month <= 12 && day >= 1 && day <= 31) {
      *days = days_of (bc ? 1 - year : year, month, day);
      return TRUE;
    }
  }
  return error_reject (error, "'%s' is not a date", text);
}

/* Parses a time as PostgreSQL prints it, `2026-11-21 10:20:30.5+00`, or RFC 3339, which requires a
 * T and minutes in the zone.
 */
static gboolean
parse_time (const char *text, gint64 *us, GError **error)
{
  char copy[48];
  gsize len = strlen (text);
  if (len < 20 || len + 4 > sizeof copy || text[10] != ' ')
    return clock_parse (text, us, error);
  strcpy (copy, text);
  copy[10] = 'T';
  if (copy[len - 3] == '+' || copy[len - 3] == '-')
    strcpy (copy + len, ":00");
  return clock_parse (copy, us, error);
}

gboolean
field_is_infinite (const char *text)
{
  return g_str_equal (text, "infinity") || g_str_equal (text, "-infinity");
}

gboolean
field_to_long (FieldKind kind, const char *text, gint64 *value, GError **error)
{
  if (kind == FIELD_DATE)
    return parse_date (text, value, error);
  if (kind == FIELD_TIME)
    return parse_time (text, value, error);
  gint64 least = kind == FIELD_INT ? G_MININT32 : G_MININT64;
  gint64 most = kind == FIELD_INT ? G_MAXINT32 : G_MAXINT64;
  GError *cause = NULL;
  if (g_ascii_string_to_signed (text, 10, least, most, value, &cause))
    return TRUE;
  fail (error, cause->code == G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS
                   ? (kind == FIELD_INT ? "not within 32 bits" : "not within 64 bits")
                   : "not an integer");
  g_error_free (cause);
  return FALSE;
}
