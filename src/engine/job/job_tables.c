#include "engine/job/job_tables.h"

#include "engine/job/job_writes.h"
#include "engine/job/sentence/sentence.h"
#include "pg/quoted.h"

typedef struct {
  JobTablesVisit visit;
  gpointer data;
} Visit;

static void
add_written (const Job *job, const char *table, const char *privilege, gpointer data)
{
  const Visit *to = data;
  g_autofree char *quoted = quoted_make (table);
  if (!g_str_equal (privilege, "INSERT"))
    to->visit (job, quoted, privilege, to->data);
}

/* Dropped partitions leave no dead rows. */
static void
add_sentence (const Job *job, const Visit *to)
{
  const Sentence *sentence = job->sentence;
  if (!job->kind->rows)
    return;
  to->visit (job, sentence->table, sentence->kind == SENTENCE_SET ? "UPDATE" : "DELETE", to->data);
  for (guint i = 0; i < sentence->children->len; i++)
    to->visit (job, ((const SentenceChild *)sentence->children->pdata[i])->table, "DELETE",
               to->data);
}

void
job_tables_each (const Job *job, JobTablesVisit visit, gpointer data)
{
  Visit to = { visit, data };
  if (job->sentence != NULL)
    add_sentence (job, &to);
  else
    job_writes_each (job, add_written, &to);
}
