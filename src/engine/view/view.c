#include "engine/view/view.h"

#include "engine/clock/processes.h"

#define SQL "src/engine/view/sql/"

static const Column DELAY_COLUMNS[] = { { "at", CELL_TIME },
                                        { "runs", CELL_NUMBER },
                                        { "longest_s", CELL_NUMBER },
                                        { "median_s", CELL_NUMBER },
                                        { NULL } };
static const Column HELD_ROW_COLUMNS[]
    = { { "row" },    { "hold_id" }, { "kind" }, { "state" }, { "until", CELL_TIME },
        { "reason" }, { NULL } };
static const Column HOLD_COLUMNS[] = { { "hold_id" },
                                       { "kind" },
                                       { "tables" },
                                       { "rows", CELL_NUMBER },
                                       { "state" },
                                       { "until", CELL_TIME },
                                       { "at", CELL_TIME, .roomy = TRUE },
                                       { "who", .roomy = TRUE },
                                       { "job", .roomy = TRUE },
                                       { "reason" },
                                       { NULL } };
static const Column JOURNAL_COLUMNS[] = { { "at", CELL_TIME }, { "role", .roomy = TRUE },
                                          { "os_user" },       { "host", .roomy = TRUE },
                                          { "command" },       { "object" },
                                          { "reason" },        { NULL } };
static const Column NIGHT_COLUMNS[] = {
  { "day" }, { "job" }, { "runs", CELL_NUMBER }, { "rows", CELL_NUMBER }, { "failed", CELL_NUMBER },
  { NULL }
};
static const Column OVERDUE_COLUMNS[]
    = { { "day" }, { "job" }, { "rows", CELL_NUMBER }, { "oldest_s", CELL_NUMBER }, { NULL } };
static const Column PACE_COLUMNS[]
    = { { "at", CELL_TIME }, { "rows", CELL_NUMBER }, { "steps", CELL_NUMBER }, { NULL } };
static const Column PROCESS_COLUMNS[] = { { "host" },
                                          { "pid", CELL_NUMBER, .exact = TRUE },
                                          { "version" },
                                          { "started_at", CELL_TIME },
                                          { "seen_at", CELL_TIME },
                                          { "settings", .roomy = TRUE },
                                          { "partitions", CELL_NUMBER },
                                          { "differing" },
                                          { NULL } };
static const Column QUARANTINE_COLUMNS[] = { { "job" },
                                             { "item" },
                                             { "attempts", CELL_NUMBER },
                                             { "parked", CELL_BOOL },
                                             { "next_try_at", CELL_TIME, .roomy = TRUE },
                                             { "reason" },
                                             { NULL } };
static const Column READING_COLUMNS[]
    = { { "job" }, { "run_id" }, { "tab" }, { "key" }, { "says" }, { NULL } };
static const Column REASON_COLUMNS[] = { { "job" },
                                         { "reason" },
                                         { "rows", CELL_NUMBER },
                                         { "parked", CELL_NUMBER },
                                         { "first_at", CELL_TIME },
                                         { NULL } };
static const Column REFUSED_COLUMNS[]
    = { { "job" }, { "place" }, { "reason" }, { "process" }, { NULL } };
static const Column RUN_COLUMNS[]
    = { { "run_id" },
        { "job" },
        { "state" },
        { "status", .derived = TRUE }, /* of the result: completed, blocked, failed, ... */
        { "step", CELL_NUMBER },
        { "attempts", CELL_NUMBER },
        { "slot", CELL_NUMBER, .detail = TRUE },
        { "unique_key", .detail = TRUE },
        { "parent_id", .detail = TRUE },
        { "scheduled_at", CELL_TIME },
        { "due_at", CELL_TIME, .detail = TRUE },
        { "args", CELL_JSON, .detail = TRUE },
        { "cursor", CELL_JSON, .detail = TRUE },
        { "created_at", CELL_TIME, .detail = TRUE },
        { "started_at", CELL_TIME, .detail = TRUE },
        { "published_at", CELL_TIME, .detail = TRUE },
        { "changed_at", CELL_TIME, .detail = TRUE },
        { "finished_at", CELL_TIME },
        { "result", CELL_JSON },
        { "error" },
        { "held", CELL_JSON, .detail = TRUE },
        { "job_version", .detail = TRUE },
        { NULL } };

static const struct {
  const char *file;
  const Column *columns; /* NULL: it is no list */
  const char *name;
} TABLE[VIEWS] = {
  [VIEW_DELAYS] = { SQL "delays.sql", DELAY_COLUMNS, "delays" },
  [VIEW_HELD_ROWS] = { SQL "held_rows.sql", HELD_ROW_COLUMNS, "rows" },
  [VIEW_HOLDS] = { SQL "holds.sql", HOLD_COLUMNS, "holds" },
  [VIEW_IN_FORCE] = { SQL "in_force.sql", NULL },
  [VIEW_JOURNAL] = { SQL "journal.sql", JOURNAL_COLUMNS, "journal" },
  [VIEW_NEAR] = { SQL "near.sql", NULL },
  [VIEW_NIGHTS] = { SQL "nights.sql", NIGHT_COLUMNS, "nights" },
  [VIEW_NOBODY] = { SQL "nobody.sql", NULL },
  [VIEW_OVERDUE] = { SQL "overdue_days.sql", OVERDUE_COLUMNS, "overdue" },
  [VIEW_PACE] = { SQL "pace.sql", PACE_COLUMNS, "pace" },
  [VIEW_PAUSED] = { SQL "is_paused.sql", NULL },
  [VIEW_PROCESSES] = { SQL "processes.sql", PROCESS_COLUMNS, "processes" },
  [VIEW_QUARANTINE] = { SQL "quarantine_list.sql", QUARANTINE_COLUMNS, "quarantine" },
  [VIEW_READ] = { SQL "read.sql", NULL },
  [VIEW_READINGS] = { SQL "readings.sql", READING_COLUMNS, "readings" },
  [VIEW_REASONS] = { SQL "reasons.sql", REASON_COLUMNS, "reasons" },
  [VIEW_REFUSED] = { SQL "refused.sql", REFUSED_COLUMNS, "refused" },
  [VIEW_RUN] = { SQL "run.sql", RUN_COLUMNS, "run" },
  [VIEW_RUNS] = { SQL "runs.sql", RUN_COLUMNS, "runs" },
  [VIEW_STOP] = { SQL "stop_look.sql", NULL },
};

const Column *
view_columns (ViewId id)
{
  return TABLE[id].columns;
}

const char *
view_name (ViewId id)
{
  return TABLE[id].name;
}

PgRows *
view_ask (Pg *pg, ViewId id, const PgValues *values, GError **error)
{
  return pg_run_file (pg, TABLE[id].file, values, error);
}

void
view_bind_days (PgValues *values, const Jobs *jobs, const Config *config)
{
  GString *names = array_new (), *days = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    array_add (names, job->name);
    array_add_int (days, config_job_int (config, job->name, "park_retry_days"));
  }
  pg_values_take (values, "jobs", array_take (names));
  pg_values_take (values, "days", array_take (days));
}

Night *
view_night (const Jobs *jobs)
{
  g_autoptr (json_t) settings = json_object ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    json_object_set_new (settings, jobs_at (jobs, i)->name, processes_settings (jobs_at (jobs, i)));
  return night_new (settings);
}
