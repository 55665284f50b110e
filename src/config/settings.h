/* The one table of settings: what exists, of which type, with which default, and what it is for.
 *
 * Invariant: a default is a value that its own type accepts; names are unique in their section.
 *
 * Threads: any; nothing here changes.
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
  SETTING_PATTERNS, /* names of columns with * and ?, `name; ...`, or nothing */
  SETTING_PER_TABLE /* `table: value; ...`, each value one of CHOICES or, without those, LEAST..MOST
                     */
} SettingType;

typedef struct {
  const char *section; /* "jobs": a key of every `[jobs.<name>]` */
  const char *key;
  SettingType type;
  const char *fallback; /* what holds if nobody says anything */
  gint64 least, most;
  const char *choices; /* parted by | */
  const char *help;
} Setting;

#define SETTINGS_JOBS "jobs"
#define SETTINGS_KAFKA "kafka"

/* The whole table, sections together; closed by a section that is NULL. */
extern const Setting settings_table[];

/* Those that SIGHUP takes over while the daemon runs, as section and key; all others want a
 * restart. Closed by NULL. */
extern const char *const settings_live[][2];

/* Checks TEXT. NUMBER becomes the value of an integer, 0 or 1 of a truth value. The message says
 * what is wanted, without place and name. PRUNED_FATAL. */
gboolean setting_check (const Setting *setting, const char *text, gint64 *number, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* What may be entered, in words: `on | off`, `2 to 256`, ... g_free it. */
char *setting_wanted (const Setting *setting);

/* TEXT as it may be shown to anybody. g_free it. */
char *setting_shown (const Setting *setting, const char *text);

/* The same for a URL and for a property of librdkafka. */
char *setting_shown_url (const char *text);
char *setting_shown_kafka (const char *key, const char *text);
/* Who says which properties librdkafka has; others are not shown. Before any is. Thread: main. */
typedef gboolean (*SettingKafkaKnown) (const char *key);
void setting_kafka_known (SettingKafkaKnown known);
