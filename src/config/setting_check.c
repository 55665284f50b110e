#include "base/error.h"
#include "config/age.h"
#include "config/cron.h"
#include "config/hours.h"
#include "config/per_table.h"
#include "config/settings.h"
#include <string.h>

static gboolean
is_choice (const char *choices, const char *text)
{
  g_auto (GStrv) known = g_strsplit (choices, "|", -1);
  return g_strv_contains ((const char *const *)known, text);
}

static gboolean
parse_bool (const char *text, gint64 *number)
{
  *number = is_choice ("on|true|yes", text);
  return *number == 1 || is_choice ("off|false|no", text);
}

/* Whether TEXT is an identifier that needs no quotes. */
static gboolean
is_name (const char *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && *text != '_')
      return FALSE;
  return TRUE;
}

static gboolean
are_columns (const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, ";", -1);
  for (char **item = items; *item != NULL; item++) {
    g_strstrip (*item);
    if (**item == '\0')
      continue;
    g_auto (GStrv) parts = g_strsplit (*item, ".", -1);
    if (g_strv_length (parts) != 2 || !is_name (parts[0]) || !is_name (parts[1]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
are_patterns (const char *text)
{
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && strchr ("_*?; \t", *text) == NULL)
      return FALSE;
  return TRUE;
}

typedef struct {
  const Setting *setting;
  gboolean ok;
} Check;

static void
check_of_table (const char *table, const char *value, gpointer data)
{
  Check *check = data;
  const Setting *setting = check->setting;
  gint64 number;
  check->ok
      = check->ok && *table != '\0' && value != NULL
        && (setting->choices != NULL ? is_choice (setting->choices, value)
                                     : g_ascii_string_to_signed (value, 10, setting->least,
                                                                 setting->most, &number, NULL));
}

static gboolean
are_per_table (const Setting *setting, const char *text)
{
  Check check = { setting, TRUE };
  per_table_each (text, check_of_table, &check);
  return check.ok;
}

/* `5`, `2.5`; UNIT (`%`; NULL: none) may follow. NUMBER: thousandths. */
static gboolean
parse_thousandths (const char *text, const char *unit, gint64 *number)
{
  char *end;
  double value = g_ascii_isdigit (*text) ? g_ascii_strtod (text, &end) : -1;
  if (value < 0)
    return FALSE;
  end += strspn (end, " ");
  if (unit != NULL && g_str_has_prefix (end, unit))
    end += strlen (unit);
  *number = (gint64)(value * 1000 + 0.5);
  return *end == '\0' && value <= 1e9;
}

/* A limit that can be off: NUMBER is -1 then. */
static gboolean
parse_limit (const Setting *setting, const char *text, gint64 *number)
{
  if (g_str_equal (text, "off")) {
    *number = -1;
    return TRUE;
  }
  if (setting->type == SETTING_SHARE)
    return parse_thousandths (text, "%", number) && *number <= 100 * 1000;
  if (setting->type == SETTING_FACTOR)
    return parse_thousandths (text, NULL, number) && *number > 0;
  return g_ascii_string_to_signed (text, 10, setting->least, setting->most, number, NULL);
}

static gboolean
is_of_type (const Setting *setting, const char *text, gint64 *number)
{
  switch (setting->type) {
  case SETTING_TEXT:
  case SETTING_SECRET:
  case SETTING_URL:
    return (gint64)strlen (text) >= setting->least && (gint64)strlen (text) <= setting->most;
  case SETTING_INT:
    return g_ascii_string_to_signed (text, 10, setting->least, setting->most, number, NULL);
  case SETTING_BOOL:
    return parse_bool (text, number);
  case SETTING_CHOICE:
    return is_choice (setting->choices, text);
  case SETTING_COLUMNS:
    return are_columns (text);
  case SETTING_LIMIT:
  case SETTING_SHARE:
  case SETTING_FACTOR:
    return parse_limit (setting, text, number);
  case SETTING_PATTERNS:
    return are_patterns (text);
  case SETTING_PER_TABLE:
    return are_per_table (setting, text);
  case SETTING_AGE:
    return g_str_equal (text, "off") || age_is (text);
  case SETTING_CRON:
  case SETTING_ZONE:
  case SETTING_HOURS:
    break; /* checked by setting_check, with their own errors */
  }
  g_assert_not_reached ();
}

static gboolean
check_cron (const char *text, GError **error)
{
  if (g_str_equal (text, "off"))
    return TRUE;
  g_autoptr (Cron) cron = cron_parse (text, error);
  return cron != NULL;
}

static gboolean
check_zone (const char *text, GError **error)
{
  g_autoptr (GTimeZone) zone = cron_zone (text, error);
  return zone != NULL;
}

static gboolean
check_hours (const char *text, GError **error)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  if (g_str_equal (text, "off"))
    return TRUE;
  g_autoptr (Hours) hours = hours_parse (text, utc, error);
  return hours != NULL;
}

gboolean
setting_check (const Setting *setting, const char *text, gint64 *number, GError **error)
{
  *number = 0;
  if (setting->type == SETTING_CRON)
    return check_cron (text, error);
  if (setting->type == SETTING_ZONE)
    return check_zone (text, error);
  if (setting->type == SETTING_HOURS)
    return check_hours (text, error);
  if (is_of_type (setting, text, number))
    return TRUE;
  g_autofree char *shown = setting_shown (setting, text);
  g_autofree char *wanted = setting_wanted (setting);
  return error_fatal (error, "'%s' is not valid, expected %s", shown, wanted);
}

static char *
range (const Setting *setting, const char *unit)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s", setting->least,
                          setting->most, unit);
}

static char *
choices (const Setting *setting)
{
  g_auto (GStrv) known = g_strsplit (setting->choices, "|", -1);
  return g_strjoinv (" | ", known);
}

char *
setting_wanted (const Setting *setting)
{
  switch (setting->type) {
  case SETTING_TEXT:
  case SETTING_SECRET:
  case SETTING_URL:
    return setting->least > 0 ? range (setting, " bytes") : g_strdup ("text");
  case SETTING_INT:
    return range (setting, "");
  case SETTING_BOOL:
    return g_strdup ("on | off");
  case SETTING_CHOICE:
    return choices (setting);
  case SETTING_CRON:
    return g_strdup ("cron | off");
  case SETTING_ZONE:
    return g_strdup ("time zone");
  case SETTING_AGE:
    return g_strdup ("7 days, 12 hours, ... | off");
  case SETTING_HOURS:
    return g_strdup ("HH:MM-HH:MM time zone | off");
  case SETTING_COLUMNS:
    return g_strdup ("table.column; ...");
  case SETTING_LIMIT:
    return range (setting, " | off");
  case SETTING_SHARE:
    return g_strdup ("0 % to 100 % | off");
  case SETTING_FACTOR:
    return g_strdup ("a factor | off");
  case SETTING_PATTERNS:
    return g_strdup ("names of columns with * and ?; ...");
  case SETTING_PER_TABLE: {
    g_autofree char *one = setting->choices != NULL ? choices (setting) : range (setting, "");
    return g_strdup_printf ("table: %s; ...", one);
  }
  }
  g_assert_not_reached ();
}

static SettingKafkaRefusal kafka_refusal;

void
setting_kafka_ours (SettingKafkaRefusal refusal)
{
  kafka_refusal = refusal;
}

char *
setting_kafka_refusal (const char *key, const char *text)
{
  return kafka_refusal != NULL ? kafka_refusal (key, text) : NULL;
}
