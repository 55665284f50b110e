#include "config/settings.h"

#define DAYS_MOST 36500
#define MS_MOST G_GINT64_CONSTANT (3155760000000) /* a hundred years */
#define TEXT_MOST 65536

#define TEXT(section, key, fallback, help)                                                         \
  { section, key, SETTING_TEXT, fallback, 0, TEXT_MOST, NULL, help }
#define NAME(section, key, fallback, help)                                                         \
  { section, key, SETTING_TEXT, fallback, 1, TEXT_MOST, NULL, help }
#define SECRET(section, key, help) { section, key, SETTING_SECRET, "", 0, TEXT_MOST, NULL, help }
#define URL(section, key, help) { section, key, SETTING_URL, "", 0, TEXT_MOST, NULL, help }
#define INT(section, key, fallback, least, most, help)                                             \
  { section, key, SETTING_INT, fallback, least, most, NULL, help }
#define BOOL(section, key, fallback, help)                                                         \
  { section, key, SETTING_BOOL, fallback, 0, 0, NULL, help }
#define CHOICE(section, key, fallback, choices, help)                                              \
  { section, key, SETTING_CHOICE, fallback, 0, 0, choices, help }
#define JOB(type, key, fallback, help) { SETTINGS_JOBS, key, type, fallback, 0, 0, NULL, help }

const Setting settings_table[] = {
  URL ("postgres", "url", "where the database is: a URI or key=value pairs, as libpq takes them"),
  NAME ("postgres", "app_schema", "public", "the schema of the application's tables"),
  BOOL ("postgres", "prepare", "on",
        "prepared statements; off behind pgbouncer in transaction mode"),
  NAME ("topics", "prefix", "pruned", "first part of every topic's name, and the consumer group"),
  INT ("topics", "partitions", "8", 1, 10000,
       "partitions of the topics ticks, events, outcomes and dead, when they are made"),
  TEXT ("store.local", "root", "", "folder of the objects with file_store 1; empty: no such store"),
  TEXT (
      "store.local", "marker", "",
      "a file in the root, without which it is not believed to be mounted; empty: none is asked for"),
  BOOL ("store.local", "prune_empty_dirs", "off",
        "remove folders, up to the root, that became empty"),
  URL ("store.object", "endpoint",
       "S3 service of the objects with file_store 2, like https://s3.example.org; empty: none"),
  TEXT ("store.object", "bucket", "", "the bucket"),
  NAME ("store.object", "region", "us-east-1", "the region that requests are signed for"),
  CHOICE ("store.object", "addressing", "path", "path|host",
          "where the bucket's name stands: in the path, or in front of the host"),
  SECRET ("store.object", "access_key", "the access key's id"),
  SECRET ("store.object", "secret_key", "the secret access key"),
  SECRET ("store.object", "session_token", "session token of temporary credentials"),
  TEXT ("store.object", "credentials_file", "",
        "file with access_key, secret_key, session_token; read again when it changes"),
  TEXT ("store.object", "ca_file", "", "certificates to trust instead of the system's, PEM"),
  TEXT ("store.object", "prefix", "", "put in front of every object's key"),
  JOB (SETTING_BOOL, "enabled", "on", "off: its ticks are recorded as skipped"),
  JOB (SETTING_CRON, "schedule", "off",
       "minute hour day-of-month month day-of-week, or off: ticks come from elsewhere"),
  JOB (SETTING_ZONE, "time_zone", "UTC", "the zone of the schedule, like Europe/Berlin"),
  { SETTINGS_JOBS, "catch_up", SETTING_CHOICE, "last", 0, 0, "last|none|all",
    "which ticks run that were missed while nothing ran" },
  INT (SETTINGS_JOBS, "batch", "1000", 1, 1000000, "rows of a page"),
  INT (SETTINGS_JOBS, "delay_ms", "0", 0, MS_MOST, "pause between two pages"),
  INT (SETTINGS_JOBS, "capacity", "1", 1, 10000, "steps at a time, over all processes"),
  INT (SETTINGS_JOBS, "spacing_ms", "1000", 0, MS_MOST, "time between two children's starts"),
  INT (SETTINGS_JOBS, "budget_ms", "60000", 1, MS_MOST,
       "time after which a step ends early, or is done again with fewer rows"),
  INT (SETTINGS_JOBS, "schedules", "10", 1, 100000, "scheduled deletions in a step"),
  INT (SETTINGS_JOBS, "lease_ms", "600000", 1, MS_MOST, "how long objects belong to one step"),
  INT (SETTINGS_JOBS, "max_attempts", "25", 0, 1000, "retries of a run before it is dead"),
  INT (SETTINGS_JOBS, "item_attempts", "25", 1, 1000, "tries of an item before it is parked"),
  INT (SETTINGS_JOBS, "park_retry_days", "7", 0, DAYS_MOST,
       "days after which a parked item is tried again; 0: never by itself"),
  INT (SETTINGS_JOBS, "retry_after_ms", "172800000", 0, MS_MOST,
       "time between two tries of a placeholder user"),
  INT (SETTINGS_JOBS, "todos_delay_ms", "3600000", 0, MS_MOST,
       "time from a removal to the cleaning of the user's todos"),
  INT (SETTINGS_JOBS, "refresh_delay_ms", "60000", 0, MS_MOST,
       "time from a removal to the refresh of the user's authorizations"),
  BOOL (SETTINGS_JOBS, "finish", "on",
        "off: the last stages are left to the application that owns the tables"),
  JOB (
      SETTING_COLUMNS, "references", "",
      "columns that keep a placeholder user alive (of users.delete_placeholder), or go to the ghost user (of "
      "users.destroy, and those that keep a placeholder), table.column; ...; empty: the built-in list"),
  CHOICE ("audit", "rows", "full", "full|keys|off", "what is recorded of removed rows"),
  { "audit", "rows_of", SETTING_PER_TABLE, "", 0, 0, "full|keys|off",
    "the same for single tables; empty: none differs" },
  { "audit", "secret_columns", SETTING_PATTERNS, "otp_secret; private_key; *_secret", 0, 0, NULL,
    "columns that are never recorded, beside *token*, *password*, *encrypted* and *digest*, which never are" },
  INT ("audit", "keep_days", "30", 1, DAYS_MOST,
       "days the record is kept; for less than before, run `pruned migrate`"),
  { "audit", "keep_days_of", SETTING_PER_TABLE, "", 1, DAYS_MOST, NULL,
    "the same for single tables; empty: none differs" },
  INT ("runs", "keep_days", "35", 1, DAYS_MOST,
       "days ended runs are kept; longer than the topics ticks and events keep messages"),
  INT ("runs", "max_args_bytes", "65536", 256, 1048576,
       "the most bytes that the arguments of a tick, or the fields of an event, may have as JSON"),
  INT (
      "clock", "max_skew_s", "5", 1, 86400,
      "seconds by which clocks may differ: no tick of cron is fired that this machine's clock, or Kafka's, has not come to within them; "
      "`pruned doctor` names clocks that differ by more"),
  INT ("run", "workers", "4", 2, 256, "worker threads, each with its own database connection"),
  CHOICE ("run", "environment", "production", "production|development",
          "development: a row that fails makes its step fail, too"),
  TEXT ("run", "jobs_dir", "", "folder with further jobs, one folder each; empty: none"),
  TEXT (
      "http", "listen", "",
      "host:port that serves /metrics, /healthz and /readyz, like 127.0.0.1:9750, [::1]:9750, localhost:9750, *:9750; empty: none"),
  CHOICE ("log", "level", "info", "debug|info|warning|error", "the least that is written"),
  CHOICE ("log", "format", "text", "text|json", "for people, or one JSON object a line"),
  { NULL }
};

/* Whoever reads one of these does so each time, from what is in force (engine/job/in_force.h). */
const char *const settings_live[][2] = { { "log", "level" },
                                         { "log", "format" },
                                         { "audit", "rows" },
                                         { "audit", "keep_days" },
                                         { "run", "environment" },
                                         { SETTINGS_JOBS, "enabled" },
                                         { SETTINGS_JOBS, "schedule" },
                                         { SETTINGS_JOBS, "time_zone" },
                                         { SETTINGS_JOBS, "catch_up" },
                                         { SETTINGS_JOBS, "batch" },
                                         { SETTINGS_JOBS, "delay_ms" },
                                         { SETTINGS_JOBS, "spacing_ms" },
                                         { SETTINGS_JOBS, "budget_ms" },
                                         { SETTINGS_JOBS, "schedules" },
                                         { SETTINGS_JOBS, "lease_ms" },
                                         { SETTINGS_JOBS, "max_attempts" },
                                         { SETTINGS_JOBS, "item_attempts" },
                                         { SETTINGS_JOBS, "retry_after_ms" },
                                         { SETTINGS_JOBS, "todos_delay_ms" },
                                         { SETTINGS_JOBS, "refresh_delay_ms" },
                                         { NULL } };
