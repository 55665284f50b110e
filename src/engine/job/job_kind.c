#include "engine/job/job_kind.h"

#define UNDIVIDED                                                                                  \
  "its steps are not pages of rows that go by themselves, so a run of it is not divided"

/* Default limits: a wrong `where` selects most of a table, and a wrong age most of its partitions.
 * Such a run waits for an approval. */
static const JobKindDefault of_rows[] = { { "max_share", "20 %" }, { NULL } };
static const JobKindDefault of_partitions[] = { { "batch", "1" }, { "max_rows", "31" }, { NULL } };
/* Those of ci.delete_objects: a store that refuses one rarely thinks otherwise. */
static const JobKindDefault of_objects[]
    = { { "item_attempts", "10" }, { "max_attempts", "3" }, { "max_share", "20 %" }, { NULL } };

static const JobKind kinds[JOB_KINDS] = {
  [KIND_PAGE] = { KIND_PAGE, .pages = TRUE, .rows = TRUE, .shares = TRUE, .defaults = of_rows },
  [KIND_CODED] = { KIND_CODED, .rows = TRUE, .shares = TRUE, .undivided = UNDIVIDED },
  [KIND_ERRAND]
  = { KIND_ERRAND, .rows = TRUE, .errand = TRUE, .counts_objects = TRUE, .undivided = UNDIVIDED },
  [KIND_OBJECTS]
  = { KIND_OBJECTS, .pages = TRUE, .rows = TRUE, .errand = TRUE, .counted_ahead = TRUE,
      .waits = TRUE, .undivided = UNDIVIDED, .final = "the object itself is deleted",
      .beyond = "SQL files delete no objects", .defaults = of_objects },
  [KIND_FILES] = { KIND_FILES, .pages = TRUE, .rows = TRUE, .errand = TRUE, .counted_ahead = TRUE,
                   .waits = TRUE, .undivided = UNDIVIDED,
                   .beyond = "SQL files write no files of an archive", .defaults = of_rows },
  [KIND_PARTITIONS] = { KIND_PARTITIONS, .pages = TRUE, .ends_later = TRUE, .owner = TRUE,
                        .undivided = "partitions go one after the other, the oldest first",
                        .final = "whole partitions are dropped, and the audit has no rows of them",
                        .beyond = "SQL files drop no partitions", .defaults = of_partitions },
  [KIND_ERASURE] = { KIND_ERASURE, .starts = TRUE, .undivided = UNDIVIDED,
                     .beyond = "SQL files start no runs that are one erasure" },
};
const JobKind *const job_kind_erasure = &kinds[KIND_ERASURE];

const JobKind *
job_kind_of (const JobCode *code, const Sentence *sentence)
{
  if (sentence != NULL && sentence->kind == SENTENCE_PARTITIONS)
    return &kinds[KIND_PARTITIONS];
  if (sentence != NULL && sentence->kind == SENTENCE_OBJECTS)
    return &kinds[KIND_OBJECTS];
  if (sentence != NULL && sentence->kind == SENTENCE_FILES)
    return &kinds[KIND_FILES];
  if (code != NULL && code->errand != NULL)
    return &kinds[KIND_ERRAND];
  return &kinds[code != NULL && code->step != NULL ? KIND_CODED : KIND_PAGE];
}

gboolean
job_kind_errands_share (const JobCode *code)
{
  return code != NULL && code->errand != NULL && code->errand->is_plain != NULL;
}
