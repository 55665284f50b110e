/* The one table of settings: name, type, default and help of each.
 *
 * Invariant: each default is valid for its type; names are unique in their section.
 *
 * Threads: any; the table is constant.
 */
#pragma once
#include <glib.h>

typedef enum {
  SETTING_TEXT,     /* LEAST..MOST bytes */
  SETTING_SECRET,   /* the same, never shown */
  SETTING_URL,      /* the same, shown without its password */
  SETTING_INT,      /* LEAST..MOST */
  SETTING_BOOL,     /* on, true, yes; off, false, no */
  SETTING_CHOICE,   /* one of CHOICES */
  SETTING_CRON,     /* a schedule, or `off` */
  SETTING_ZONE,     /* a time zone's name */
  SETTING_COLUMNS,  /* `table.column; ...`, or nothing */
  SETTING_LIMIT,    /* LEAST..MOST, or off (-1) */
  SETTING_SHARE,    /* 0 % to 100 %, or off */
  SETTING_FACTOR,   /* a number over 0, or off */
  SETTING_PATTERNS, /* names of columns with * and ?, `name; ...`, or nothing */
  SETTING_HOURS,    /* hours of the day (hours.h), or `off` */
  SETTING_AGE,      /* an interval like `7 days` (age.h), or `off` */
  SETTING_PER_TABLE /* `table: value; ...`, each value one of CHOICES or, without those, LEAST..MOST
                     */
} SettingType;

typedef struct {
  const char *section; /* "jobs": a key of every `[jobs.<name>]` */
  const char *key;
  SettingType type;
  const char *fallback; /* the default */
  gint64 least, most;
  const char *choices; /* separated by | */
  const char *help;
} Setting;

#define SETTINGS_JOBS "jobs"
#define SETTINGS_KAFKA "kafka"

/* The whole table, grouped by section; the last entry's section is NULL. */
extern const Setting settings_table[];

/* The settings that SIGHUP applies while the daemon runs, as section and key; all others need a
 * restart. NULL-terminated. */
extern const char *const settings_live[][2];

/* The setting KEY of jobs; NULL: there is none. */
const Setting *setting_of_job (const char *key);
/* Adds the keys of all of these, borrowed. */
void settings_of_job (GPtrArray *names);

/* Checks TEXT. NUMBER becomes the value of an integer or a limit (off: -1), thousandths of a share
 * in percent or of a factor (off: -1), 0 or 1 for a boolean, else 0. PRUNED_FATAL says what is
 * expected, without place and name. */
gboolean setting_check (const Setting *setting, const char *text, gint64 *number, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The valid values in words: `on | off`, `2 to 256`, ... g_free it. */
char *setting_wanted (const Setting *setting);

/* TEXT without its secrets, safe to show. g_free it. */
char *setting_shown (const Setting *setting, const char *text);

/* The same for a URL, and for a property of librdkafka. */
char *setting_shown_url (const char *text);
char *setting_shown_kafka (const char *key, const char *text);
/* Sets the function that says which properties librdkafka has; the values of others are masked.
 * Call it before any is shown. Thread: main. */
typedef gboolean (*SettingKafkaKnown) (const char *key);
void setting_kafka_known (SettingKafkaKnown known);
/* Sets the function that says why a property of librdkafka cannot have a value, because it is
 * pruned's (NULL: it can; g_free it). Until then all can. Thread: main. */
typedef char *(*SettingKafkaRefusal) (const char *key, const char *text);
void setting_kafka_ours (SettingKafkaRefusal refusal);
char *setting_kafka_refusal (const char *key, const char *text);
