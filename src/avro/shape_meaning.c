/* Logical types, and numbers with a fraction, as JSON. */
#include "avro/shape_private.h"
#include "base/clock.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UUID_BYTES 16
#define DAY_MOST 2932896 /* 9999-12-31 */
#define DAY_LEAST (-719162)
#define YEAR_US G_GINT64_CONSTANT (253402300799999999) /* the last of 9999 */
#define YEAR_LEAST_US G_GINT64_CONSTANT (-62135596800000000)

/* Takes TEXT. */
static json_t *
string_taken (char *text)
{
  json_t *value = json_string (text);
  g_free (text);
  return value;
}

/* Digits of the two's complement BYTES, without a sign; *MINUS: it has one. */
static GString *
digits_of (const guint8 *bytes, gint64 len, gboolean *minus)
{
  guint8 work[DECIMAL_BYTES];
  guint carry = 1;
  GString *digits = g_string_new (NULL);
  *minus = len > 0 && bytes[0] >= 0x80;
  for (gint64 i = len - 1; i >= 0; i--) {
    guint byte = *minus ? (guint8)~bytes[i] + carry : bytes[i];
    work[i] = (guint8)byte;
    carry = byte >> 8;
  }
  for (gboolean more = TRUE; more;) {
    guint rest = 0;
    more = FALSE;
    for (gint64 i = 0; i < len; i++) {
      guint part = rest << 8 | work[i];
      work[i] = (guint8)(part / 10);
      rest = part % 10;
      more = more || work[i] != 0;
    }
    g_string_prepend_c (digits, (char)('0' + rest));
  }
  return digits;
}

json_t *
shape_decimal_of (const guint8 *bytes, gint64 len, gint64 scale)
{
  gboolean minus;
  GString *text = digits_of (bytes, len, &minus);
  while ((gint64)text->len <= scale)
    g_string_prepend_c (text, '0');
  if (scale > 0)
    g_string_insert_c (text, (gssize)text->len - scale, '.');
  if (minus)
    g_string_prepend_c (text, '-');
  return string_taken (g_string_free (text, FALSE));
}

/* So many digits as the type always holds are written without an exponent; near 0 it holds fewer.
 */
json_t *
shape_real_of (double value, gboolean is_float)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean is_small = fabs (value) < (is_float ? (double)FLT_MIN : DBL_MIN);
  if (!isfinite (value))
    return json_string (isnan (value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  for (int digits = is_small ? 1 : is_float ? FLT_DIG : DBL_DIG; digits <= 17; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, value);
    double again = g_ascii_strtod (text, NULL);
    if (is_float ? (float)again == (float)value : again == value)
      break;
  }
  return json_string (text);
}

json_t *
shape_uuid_of (const guint8 *bytes)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < UUID_BYTES; i++)
    g_string_append_printf (text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                            bytes[i]);
  return string_taken (g_string_free (text, FALSE));
}

/* G_DATE_DAY 1 is 0001-01-01. */
json_t *
shape_date_of (gint64 day)
{
  char text[16];
  GDate date;
  if (day < DAY_LEAST || day > DAY_MOST)
    return json_integer (day);
  g_date_clear (&date, 1);
  g_date_set_julian (&date, (guint32)(day - DAY_LEAST + 1));
  g_snprintf (text, sizeof text, "%04d-%02d-%02d", g_date_get_year (&date),
              g_date_get_month (&date), g_date_get_day (&date));
  return json_string (text);
}

json_t *
shape_time_of (gint64 value, gint64 unit_us, gboolean is_local)
{
  if (value > YEAR_US / unit_us || value < YEAR_LEAST_US / unit_us)
    return json_integer (value);
  char *text = clock_format (value * unit_us);
  if (is_local)
    text[strlen (text) - 1] = '\0';
  return string_taken (text);
}
