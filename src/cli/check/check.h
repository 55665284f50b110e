/* `pruned check`: looks at jobs before they run. Each check adds a finding with its place. Checks
 * change nothing; --apply runs a page in a transaction that is rolled back.
 *
 * Invariant: the exit code is that of the most severe error; warnings do not change it.
 *
 * Threads: main; of check_load also that of a reload. Ownership: the Check owns its findings, the
 * caller its connection.
 */
#pragma once
#include "cli/cli.h"
#include "engine/step/step.h"

#define CHECK_LARGE 10000 /* rows; a smaller table may be read as a whole */

/* TABLE; and what an index spares: about how many rows, and what they are read for. */
#define CHECK_READS_ALL "every run has to read all of %s"
#define CHECK_READS_ALL_MEND CHECK_READS_ALL "; this index avoids it (about %s rows%s)"

#define CHECK_HIDDEN "row-level security"
#define CHECK_OFF "keys off"
#define CHECK_OFF_SQL "src/cli/check/sql/keys_off.sql"
#define CHECK_OUTSIDE "outside"
#define CHECK_SAMPLE "sample"
#define CHECK_OUTSIDE_SQL "src/cli/check/sql/outside.sql"

typedef struct {
  Cli *cli;
  Pg *pg;
  const Job *job;       /* that is looked at */
  GPtrArray *findings;  /* of CheckFinding */
  GPtrArray *texts;     /* of char: of places, of remedies */
  gboolean away;        /* PostgreSQL did not answer something */
  gboolean asks_stores; /* whether buckets keep versions */
  const char *role;     /* of --role, borrowed; NULL: that of the connection */
  char *daemon;         /* the role of a daemon, where that is another one and there is no --role */
  char *keys;           /* of the first page of the job, as an array literal; NULL: not read */
  guint n_keys;
  /* What is asked once for all (check_ahead): */
  GPtrArray *together;   /* of Job, borrowed; of sentences those with their SQL */
  GHashTable *completed; /* Job -> Completion: sentences */
  GHashTable *answers;   /* file -> PgRows about all of `together` */
  GHashTable *large;     /* names of large tables; NULL: not asked yet */
} Check;

typedef struct {
  const char *job, *level; /* level: ok, warning, error */
  ExitCode code;
  char *check, *detail, *remedy, *file; /* remedy, file: NULL: none */
  int line;
} CheckFinding;

/* Where a finding is. */
typedef struct {
  const char *file; /* NULL: the job as a whole: its section, or its job.conf */
  int line;         /* from 1; 0: where its text begins */
} CheckPlace;

/* What to add to an error of PostgreSQL (CAUSE) about the condition WHERE of a sentence, and to a
 * reason that names a table which is not there: what was meant, or "". Before another transaction;
 * g_free it. */
char *check_hint (Check *check, const char *where, const GError *cause);
char *check_hint_table (Check *check, const char *why);

/* Adds a finding without a problem. */
void check_ok (Check *check, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Adds a warning or an error. REMEDY is a command to copy, or NULL. */
void check_warn (Check *check, const char *name, CheckPlace place, const char *remedy,
                 const char *format, ...) G_GNUC_PRINTF (5, 6);
void check_error (Check *check, ExitCode code, const char *name, CheckPlace place,
                  const char *remedy, const char *format, ...) G_GNUC_PRINTF (6, 7);

/* JOBS (of Job) are looked at next: what can be asked for all at once is. What has no answer is
 * asked again for each. */
void check_ahead (Check *check, const GPtrArray *jobs);
/* What check_ahead knows of the sentence JOB: *WHOLE, or why it is refused (*REFUSAL, borrowed).
 * FALSE: nothing. */
gboolean check_is_ahead (const Check *check, const Job *job, const Job **whole,
                         const char **refusal);

/* Runs a statement in a read-only transaction of its own. NULL: it failed, which is a finding. */
PgRows *check_ask (Check *check, const char *name, const char *file, const PgValues *values);
/* Where the section of a sentence or of an erasure is, or the job.conf of a folder. */
CheckPlace check_place (Check *check);
/* Where KEY of it is; the whole if it has no such key. */
CheckPlace check_place_of_key (Check *check, const char *key);
/* `file:line` as a place; its text belongs to the Check. */
CheckPlace check_place_in (Check *check, const char *text);
/* How many findings about the job are errors. */
guint check_errors (const Check *check);
/* Nothing that was found keeps its statements from being run. An index that is missing makes them
 * slow. */
gboolean check_can_run (const Check *check);
/* Writes a log line about a finding that is an error. */
void check_say (const CheckFinding *finding);
/* The code of what PostgreSQL has said of a statement: CODE_CONFIG, the job is wrong;
 * CODE_POSTGRES, a right is missing, or there was no answer. */
ExitCode check_code (Check *check, const GError *cause);
/* The name of a check that has found what PostgreSQL said last, instead of NAME. */
const char *check_name (const Check *check, const char *name);
/* What to do about it (CAUSE), before another transaction: to grant what is missing, or to try
 * again. It belongs to the Check. */
const char *check_remedy (Check *check, ExitCode code, const GError *cause);

void check_begin (Check *check, Cli *cli, Pg *pg);
void check_end (Check *check);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Check, check_end)

/* All is asked as ROLE (NULL: that of the connection). Not CODE_OK: it cannot be. */
ExitCode check_as (Check *check, const char *role, GError **error);

/* A run that does not exist, due now; run_free it. */
Run *check_run (const Job *job);
/* The rows of page.sql for LIMIT keys and one more, in the connection's transaction. */
PgRows *check_page_rows (Check *check, Step *step, int limit, GError **error);

/* Large tables that PLAN (EXPLAIN's JSON) reads as a whole are findings. */
void check_plan (Check *check, CheckPlace place, const char *plan);
/* A finding is also, in a folder of one's own, a FILE (`apply/removed/10-items`) that changes rows
 * of another table than the job's own which the keys do not name, or that should change none. */
void check_keys (Check *check, const char *file, CheckPlace place, const PgStatement *statement,
                 const char *plan);
/* So is a condition of a sentence that no index serves, if runs search by it. FALSE: PostgreSQL
 * refuses the condition. */
gboolean check_where (Check *check);
/* A condition of a sentence, with its PLAN, that asks the clock instead of T is a warning; so is a
 * FILE of a folder of one's own that does so where it chooses rows. */
void check_clock (Check *check, CheckPlace place, const char *plan);
gboolean check_clock_chooses (const char *file);
void check_clock_of_file (Check *check, const char *file, CheckPlace place, const char *plan);
/* So are functions and views behind TEXT, of FILE or (NULL) of a condition, that do so. Functions
 * behind a file that decide otherwise than for the application are errors. */
void check_behind (Check *check, const char *file, CheckPlace place, const char *text);
/* And the question which rows name the same object. */
void check_same_object (Check *check);
/* Of an erasure: its jobs. */
void check_starts (Check *check);
/* Of a sentence with `keep`: the index by which the newest rows of a group are found. */
void check_keep (Check *check);
void check_deadline (Check *check);
/* Whether TABLE, as SQL writes it, may have CHECK_LARGE rows or more. */
gboolean check_index_may_be_large (Check *check, const char *table);

/* So is an outcome of a folder that lacks something: DECIDED are the columns of its decision. */
void check_outcomes (Check *check, const char *const *decided);

/* Of the job that is looked at: what its sections would take of the last N messages of their
 * topics, and how many rows these name. An error: none fits. Nothing is started. */
void check_sample (Check *check, gint64 n);

/* Of a job that has had no run: a warning about each of its sections that none of a hundred
 * messages and more fits. What cannot be read is no finding. */
void check_silent (Check *check);

/* In a transaction that is rolled back: rows just before the border at which they become due, and
 * just behind it, go through the page and the files of the job. */
void check_canary (Check *check);

/* Of a job that remembers: whether the key files can be read, and are those of this database. */
void check_ledger (Check *check);

/* Applies the first N keys, and rolls back. */
ExitCode check_apply (Check *check, gint64 n, GError **error);

/* Whether a folder's page is sorted by its cursor; no page is read. */
void check_order (Check *check);
/* Folders: whether their page is compared with the cursor by the collation of its order. */
void check_collation (Check *check);

/* Which columns of tables the cursor's columns of a page are. */
typedef struct _CheckCursor CheckCursor;
/* From ROWS of the page. NULL: JOB is no folder of the user, or has no cursor. */
CheckCursor *check_cursor_of (const Job *job, const PgRows *rows);
/* Whether no two rows have the same cursor, and none has NULL in it, by the catalogue. Takes
 * CURSOR. */
void check_cursor (Check *check, CheckCursor *cursor, CheckPlace place);
/* Which columns of the cursor can have NULL, by the catalogue; no page is read. */
void check_cursor_nulls (Check *check);

/* All checks of JOB. */
void check_job (Check *check, const Job *job);
/* The checks of one job, in this order. */
gboolean check_complete (Check *check); /* FALSE: the catalogue does not fit the sentence */
void check_statements (Check *check); /* PostgreSQL takes each; large tables are read by an index */
void check_form (Check *check);       /* a folder's parameters and columns; no row is read */
void check_folder (Check *check);     /* its tables exist, its own rows change; no row is read */
void check_needs (Check *check);      /* what its job.conf says that it needs exists */
void check_page (Check *check);       /* its columns, its order, its cursor; what decide returns */
void check_owner (Check *check);      /* who may drop partitions, by check_access */
void check_partitions (Check *check); /* of a sentence that drops them, by check_tables */
void check_rights (Check *check);     /* by check_access; of a sentence that has no SQL yet, too */
void check_say_role (Check *check);   /* a daemon has another role; by check_job */
void check_session (Check *check); /* a setting of the role or database under which it cannot run */
void check_access (Check *check);  /* rights and hidden rows, by check_tables */
void check_tables (Check *check);  /* rights, hidden rows, keys that are off, ties, brakes */
void check_recorded (Check *check); /* what the audit leaves out, by check_tables */
void check_lost (Check *check);     /* when a job is loaded: what could not be put back */
void check_looks (Check *check);    /* tables that nothing ties to the rows, by check_tables */
void check_outside (Check *check);  /* what stays when a row goes, by check_tables */
void check_ties (Check *check);     /* triggers, rules, foreign keys, by check_tables */

/* What a daemon checks when it loads JOBS (of Job); no row is read. ERRORS: `PLACE: why` for each
 * job that is refused. Anything else that a job lacks is a warning. SURE: a job is also refused if
 * PostgreSQL does not answer. */
void check_load (Cli *cli, Pg *pg, const GPtrArray *jobs, gboolean sure, GError **errors);
/* Refuses the jobs of the user that check_load refuses, before a daemon starts. BEGIN is called
 * once no other process is made, before this one logs; FALSE: its error. */
gboolean check_loaded (Cli *cli, gboolean (*begin) (GError **error), GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
