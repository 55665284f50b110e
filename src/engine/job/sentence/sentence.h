/* A sentence: a job without SQL files, said in a `[retention NAME]` section of the configuration or
 * of a file in [run] jobs_dir. Here it is as it was written: read, and checked as text alone.
 * sentence_write.h makes the SQL of it, once the catalogue can be read.
 *
 * Names of tables and columns are kept as SQL writes them, quotes included (`"Order, Items"`).
 * Expressions are kept verbatim, with `:T` inside; they hold no `;`, no comment outside a literal,
 * no unbalanced bracket, and no other parameter.
 *
 * Threads: any, once read. Ownership: the Job owns its Sentence, the Jobs the events, both their
 * texts.
 * Rules: docs/adding-a-job.md.
 */
#pragma once
#include "avro/epoch.h"
#include "avro/shape.h"
#include "base/error.h"

typedef enum {
  SENTENCE_DELETE,     /* rows go, children first */
  SENTENCE_SET,        /* columns change (`set`) */
  SENTENCE_ARCHIVE,    /* rows move to another table (`archive`) */
  SENTENCE_FILES,      /* rows go once a file of an archive has them (`archive = file:...`) */
  SENTENCE_OBJECTS,    /* an object in a store goes, then its row (`object`) */
  SENTENCE_PARTITIONS, /* whole partitions go (`drop_partitions_older_than`) */
} SentenceKind;

typedef enum { SENTENCE_AUDIT_FULL, SENTENCE_AUDIT_KEYS, SENTENCE_AUDIT_OFF } SentenceAudit;
/* Not said: with `on` a sentence takes ticks if it has a schedule, without it always. */
typedef enum { SENTENCE_TICKS_UNSAID, SENTENCE_TICKS_ON, SENTENCE_TICKS_OFF } SentenceTicks;

/* `order_items`, or `order_notes(order_id)` where no foreign key says which column. */
typedef struct {
  char *table;
  char **columns; /* NULL: those of the foreign key */
} SentenceChild;

/* `email = NULL` of `set`. */
typedef struct {
  char *column, *value;
} SentenceSet;

/* `keep = 5 per user_id by seen_at desc, id` */
typedef struct {
  gint64 rows; /* 0: there is no `keep` */
  char **per;  /* empty: the whole table is one group */
  char **by;   /* column, perhaps with ` asc` or ` desc` */
} SentenceKeep;

typedef struct {
  char *name;        /* of the job */
  char *place;       /* `file:line` of the section, for errors */
  GHashTable *lines; /* key -> its line */
  char *table;
  SentenceKind kind;
  char *where;         /* NULL: every row */
  char *due;           /* the column that makes its rows due; NULL: the one that `where` names */
  char *due_found;     /* the same, as sentence_due.h finds it in `where`; NULL: it does not */
  char *due_age;       /* how long after that they are due: of `due`, or found; NULL: not known */
  char *due_unit;      /* what a number there counts (job_due.h); NULL: it is a time */
  char *unless;        /* of `deadline`: which rows stay on purpose; NULL: none */
  GPtrArray *children; /* of SentenceChild, in the order given */
  gboolean children_auto;
  gint64 portion; /* `children_portion`: rows below a row that one step removes at most; 0: all */
  GPtrArray *set; /* of SentenceSet */
  SentenceAudit audit;
  gboolean audit_said; /* FALSE: no `audit`; what [audit] says counts */
  char **record;       /* columns; NULL: none */
  SentenceKeep keep;
  char *older_than;             /* an interval: of `drop_partitions_older_than` */
  char *bucket, *object_column; /* of `object = s3:BUCKET column COL` */
  char *archive;                /* a table */
  char *archive_place;          /* of files: `file:/FOLDER` or `s3:BUCKET/PATH` (store/place.h) */
  char *consistency;            /* `data_consistency`; NULL: always */
  char **on;                    /* names of [event] sections; empty: none */
  char **by;                    /* the columns by which all of these name rows, as SQL writes them;
                                   NULL: each names a row by its primary key */
  SentenceTicks ticks;          /* `ticks` */
  int remember_days; /* `remember`: how long the ledger of erasures has its rows; 0: it has none */
  gboolean born_said, born_guessed; /* guessed: the table need not have that column */
  char *first; /* of what is no sentence, and `again`: the SQL file of what is done before rows of
                  the table go; NULL: nothing */
  gboolean again; /* not as written: its rows are those of the run (`pruned reapply`) */
  char *born;     /* the column that says when a row was made; NULL: no key is used twice */
} Sentence;

typedef enum { EVENT_JSON, EVENT_AVRO } EventFormat;

/* `match = type = X`. PATH: in the value; `header.NAME` a header; of Avro `record` the record's
 * name. One that begins with a dot is in the value, whatever its name. */
typedef struct {
  char *path, *value;
} SentenceMatch;

/* An `[event NAME]` section: messages of an application's own topic. An `[erasure NAME]` is one,
 * too, whose run starts runs of several jobs. */
typedef struct {
  char *name;
  char *place; /* `file:line` of the section */
  char *type;  /* of its messages: what `type` says, else its name */
  char *topic; /* as it is, without [topics] prefix */
  EventFormat format;
  char *schema_file;  /* of Avro: as written; NULL: the schema registry has the schemas */
  Shape *schema;      /* of that file */
  char *schema_text;  /* the file */
  char **key;         /* paths to the primary key's columns, in their order, or to: */
  char **columns;     /* these, as SQL writes them: it names all rows with these values. NULL: it
                         names one row, by its primary key */
  char *id;           /* a path to what tells a message from others, of those that have neither
                         ce_id nor the header `id`; NULL: their place does */
  char *due;          /* a path; NULL: at once */
  EpochUnit due_unit; /* of numbers there; EPOCH_NONE: only their schema says it */
  char *cancel_on;    /* the name of another event; NULL: none */
  GPtrArray *match;   /* of SentenceMatch: all must hold. Empty: any message fits; of Avro those
                         whose record has the name of the event */
  char *version;      /* changes with every key of the section, and with the schema's file */
  char **jobs; /* of an [erasure]: the jobs that it asks, in their order; NULL: it is an [event] */
  char **values;        /* of an [erasure]: the paths of all keys, its own first */
  GPtrArray *parts;     /* of an [erasure]: of SentenceEvent, for each of `jobs` the same event with
                           the key of that job. NULL: another process knows them */
  char *of;             /* of such a part: the name of its job; NULL: it is none */
  gboolean has_own_key; /* of such a part: the job says its key, else it is the erasure's */
} SentenceEvent;

/* Whether it says which rows a run of a tick would look for. SENTENCE can be NULL: FALSE. */
gboolean sentence_has_pages (const Sentence *sentence);
/* The line of KEY in its file; 0: the sentence has no such key. */
int sentence_line (const Sentence *sentence, const char *key);
/* The `file:line` of the key that WHY begins with (`set: ...`), else of `table`; g_free it. */
char *sentence_place_of (const Sentence *sentence, const char *why);
/* Its type is its name. */
SentenceEvent *sentence_event_new (const char *name);
void sentence_event_free (SentenceEvent *event);
void sentence_event_match (SentenceEvent *event, const char *path, const char *value);
/* Adds PATHS to the values of EVENT, each once. */
void sentence_event_add_values (SentenceEvent *event, char **paths);
/* How EVENT, which can be an erasure, names rows of JOB; NULL: it does not. */
const SentenceEvent *sentence_event_of (const SentenceEvent *event, const char *job);
/* Both name rows by the same columns, or both by the primary key. */
gboolean sentence_event_names_alike (const SentenceEvent *a, const SentenceEvent *b);
void sentence_free (Sentence *sentence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sentence, sentence_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SentenceEvent, sentence_event_free)
