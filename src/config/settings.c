/* Length: one table, in the order of the sections. */
#include "config/settings.h"
#include "base/log_format.h"
#include "config/config.h"

#define DAYS_MOST 36500
#define MS_MOST G_GINT64_CONSTANT (3155760000000) /* a hundred years */
#define TEXT_MOST 65536
#define BYTES_MOST G_GINT64_CONSTANT (1152921504606846976) /* 1 EiB */
#define S_MOST G_GINT64_CONSTANT (3155760000)              /* a hundred years */

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
#define LIMIT(section, key, fallback, most, help)                                                  \
  { section, key, SETTING_LIMIT, fallback, 0, most, NULL, help }
#define CHOICE(section, key, fallback, choices, help)                                              \
  { section, key, SETTING_CHOICE, fallback, 0, 0, choices, help }
#define ROWS_MOST G_GINT64_CONSTANT (1000000000000)
#define JOB(type, key, fallback, help) { SETTINGS_JOBS, key, type, fallback, 0, 0, NULL, help }

const Setting settings_table[] = {
  URL ("postgres", "url", "where the database is: a URI or key=value pairs, as libpq takes them"),
  URL (
      "postgres", "replica_url",
      "a standby on which pages of jobs with data_consistency = sticky or delayed are searched, as soon as it has what the run has done; "
      "empty: none"),
  NAME ("postgres", "app_schema", "public", "the schema of the application's tables"),
  TEXT (
      "postgres", "extension_schemas", "auto",
      "schemas behind app_schema in the search_path, for types, operators and functions, like `extensions, postgis`; auto: "
      "those of the path that sessions of the tables' owner have, without any that has tables or in which others can create; empty: none"),
  BOOL ("postgres", "prepare", "on",
        "prepared statements; off behind pgbouncer in transaction mode"),
  NAME ("topics", "prefix", CONFIG_PREFIX,
        "first part of every topic's name, and the consumer group"),
  INT ("topics", "partitions", "8", 1, 10000,
       "partitions of the topics ticks, events, outcomes and dead, when they are made"),
  BOOL (
      "topics", "create", "off",
      "the daemon makes topics that are missing, as `pruned topics --apply` does: at its start, and at a reload those of new jobs"),
  URL (
      "registry", "url",
      "schema registry with Confluent's interface, for ticks, events, events of your own with format = avro, and outcomes with [outcomes] format = registry, like https://registry.example.org; empty: none"),
  TEXT (
      "registry", "token_file", "",
      "a file with the bearer token for the registry, read again for each request; for basic authentication write https://USER:PASSWORD@HOST in url"),
  TEXT ("registry", "ca_file", "", "certificates to trust instead of the system's, PEM"),
  CHOICE (
      "outcomes", "rows", "events", "events|all|none",
      "which rows are told as RowProcessed: those that events have named, each that goes, changes, fails or is restored, or none"),
  CHOICE (
      "outcomes", "format", "avro", "avro|json|registry",
      "how outcomes are written: Avro with the schema's fingerprint, JSON with numbers as texts, or the frame of the registry of [registry] url"),
  TEXT ("store.local", "root", "", "folder of the objects with file_store 1; empty: no such store"),
  TEXT (
      "store.local", "marker", "",
      "a file in the root that proves that the root is mounted: nothing is deleted without it; empty: none is required"),
  BOOL ("store.local", "prune_empty_dirs", "off",
        "remove folders that became empty, up to the root"),
  URL (
      "store.object", "endpoint",
      "S3 service of the objects with file_store 2 and of sentences with object = s3:..., like https://s3.example.org; empty: none"),
  TEXT ("store.object", "bucket", "", "the bucket"),
  NAME ("store.object", "region", "us-east-1", "the region that requests are signed for"),
  CHOICE ("store.object", "addressing", "path", "path|host",
          "where the bucket's name goes: in the path, or in front of the host"),
  SECRET ("store.object", "access_key", "the access key's id"),
  SECRET ("store.object", "secret_key", "the secret access key"),
  SECRET ("store.object", "session_token", "session token of temporary credentials"),
  TEXT ("store.object", "credentials_file", "",
        "file with access_key, secret_key, session_token; read again when it changes"),
  TEXT ("store.object", "ca_file", "", "certificates to trust instead of the system's, PEM"),
  TEXT ("store.object", "prefix", "", "put in front of every object's key"),
  CHOICE (
      "store.object", "versions", "current", "current|all",
      "all: every version of an object goes, and its delete markers; current: one delete without a version, which in a "
      "bucket that keeps versions leaves them readable behind a delete marker"),
  JOB (SETTING_BOOL, "enabled", "on",
       "off: its runs wait, and its new ticks are recorded as skipped"),
  CHOICE (
      SETTINGS_JOBS, "mode", "run", "run|apply|plan|off",
      "apply: rows go; plan: a run does all but that, and its result says so; off: as enabled = off; run: as [run] mode"),
  CHOICE (SETTINGS_JOBS, "outcomes", "rows", "rows|events|all|none",
          "which of its rows are told as RowProcessed; rows: as [outcomes] rows"),
  JOB (SETTING_CRON, "schedule", "off",
       "minute hour day-of-month month day-of-week, or off: another program sends the ticks"),
  JOB (SETTING_ZONE, "time_zone", "UTC", "the zone of the schedule, like Europe/Berlin"),
  JOB (
      SETTING_HOURS, "not_between", "off",
      "quiet hours, like 07:00-20:00 Europe/Berlin: no step begins, and a running chain pauses between pages; "
      "without a zone: that of the schedule"),
  { SETTINGS_JOBS, "catch_up", SETTING_CHOICE, "last", 0, 0, "last|none|all",
    "which of the ticks run that were missed while no daemon ran" },
  INT (SETTINGS_JOBS, "batch", "1000", 1, 1000000, "rows of a page"),
  INT (
      SETTINGS_JOBS, "page_bytes", "16777216", 1024, 268435455,
      "bytes of rows that a page records at most: of wide rows a page has fewer than `batch`; a row that has more goes alone"),
  INT (SETTINGS_JOBS, "delay_ms", "0", 0, MS_MOST, "pause between two pages"),
  INT (SETTINGS_JOBS, "capacity", "1", 1, 10000, "steps at a time, over all processes"),
  INT (
      SETTINGS_JOBS, "ranges", "1", 0, 16,
      "a run of many pages is divided into this many ranges at a time, which are worked off at once; 0, the default of a "
      "sentence whose rows go in no order: one for each processor of the daemon's host, at most 4"),
  INT (SETTINGS_JOBS, "spacing_ms", "1000", 0, MS_MOST, "time between two children's starts"),
  INT (SETTINGS_JOBS, "budget_ms", "60000", 1, MS_MOST,
       "time after which a step ends early, or is repeated with fewer rows"),
  INT (
      SETTINGS_JOBS, "target_step_ms", "2000", 1, MS_MOST,
      "time that a step should take at most: after a longer one pages are halved, and they grow back to `batch`"),
  INT (SETTINGS_JOBS, "schedules", "10", 1, 100000, "scheduled deletions in a step"),
  INT (SETTINGS_JOBS, "lease_ms", "600000", 1, MS_MOST,
       "how long a step's lease on its objects lasts"),
  INT (SETTINGS_JOBS, "max_attempts", "25", 0, 1000, "retries before a run is dead"),
  INT (SETTINGS_JOBS, "item_attempts", "25", 1, 1000, "tries of an item before it is parked"),
  INT (SETTINGS_JOBS, "park_retry_days", "7", 0, DAYS_MOST,
       "days after which a parked item is tried again; 0: never by itself"),
  INT (SETTINGS_JOBS, "retry_after_ms", "172800000", 0, MS_MOST,
       "time between two tries of a placeholder user"),
  INT (SETTINGS_JOBS, "todos_delay_ms", "3600000", 0, MS_MOST,
       "time from a removal to the cleaning of the user's todos"),
  INT (SETTINGS_JOBS, "refresh_delay_ms", "60000", 0, MS_MOST,
       "time from a removal to the refresh of the user's authorizations"),
  LIMIT (
      SETTINGS_JOBS, "max_rows", "100000", ROWS_MOST,
      "a run that would change more rows, its children included, is held until somebody approves it"),
  JOB (SETTING_SHARE, "max_share", "off", "the same for this share of the job's table, like 5 %"),
  LIMIT (SETTINGS_JOBS, "max_rows_per_day", "off", ROWS_MOST,
         "the same for all runs of the job together within 24 hours"),
  JOB (
      SETTING_FACTOR, "max_ratio", "off",
      "the same for this many times the usual: the median of the last 14 runs that ended and applied, once there are 5"),
  INT (
      SETTINGS_JOBS, "min_rows", "1000", 0, ROWS_MOST,
      "below this number of rows of a run max_share and max_ratio do not count; 0: they always do. Unless a job of one's own sets it, its max_share "
      "counts for a table of 1000 rows or more instead"),
  JOB (
      SETTING_FACTOR, "min_ratio", "0.1",
      "a night in which the job changes less than this many times the usual is named by `pruned night` and `pruned doctor`, and an alert "
      "fires: the median of its last 30 nights, once there are 7; not if the median is below 10 rows, or if a quarter of them had none"),
  INT (
      SETTINGS_JOBS, "verify_rows", "300", 0, ROWS_MOST,
      "rows of each table that are read again after a run, apart from it; if the rule does not take one, the job is stopped; 0: none"),
  JOB (
      SETTING_AGE, "deadline", "off",
      "how long after it became due a row may still be there: rows that are older are named with the reason by `pruned night` and "
      "`pruned doctor`, and an alert fires at four fifths of it (7 days, 12 hours, ...; `due` says what makes rows due)"),
  JOB (
      SETTING_AGE, "remember", "off",
      "how long the rows that a built-in job, or a folder, removes are written into the ledger of erasures, so that they go again after an old "
      "backup has brought them back (10 years, ...). A sentence says it in its own section"),
  CHOICE (
      SETTINGS_JOBS, "approve", "above", "never|first|above|always",
      "which runs are held until `pruned approve`: none, whatever the limits; also the first of a job or of a changed version of it; those "
      "above a limit; all"),
  INT (
      SETTINGS_JOBS, "approvals", "1", 1, 2,
      "how many persons must approve a run that is held; 2: two different ones, neither of whom placed its tick or changed the rule"),
  BOOL (SETTINGS_JOBS, "finish", "on",
        "off: the application that owns the tables does the last stages"),
  JOB (
      SETTING_COLUMNS, "references", "",
      "columns that keep a placeholder user alive (of users.delete_placeholder), or go to the ghost user (of "
      "users.destroy, and those that keep a placeholder), table.column; ...; empty: the built-in list"),
  LIMIT ("throttle", "standby_lag_bytes", "268435456", BYTES_MOST,
         "runs wait between pages while a standby has this much to replay"),
  LIMIT ("throttle", "standby_lag_s", "30", S_MOST,
         "the same, in seconds that a standby is behind"),
  LIMIT ("throttle", "slot_lag_bytes", "10737418240", BYTES_MOST,
         "the same while a replication slot retains this much write-ahead log"),
  LIMIT ("throttle", "wal_bytes_per_s", "104857600", BYTES_MOST,
         "the same while the server writes this much write-ahead log a second, whoever causes it"),
  LIMIT ("throttle", "wal_unarchived_files", "64", 1000000000,
         "the same while this many files of the write-ahead log wait for the archive"),
  LIMIT ("throttle", "old_transaction_s", "600", S_MOST,
         "the same while another session's transaction in this database is this old"),
  LIMIT (
      "throttle", "lock_waiters", "1", 1000000,
      "the same while this many sessions have waited for a second for locks of the job's tables, or, for ten minutes at most, while "
      "one of these is vacuumed or gets an index"),
  LIMIT (
      "throttle", "min_free_bytes", "1073741824", BYTES_MOST,
      "the same while the disk of the tables has less space; known only on the server's own machine"),
  CHOICE ("audit", "rows", "full", "full|keys|off", "what the audit record keeps of removed rows"),
  { "audit", "rows_of", SETTING_PER_TABLE, "", 0, 0, "full|keys|off",
    "the same for single tables; empty: none differs" },
  { "audit", "secret_columns", SETTING_PATTERNS, "", 0, 0, NULL,
    "columns that are not recorded if their type can hold a secret, in addition to *token*, *password*, *encrypted*, *digest*, *_secret and private_key; empty: none" },
  INT ("audit", "keep_days", "30", 1, DAYS_MOST,
       "days the audit record is kept; after lowering it, run `pruned migrate`"),
  { "audit", "keep_days_of", SETTING_PER_TABLE, "", 1, DAYS_MOST, NULL,
    "the same for single tables; empty: none differs" },
  INT ("audit", "journal_days", "365", 1, DAYS_MOST,
       "days the journal of operators is kept; after lowering it, run `pruned migrate`"),
  CHOICE (
      "erasures", "ledger", "off", "off|topic|file|topic, file",
      "where the rows of jobs with remember are written, so that they go again after an old backup: the topic <prefix>.erasures, files in folder, or both"),
  TEXT (
      "erasures", "folder", "",
      "where ledger = file writes a file a day and host, like /var/backups/pruned/erasures: a folder of the daemon's user alone, best on the disk of the backups"),
  TEXT (
      "erasures", "key_file", "",
      "a file with the key that seals the keys of these rows: 32 random bytes as base64, `openssl rand -base64 32`; keep a copy where the backups are not. Several, with commas: the first seals, the others open what they have sealed"),
  INT (
      "erasures", "backups_keep", "0", 0, DAYS_MOST,
      "days that the oldest backup of the database is kept; `pruned doctor` compares it with what the topics keep; 0: not known"),
  INT (
      "runs", "keep_days", "35", 1, DAYS_MOST,
      "days ended runs are kept; should be longer than the retention of the topics ticks and events"),
  INT ("runs", "max_args_bytes", "65536", 256, 1048576,
       "maximum size in bytes of a tick's arguments, or of an event's fields, as JSON"),
  INT (
      "clock", "max_skew_s", "5", 1, 86400,
      "seconds by which clocks can differ: a cron tick fires only when this machine's clock and Kafka's have reached its time, less this tolerance; "
      "`pruned doctor` names clocks that differ by more"),
  INT ("run", "workers", "4", 2, 256, "worker threads, each with its own database connection"),
  CHOICE (
      "run", "mode", "recorded", "recorded|apply|plan|off",
      "of all jobs that set none: apply, plan (nothing is changed; results say what would be), or off; recorded: what `pruned migrate` has "
      "recorded, plan in a schema that it made, apply in one that was there before"),
  CHOICE ("run", "environment", "production", "production|development",
          "for development: a row that fails makes its step fail, too"),
  TEXT (
      "run", "jobs", "",
      "the built-in jobs to run: gitlab (all of them), none, or names with * and ?, `name; ...`; empty: those whose tables exist in the "
      "database when the program starts. Jobs of jobs_dir are not chosen here"),
  TEXT (
      "run", "jobs_dir", CONFIG_JOBS_DIR,
      "folder with jobs of one's own: NAME.conf with [retention] sections, or a folder of SQL files each; empty: none"),
  TEXT (
      "http", "listen", "",
      "host:port that serves /metrics, /healthz and /readyz, like 127.0.0.1:9750, [::1]:9750, localhost:9750, *:9750; empty: none"),
  BOOL (
      "http", "page", "off",
      "the page for people at `/`; on: whoever reaches the port reads states, errors and keys of rows"),
  TEXT (
      "http", "hosts", "",
      "names that the page answers to besides `localhost` and addresses, comma-separated: those that a proxy passes on as Host"),
  TEXT (
      "http", "public_url", "",
      "where readers find the page, like https://example.org/pruned/: notices have links to it; empty: they have none"),
  TEXT (
      "http", "links", "",
      "pages of other databases that the page links, comma-separated: NAME=URL, like shop=../shop/, hr=https://hr.example.org/pruned/"),
  BOOL (
      "http", "actions", "off",
      "on: the page can do things (approve, discard, retry, stop, go, pause, resume, tick, hold, release), for whom trusted_proxies or tokens say"),
  TEXT (
      "http", "trusted_proxies", "",
      "addresses and networks, comma-separated, of proxies that have asked who somebody is, like 10.0.0.7, 10.1.0.0/16; empty: none"),
  TEXT (
      "http", "user_header", "",
      "the header in which they say it, like X-Forwarded-User; the proxy must remove it from what its clients send"),
  TEXT ("http", "group_header", "",
        "the header with the groups of the user, comma-separated; empty: none"),
  TEXT (
      "http", "roles", "",
      "what users and groups of a proxy may: USER=ROLE, @GROUP=ROLE, *=ROLE for everybody, comma-separated; look, operate (stop, pause, retry, "
      "tick, hold), approve (also approve, discard, go, resume, release); who is not named may look"),
  TEXT (
      "http", "tokens", "",
      "a file with lines NAME ROLE SHA256, the last as `printf %s TOKEN | sha256sum` says, which only its owner can read; it is read for each action; empty: none"),
  SECRET (
      "notify", "url",
      "a web address to which what needs a person is posted, like https://hooks.example.org/path; empty: none"),
  TEXT ("notify", "url_file", "", "a file with that address, read again for each notice"),
  CHOICE (
      "notify", "template", "json", "json|slack",
      "json: an object with kind, job, says, run_id, at, commands, link and prefix; slack: a text in Slack's form, "
      "which other chats take, too"),
  TEXT ("notify", "token_file", "",
        "a file with a bearer token for the address, read again for each notice; empty: none"),
  TEXT ("notify", "ca_file", "", "certificates to trust instead of the system's, PEM"),
  CHOICE ("log", "level", "info", LOG_LEVELS ("|"), "the lowest level that is written"),
  CHOICE ("log", "format", "text", "text|json", "text for people, or one JSON object per line"),
  { NULL }
};

/* Code that uses one of these must read it each time from the configuration in force
 * (engine/job/in_force.h). */
const char *const settings_live[][2] = { { "log", "level" },
                                         { "log", "format" },
                                         { "topics", "create" },
                                         { "outcomes", "rows" },
                                         { "audit", "rows" },
                                         { "audit", "keep_days" },
                                         { "run", "environment" },
                                         { "run", "mode" },
                                         { "throttle", "standby_lag_bytes" },
                                         { "throttle", "standby_lag_s" },
                                         { "throttle", "slot_lag_bytes" },
                                         { "throttle", "wal_bytes_per_s" },
                                         { "throttle", "wal_unarchived_files" },
                                         { "throttle", "old_transaction_s" },
                                         { "throttle", "lock_waiters" },
                                         { "throttle", "min_free_bytes" },
                                         { SETTINGS_JOBS, "enabled" },
                                         { SETTINGS_JOBS, "mode" },
                                         { SETTINGS_JOBS, "outcomes" },
                                         { SETTINGS_JOBS, "max_rows" },
                                         { SETTINGS_JOBS, "max_share" },
                                         { SETTINGS_JOBS, "max_rows_per_day" },
                                         { SETTINGS_JOBS, "max_ratio" },
                                         { SETTINGS_JOBS, "min_rows" },
                                         { SETTINGS_JOBS, "min_ratio" },
                                         { SETTINGS_JOBS, "verify_rows" },
                                         { SETTINGS_JOBS, "deadline" },
                                         { SETTINGS_JOBS, "approve" },
                                         { SETTINGS_JOBS, "approvals" },
                                         { SETTINGS_JOBS, "schedule" },
                                         { SETTINGS_JOBS, "time_zone" },
                                         { SETTINGS_JOBS, "catch_up" },
                                         { SETTINGS_JOBS, "not_between" },
                                         { SETTINGS_JOBS, "batch" },
                                         { SETTINGS_JOBS, "page_bytes" },
                                         { SETTINGS_JOBS, "delay_ms" },
                                         { SETTINGS_JOBS, "ranges" },
                                         { SETTINGS_JOBS, "spacing_ms" },
                                         { SETTINGS_JOBS, "budget_ms" },
                                         { SETTINGS_JOBS, "target_step_ms" },
                                         { SETTINGS_JOBS, "schedules" },
                                         { SETTINGS_JOBS, "lease_ms" },
                                         { SETTINGS_JOBS, "max_attempts" },
                                         { SETTINGS_JOBS, "item_attempts" },
                                         { SETTINGS_JOBS, "retry_after_ms" },
                                         { SETTINGS_JOBS, "todos_delay_ms" },
                                         { SETTINGS_JOBS, "refresh_delay_ms" },
                                         { NULL } };

const Setting *
setting_of_job (const char *key)
{
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS) && g_str_equal (setting->key, key))
      return setting;
  return NULL;
}

void
settings_of_job (GPtrArray *names)
{
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS))
      g_ptr_array_add (names, (gpointer)setting->key);
}
