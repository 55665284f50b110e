/* The room of jobs: what a job is, as read from its folder and from the settings in force. It uses
 * base, config, pg and avro; nothing of the engine.
 *
 * A job's declaration: what its folder says (docs/adding-a-job.md), with its settings.
 *
 * Invariant: after jobs_load and jobs_configure only `partitions` changes. A reload makes other
 * Jobs, which share the jobs that are as they were (jobs_load_again). Settings that a reload can
 * change are elsewhere (in_force.h).
 *
 * Length: one struct, and those that it consists of.
 *
 * Threads: main loads it; then any thread reads it.
 * Ownership: everything belongs to the Jobs. Those that others have replaced are kept until the
 * process ends, because threads and runs go on with the versions of jobs that they began with.
 */
#pragma once
#include "base/json.h"
#include "base/log.h"
#include "config/config.h"
#include "config/cron.h"
#include "config/hours.h"
#include "engine/job/job_kind.h"
#include "engine/job/sentence/sentence.h"
#include "pg/pg.h"
#include "pruned/job.h"

#include <stdatomic.h>

typedef struct {
  char *name;
  char *type; /* SQL type, to cast the first page's value */
  gboolean descending;
  gboolean open;         /* NULL on the first page: no value comes before all others */
  char *greater, *equal; /* the operators that compare it; NULL: > (where it descends <) and = */
} JobCursor;

typedef enum { APPLY_DELETE, APPLY_UPDATE, APPLY_INSERT } ApplyKind;

typedef struct {
  char *table;
  ApplyKind kind;
  gboolean watched;  /* an insert of a user's folder: what it deletes and updates is counted, too */
  gboolean upserts;  /* such an insert may update the row that is there */
  gboolean of_going; /* it updates rows that go themselves: they count once */
  gboolean reads_all; /* it does something with all rows that it changes: of one run only */
  const PgStatement *statement; /* with the audit */
  const PgStatement *owned; /* of rows below those that go: the same, and it returns `owner`, the
                               key with which a row goes. NULL: of other rows */
} JobApply;

/* A word that decide.sql can return, and what follows from it. */
typedef struct {
  char *word;
  char *counter;
  gboolean counts_as_updated;
  char *outcome, *entity; /* NULL: none */
  gboolean stays;         /* the row itself does not change, only rows below it do */
  gboolean only_named;    /* the outcome is for rows that an event names, not for those of a page */
  json_t *constants;
  char *log; /* NULL: none */
  LogLevel log_level;
  char **log_fields;
  GArray *apply; /* of JobApply, in order; empty: no effect */
} JobWhat;

/* The outcome of a row that an event of an application names. */
#define JOB_ROW_OUTCOME "RowProcessed"
/* The argument with the key of the row that an event of an application names. */
#define JOB_EVENT_KEY "key"
/* Instead: columns and the text of their values. The event names all rows that have these. */
#define JOB_EVENT_ROWS "rows"

/* Of a run of an erasure: path -> the text that its event has there. */
#define JOB_ERASURE_VALUES "values"

typedef struct {
  char *type;       /* pruned.events.X */
  char *key;        /* field whose value is the key; NULL: the run starts as from a tick */
  char *unique_key; /* template */
  char *due;        /* field with the due date or time; NULL: none */
  gboolean cancel_on_null;
  const SentenceEvent *own;    /* of an application's own topic: TYPE is its name; NULL: ours */
  gboolean by_erasure;         /* OWN starts no run of this job: the erasure of that name does */
  const SentenceEvent *cancel; /* what cancels a run that waits; NULL: nothing */
} JobEvent;

enum { LABEL_WORKER, LABEL_FEATURE_CATEGORY, LABEL_DATA_CONSISTENCY, LABEL_IDEMPOTENT, JOB_LABELS };

typedef struct _Jobs Jobs;

/* The forms of a job that is a sentence, each a Job of its own. All but the first have SQL
 * (complete.h). Any other job is in the first form. */
typedef enum {
  FORM_SAID,          /* as it was loaded */
  FORM_WHERE,         /* pages have the rows of `where` */
  FORM_KNOWN,         /* the same, but decide.sql asks rows in quarantine by themselves */
  FORM_ALL,           /* pages have all rows of the table, and decide.sql asks each by itself */
  FORM_PORTION,       /* of FORM_WHERE: for a step in which only rows below a row go */
  FORM_PORTION_KNOWN, /* the same of FORM_KNOWN */
  FORM_PORTION_ALL,
  JOB_FORMS
} JobForm;

typedef struct _Job {
  char *name, *folder;
  guint number;  /* of its name, in this process: a later version has the same */
  int users;     /* the Jobs that have it. Threads: one that loads or frees jobs */
  char *written; /* a digest of all that was written about it, settings too */
  GKeyFile *conf;
  char *labels[JOB_LABELS]; /* NULL: not given */
  gboolean by_tick, by_event, by_parent;
  char *unique_key; /* template with {arg}; NULL: none */
  char *table;
  GArray *cursor;        /* of JobCursor */
  char *cursor_of;       /* of a copy with the SQL of its sentence: the primary key that they are;
                            NULL: a cursor does not say what it is of */
  char **arguments;      /* what a tick can carry; { "*" }: anything */
  char **argument_types; /* of these; "": any (arguments.h) */
  char **needs;          /* table.column without which it is blocked */
  char **reads;          /* table.column that it reads where the database has the table */
  char **items;          /* tables whose rows the quarantine names */
  char *item_column; /* instead of tables: a column of any audited row, whose value is the key in
                        the job's table; NULL: none */
  char **follows; /* `cascade`, `set null`, `set default`: foreign keys whose rows the job handles
                     itself, so that the audit records them */
  char **unfollowed; /* but not those that lead to these tables */
  char **settings; /* the keys of its section that it reads, besides those of all jobs; NULL: all */
  char **on;    /* sections [event ...] whose messages name rows of its table; NULL or empty: none
                 */
  char *audit;  /* what the audit keeps of its rows: `full`, `keys`, `off`; NULL: what [audit]
                   says */
  char *record; /* columns that the audit has although they look like secrets: a JSON list of
                   [table, column]; NULL: none */
  int remember_days; /* how long the ledger of erasures has its rows (`remember`); 0: it has none */
  char *born;      /* of what is no sentence: the column that says when a row of its table was made;
                      NULL: not said */
  char *forgets;   /* why the ledger cannot have its rows; NULL: it can */
  char *final;     /* why the removed rows cannot be used again; NULL: they can be restored */
  char **deletes;  /* tables from which statements delete that it composes at run time */
  char **locked;   /* tables whose rows it locks without changing them */
  char **launches; /* jobs whose runs it starts */
  gboolean built_in;
  char **makes; /* tables that it inserts into; their rows are useless without the removed rows */
  gboolean spacing; /* the item's index within the whole run is kept (step/spacing.h) */
  const PgStatement *page, *decide, *children, *context, *blocked, *released; /* NULL: none */
  const PgStatement *blocked_minute; /* as `blocked`, asked once a minute; NULL: none */
  const PgStatement *remains;    /* remains.sql: what should have changed and has not; NULL: none */
  const PgStatement *page_count; /* how many keys page.sql finds; NULL: no page */
  const PgStatement *page_until; /* page.sql without the rows behind `until.` and the cursor's
                                    columns; NULL: no cursor */
  const PgStatement *page_split; /* divides the first `limit` rows of page.sql into `ranges`; NULL:
                                    as above */
  const PgStatement *count;      /* count.sql: the rows that a run in C would change; NULL: none */
  const PgStatement *values;     /* values.sql: what makes these rows due; NULL: none */
  char *due; /* the column of the job's table that makes its rows due; NULL: none */
  char *due_table, *due_age, *due_unit; /* of what is no sentence (job_due.h); NULL: not said */
  char *version;     /* of its section, or of the folder's files; NULL: it is refused. Whether it
                        is bound (job_version_is_bound) can be told from it alone */
  GPtrArray *locks;  /* of PgStatement */
  GPtrArray *whats;  /* of JobWhat */
  gboolean applies;  /* its folder has files in apply/, perhaps of a word without a group */
  GPtrArray *events; /* of JobEvent */
  char *failed_log, *failed_counter, *failed_outcome; /* NULL: none */
  json_t *failed_constants;
  gboolean failed_named; /* that outcome is for rows that an event names, not for those of a page */
  gint64 retry_every_ms; /* fixed time between retries; 0: the growing back-off */
  const JobKind *kind;   /* follows from the next two */
  const JobCode *code;   /* NULL: a page job */
  Sentence *sentence;    /* NULL: a job of SQL files */
  JobForm form;
  const struct _Job **forms;    /* of JOB_FORMS; NULL: there are no others (job_form) */
  const PgStatement *event_key; /* the key that an event names, as page.sql writes it; NULL: no
                                   event names one, or this is a sentence without its SQL */
  const PgStatement *again;     /* with its SQL: which rows that the ledger of erasures names are
                                   there; NULL: it remembers none */
  const PgStatement *below;     /* with its SQL: counts the rows of each table that go with keys */
  char *reading;                /* with its SQL: which rows that have gone its condition does not
                                   name (engine/reading); NULL: it has none */
  char *left;                   /* with its SQL: rows that it names and that are still there
                                   (engine/reading); NULL: that cannot be asked */
  char *reading_objects;        /* with its SQL: the objects of rows that have gone
                                   (engine/reading); NULL: it has none */
  const PgStatement *named;     /* keys as the table has them; NULL: they stay as they are */
  gboolean portions;            /* with its SQL: rows below could go in portions */
  gboolean takes_own;           /* with its SQL: rows of its table go with others of it */
  const PgStatement *large;     /* with its SQL: the first key with more rows below it than a step
                                   may remove; NULL: all go at once */
  const PgStatement *objects;   /* with its SQL: the objects of rows that go; NULL: they have
                                   none */
  const PgStatement *restored;  /* with its SQL: what is put back with a row; NULL: nothing */
  gboolean only_named;          /* this process does not have it (job_of_name) */
  char *refused;                /* why it cannot run, for its runs' results; NULL: it can */

  /* settings */
  int capacity;
  char *work_topic;
  atomic_int partitions; /* of the work topic, as last seen; 0: not known */
} Job;

/* A job of the user that cannot be loaded. */
typedef struct {
  char *name;
  char *place;   /* a file, mostly with its line */
  char *reason;  /* without the place */
  Job *job;      /* takes the place of the refused job for its runs, and does nothing. NULL: what is
                    refused is an `event NAME` */
  char *topic;   /* of such an event; NULL: not known */
  char *type;    /* of its messages; NULL: its name */
  char *written; /* of a job that a check has refused, as in Job: the database may be what is wrong;
                    NULL: it is what is written */
} JobRefused;

/* What was read of the user's jobs and has no effect. */
typedef struct {
  char *name;  /* `event NAME`, or that of a file */
  char *place; /* a file, perhaps with its line */
  char *text;
} JobRemark;

/* Where jobs of the user are. */
typedef struct {
  const char *config; /* the configuration file; NULL: none */
  gboolean config_must_exist;
  const char *folder; /* [run] jobs_dir; NULL or "": none */
  gboolean folder_must_exist;
  gboolean no_registry; /* [registry] url is not set */
  gboolean no_ledger;   /* [erasures] ledger is off */
  const char *prefix;   /* [topics] prefix; NULL: not known */
} JobSources;

/* Reads all embedded folders below src/jobs, and the jobs of SOURCES (NULL: none). CODE: the jobs
 * that are written in C; an entry without a name ends it. A wrong job of SOURCES is refused alone
 * (jobs_refused_at). PRUNED_FATAL names the file and the fault. */
Jobs *jobs_load (const JobCode *code, const JobSources *sources, GError **error);
void jobs_free (Jobs *jobs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Jobs, jobs_free)
/* Reads the settings that stay as they are until the process ends; in_force.h has the others. */
void jobs_configure (Jobs *jobs, const Config *config);

/* What is wrong with JOBS (of Job) of the user, or new versions of them. ERRORS, one for each:
 * `PLACE: why`; NULL: nothing. */
typedef void (*JobsCheck) (const GPtrArray *jobs, GError **errors, gpointer data);
/* Refuses the jobs in force that CHECK refuses. Before other threads know JOBS; the others keep
 * their numbers. */
void jobs_check (Jobs *jobs, JobsCheck check, gpointer data);
/* Reads the jobs of SOURCES again. A job that is as it was is shared with NOW; one that is refused,
 * also by CHECK, stays as it is in NOW. Built-in jobs that were left out come into force, but
 * those of ABSENT (NULL: none does). The Jobs have NOW behind them once jobs_put_before is called.
 * PRUNED_FATAL: a source cannot be read. Threads: one at a time. */
Jobs *jobs_load_again (const Jobs *now, const JobSources *sources, GHashTable *absent,
                       JobsCheck check, gpointer data, GError **error);
/* Like jobs_configure, for the jobs of FRESH that no other Jobs have. */
void jobs_configure_new (Jobs *fresh, const Config *config);
/* FRESH takes the place of OLD, and owns it. */
void jobs_put_before (Jobs *fresh, Jobs *old);
/* Adds the names of jobs of the user (borrowed) that FRESH has and NOW has not, that only NOW has,
 * and that are other versions. */
void jobs_compare (const Jobs *now, const Jobs *fresh, GPtrArray *added, GPtrArray *removed,
                   GPtrArray *changed);
/* They have the same jobs, and refuse the same for the same reasons. */
gboolean jobs_are_same (const Jobs *a, const Jobs *b);
/* FRESH has what NOW has, and jobs that NOW left out or refused for what the database said; of
 * those of the user, the text is the same. */
gboolean jobs_only_back (const Jobs *now, const Jobs *fresh);
/* One more than the highest number of a job. */
guint jobs_numbers (const Jobs *jobs);
/* The job NAME in VERSION, of these Jobs or of those before; NULL: this process never had it. */
const Job *jobs_version (const Jobs *jobs, const char *name, const char *version);
/* Jobs of the user that were removed while this process runs: number I; NULL: no more. */
Job *jobs_removed_at (const Jobs *jobs, guint i);

/* The jobs in force: those that were loaded, without those that jobs_keep took out. */
guint jobs_count (const Jobs *jobs);
Job *jobs_at (const Jobs *jobs, guint i);            /* sorted by name */
Job *jobs_find (const Jobs *jobs, const char *name); /* NULL: not in force */
const char *const *jobs_names (const Jobs *jobs);    /* NULL-terminated */
char *jobs_array (const Jobs *jobs);                 /* the names, as an array literal */
gboolean jobs_use_bucket (const Jobs *jobs);         /* that of [store.object] */
/* All jobs that were loaded. */
const char *const *jobs_loaded (const Jobs *jobs); /* names, sorted, NULL-terminated */
const Job *jobs_find_loaded (const Jobs *jobs, const char *name);
/* Only the jobs of NAMES (a set) stay in force. Before jobs_configure. Numbers change. */
void jobs_keep (Jobs *jobs, GHashTable *names);
/* As jobs_find, or what stands for a refused job. */
Job *jobs_asked (const Jobs *jobs, const char *name);
/* As jobs_names, with those of jobs that are refused: their sections are known, too. */
const char *const *jobs_sections (const Jobs *jobs);

/* The jobs that are refused, in the order of their names. */
guint jobs_refused_count (const Jobs *jobs);
const JobRefused *jobs_refused_at (const Jobs *jobs, guint i);
const JobRefused *jobs_refused_find (const Jobs *jobs, const char *name); /* NULL: it is not */
json_t *jobs_refused_list (const Jobs *jobs);     /* [{job, place, reason}]; new reference */
const GPtrArray *jobs_events (const Jobs *jobs);  /* of SentenceEvent */
const GPtrArray *jobs_remarks (const Jobs *jobs); /* of JobRemark */
void jobs_remarks_log (const Jobs *jobs);         /* a line each */

/* For ConfigSources: the default in job.conf, or CONFIG_NO_EFFECT. DATA: the Jobs. */
const char *jobs_default (const char *job, const char *key, gpointer data);
/* Where that default stands, if not in a job.conf. */
const char *jobs_default_place (const char *job, gpointer data);

/* What is known of a job that this process does not have: its name and capacity. It takes any tick,
 * whose run waits. */
Job *job_of_name (const char *name, int capacity);
void job_free (gpointer job); /* the last of its users frees it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Job, job_free)

/* What a run of this version removed is put back with the job in that version, or not at all; else
 * the audit alone is enough. */
gboolean job_version_is_bound (const char *version);
const Job *job_form (const Job *job, JobForm form); /* NULL: JOB cannot be in FORM */
/* The form in which a run goes on if a row makes the search of JOB fail; NULL: there is none. */
const Job *job_form_next (const Job *job);
/* The form in which a step removes only rows below a row of a page of JOB; NULL: there is none. */
const Job *job_form_portion (const Job *job);
/* Rows are on a page only to be asked by themselves: FORM_KNOWN or FORM_ALL, or a portion of it. */
gboolean job_goes_by_rows (const Job *job);
/* JOB is a folder of one's own that needs something. The built-in jobs read all that they need. */
gboolean job_needs_any (const Job *job);
gboolean job_asks_first (const Job *job); /* each step does, whether something blocks it */
const JobWhat *job_what (const Job *job, const char *word); /* NULL: the job does not declare it */
/* WORD is that of a row that is on a page of the job only to be asked by itself. */
gboolean job_only_looked (const Job *job, const char *word);
/* Which file of WHAT is on the job's own table: the last one that deletes from it, or else the last
 * one that updates it, or else the first file. */
guint job_own_file (const Job *job, const JobWhat *what);
/* What the job declares about events of TYPE (full name); NULL: it ignores them. */
const JobEvent *job_event (const Job *job, const char *type);
/* What declares that a run with ARGS is about one row; NULL: it is not. */
const JobEvent *job_event_of (const Job *job, const json_t *args);
/* The row KEY in the quarantine: `<table>:KEY`; in a job without a table `(row):KEY`. g_free it. */
char *job_item (const Job *job, const char *key);
/* `record` of JOB as a JSON list of [table, column], perhaps empty. The job's. */
const char *job_recorded (const Job *job);
/* Why nothing can be restored with this `audit`; NULL: it can. */
const char *job_final_by_audit (const char *audit);
/* An event of an application has named the row of a run with ARGS: who sent it waits for an answer.
 */
gboolean job_is_asked (const Job *job, const json_t *args);
/* Rows of WHAT can have an outcome in such a run, if settings do not say otherwise: those of pages
 * have none if only rows that an event has named are answered. */
gboolean job_answers (const Job *job, const JobWhat *what, const json_t *args);
/* It has named all rows with some values (JOB_EVENT_ROWS): the run finds them on pages. */
gboolean job_is_asked_for_rows (const Job *job, const json_t *args);
/* Events of an application name rows of its table (`on`). */
gboolean job_names_rows (const Job *job);
/* Why it takes no ticks; NULL: it does. g_free it. */
char *job_ticks_refusal (const Job *job);
/* Nothing else starts a run of it, so no page is ever looked for. */
gboolean job_only_names_rows (const Job *job);
gboolean job_takes_argument (const Job *job, const char *argument);
/* Whether JOB says that it starts runs of the job called OTHER. */
gboolean job_launches (const Job *job, const char *other);
/* Whether the job reads the setting KEY: settings of all jobs, settings of jobs with ticks, and the
 * list in job.conf (`settings`). Without that list: all. */
gboolean job_reads (const Job *job, const char *key);
/* It changes nothing itself: it starts runs of other jobs (an erasure). */
gboolean job_only_starts (const Job *job);
/* A folder of SQL files in jobs_dir. */
gboolean job_is_own_folder (const Job *job);
/* The unique key for ARGS from a template. A missing argument counts as empty. NULL template:
 * NULL. g_free it. */
char *job_expand_key (const char *template, const json_t *args);
/* The slot: args.slot, or else from the run id. */
guint job_slot (const Job *job, const char *run_id, const json_t *args);
/* Appends the value of NAME to TEXT, or nothing if there is none. */
typedef void (*JobTemplateValue) (GString *text, const char *name, gconstpointer data);
/* A text of job.conf in which `{name}` stands for a value, such as `unique_key` and `log`. A brace
 * that is not closed stands for itself. g_free it. */
char *job_fill_template (const char *template, JobTemplateValue value, gconstpointer data);
/* Over how many partitions the work is spread: those of the topic, or the capacity while they are
 * not known. */
gint32 job_partitions (const Job *job);
/* The partition of a slot's messages. */
gint32 job_partition (const Job *job, guint slot);
/* Its pages can be searched on a standby: by its data_consistency, and because a statement finds
 * them. */
gboolean job_is_sticky (const Job *job);
/* Labels as JSON {worker, feature_category, ...}. New reference. */
json_t *job_labels (const Job *job);
