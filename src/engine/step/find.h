/* The stage find: the next keys of runs. What to find is decided once (find_for): who names the
 * keys, from where to where, how many, in which form of the job, on which connection. Then it is
 * asked, of one run or of several in one pipeline; equal questions once, because nothing is changed
 * in between.
 *
 * A page that was found for a run in a transaction of several, and not used there, is kept: a later
 * step of the transaction takes it, as long as no other step had a key of it.
 *
 * Invariant: a page is only a proposal; decide and apply ask the condition again, under lock.
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/page_keys.h"

typedef enum {
  FIND_PAGE,   /* page.sql, behind the run's cursor */
  FIND_NAMED,  /* an event has named the key */
  FIND_BEGUN,  /* a row whose children go in portions (portion.h) */
  FIND_BUSY,   /* rows that other sessions held, at the end of a run (busy.h) */
  FIND_NOTHING /* events name the job's rows, and none has named one */
} FindWay;

typedef struct {
  Step *step; /* borrowed; its job's form is how the rows are asked (JobForm) */
  Run run;    /* as it is where the page begins, with the range in which it lies; borrows */
  FindWay way;
  int limit;        /* rows of the page */
  gboolean standby; /* asked first */
  gboolean cuts;    /* the page ends before a row with too many rows below it */
  gboolean out;     /* the caller's: it is not found here */
  GArray *rows;     /* the caller's, of int; NULL: none */
  guint question;   /* find_pages' own */
  Page page;
} Find;

/* Sets `finds` of STEP. When the step is made, and once its job has its SQL; find_for does it, too.
 */
void find_decide (Step *step);
/* What the step of STEP finds, or, once it continues, the step behind it. */
Find find_for (Step *step);
/* The same, for STEP that begins now. */
Find find_begin (Step *step);
/* What FIND says of each of STEPS (of Step). */
GArray *find_array (const GPtrArray *steps, Find (*find) (Step *step));
/* The page of RUN is found by page.sql, with nothing that only a step of its own can do: it has no
 * range, no portion, no rows that are busy, and none that makes the search fail. */
gboolean find_is_plain (const Run *run);
/* Fills `page` of those of ALL that are not out. Several may be of one job, with the same SQL, each
 * plain and without `cuts`. */
gboolean find_pages (Find *all, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The page of one, which must advance (guard.h). *PAGE is page_clear's, also after an error. */
gboolean find_one (Find find, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of a step that begins now. */
gboolean find_page (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of a plan, with up to LIMIT rows. If a row makes the search fail, STEP goes on at once
 * as its run would (job_form_next): then its job is another one. Its run must be the caller's. */
gboolean find_plan (Step *step, int limit, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Pages that are found and not used, of the runs of a transaction. */
typedef struct _FoundPages FoundPages;
/* MOST: keys in them, together. */
FoundPages *found_pages_new (gint64 most);
void found_pages_free (FoundPages *pages); /* NULL: nothing */
/* Takes over PAGE, which page.sql has found for RUN, if there is room. */
void found_pages_keep (FoundPages *pages, const Run *run, Page *page);
/* STEP has used PAGE. */
void find_kept_used (const Step *step, const Page *page);
