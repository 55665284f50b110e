#include "engine/job/sentence/sentence_copy.h"

#include "engine/job/job_files.h"
#include "engine/job/job_reading.h"

#include <string.h>

#define OUTCOME JOB_ROW_OUTCOME

/* --- statements from texts --- */

/* Statements are kept by name, and a text that is written anew has another. */
static char *
name_of (const Job *job, const char *path, const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_strdup_printf ("[retention %s] %s.sql#%.20s", job->name, path, sum);
}

static const PgStatement *
statement_of (const Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  return pg_statement_text (name, file->text, error);
}

/* The same, of a statement that changes nothing. */
static const PgStatement *
statement_reading (const Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  return job_reading (name, file->text, FALSE, error);
}

/* The same, of a statement that reads as many rows as a step may: planned for that number. */
static const PgStatement *
statement_anew (const Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  return pg_statement_anew (name, file->text, error);
}

/* The page, and how many keys it finds. Which index is best depends on T and on the cursor. */
static gboolean
add_page (Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *counts = job_files_count_text (file->text),
                  *name = name_of (job, file->path, file->text),
                  *name_of_count = name_of (job, "count", counts);
  return (job->page = job_reading (name, file->text, TRUE, error)) != NULL
         && (job->page_count = job_reading (name_of_count, counts, TRUE, error)) != NULL
         && job_reading_divide (job, name, file->text, TRUE, error);
}

static JobWhat *
add_what (Job *job, const char *word, gboolean effective)
{
  JobWhat *what = g_new0 (JobWhat, 1);
  *what = (JobWhat){ .word = g_strdup (word),
                     .counter = g_strdup (word),
                     .counts_as_updated = effective,
                     .outcome = g_strdup (OUTCOME),
                     .only_named = TRUE,
                     .entity = g_strdup ("key"),
                     .constants = json_pack ("{s:s, s:s, s:s}", "job", job->name, "table",
                                             job->table, "what", word),
                     .log_fields = g_new0 (char *, 1),
                     .apply = g_array_new (FALSE, FALSE, sizeof (JobApply)) };
  g_ptr_array_add (job->whats, what);
  return what;
}

static gboolean
add_effect (const Job *job, JobWhat *what, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  const char *action = file->action == 'u' ? "updated" : "deleted";
  JobApply apply = { .table = g_strdup (file->table),
                     .kind = file->action == 'i'   ? APPLY_INSERT
                             : file->action == 'u' ? APPLY_UPDATE
                                                   : APPLY_DELETE,
                     .of_going = file->of_going,
                     .reads_all = job_files_reads_applied (file->text) };
  apply.statement = file->action == 'i' ? statement_of (job, file, error)
                                        : job_files_audited (name, file->text, file->table, action,
                                                             "key", NULL, error);
  if (apply.statement != NULL && file->owned != NULL) {
    g_autofree char *owned = g_strconcat (name, "#owned", NULL);
    apply.owned = job_files_audited (owned, file->owned, file->table, action, JOB_FILES_WITH_OWNER,
                                     NULL, error);
  }
  g_array_append_val (what->apply, apply);
  return apply.statement != NULL && (file->owned == NULL || apply.owned != NULL);
}

static gboolean
add_file (Job *job, JobWhat *what, const WrittenFile *file, GError **error)
{
  static const char *const reading[] = { "decide", "values", "objects", "again", NULL };
  const PgStatement *statement;
  if (g_str_equal (file->path, WRITTEN_SHOWN))
    return TRUE;
  if (g_str_has_prefix (file->path, "apply/"))
    return add_effect (job, what, file, error);
  if (g_str_equal (file->path, "page"))
    return add_page (job, file, error);
  statement = g_strv_contains (reading, file->path) ? statement_reading (job, file, error)
                                                    : statement_of (job, file, error);
  if (statement == NULL)
    return FALSE;
  if (g_str_equal (file->path, "decide"))
    job->decide = statement;
  else if (g_str_equal (file->path, "remains"))
    job->remains = statement;
  else if (g_str_equal (file->path, "event_key"))
    job->event_key = statement;
  else if (g_str_equal (file->path, "named"))
    job->named = statement;
  else if (g_str_equal (file->path, "again"))
    job->again = statement;
  else if (g_str_equal (file->path, "values"))
    job->values = statement;
  else if (g_str_equal (file->path, "objects"))
    job->objects = statement;
  else if (g_str_has_prefix (file->path, "restored/"))
    job->restored = statement;
  else
    g_ptr_array_add (job->locks, (gpointer)statement);
  return TRUE;
}

/* --- the copy --- */

static void
set_cursor (Job *job, const Written *written)
{
  job->cursor_of = g_strdup (written->cursor_of);
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  for (guint i = 0; i < written->cursor->len; i++) {
    JobCursor column = { .name = g_strdup_printf ("k%u", i + 1),
                         .type = g_strdup (written->cursor->pdata[i]),
                         .greater = g_strdup (written->behind->pdata[i]),
                         .equal = g_strdup (written->beside->pdata[i]),
                         .open = TRUE };
    g_array_append_val (job->cursor, column);
  }
}

/* JOB becomes one of FORMS. */
static void
set_form (Job *job, const Job **forms, JobForm form)
{
  job->form = form;
  job->forms = forms;
  forms[form] = job;
}

static Job *
copy_of (const Job *job, const Written *written, const char *table)
{
  Job *copy = g_memdup2 (job, sizeof *job);
  copy->table = g_strdup (table);
  copy->items = g_new0 (char *, 2);
  copy->items[0] = g_strdup (table);
  copy->follows = g_strsplit ("cascade;set null;set default", ";", -1);
  copy->locks = g_ptr_array_new ();
  copy->whats = g_ptr_array_new ();
  copy->failed_outcome = g_strdup (OUTCOME);
  copy->failed_named = TRUE;
  copy->failed_constants
      = json_pack ("{s:s, s:s, s:s}", "job", job->name, "table", table, "what", "failed");
  set_cursor (copy, written);
  return copy;
}

static gboolean
is_of_portion (const WrittenFile *file)
{
  return g_str_has_prefix (file->path, WRITTEN_PORTION);
}

/* FILE of a portion, in which only rows below a row go. */
static gboolean
add_portion_file (Job *portion, JobWhat *what, const WrittenFile *file, GError **error)
{
  WrittenFile own = *file;
  own.path += strlen (WRITTEN_PORTION);
  if (g_str_equal (own.path, "large"))
    return (portion->large = statement_anew (portion, file, error)) != NULL;
  if (!g_str_has_prefix (own.path, "lock/"))
    return add_file (portion, what, &own, error);
  const PgStatement *lock = statement_anew (portion, file, error);
  if (lock != NULL)
    g_ptr_array_add (portion->locks, (gpointer)lock);
  return lock != NULL;
}

static gboolean
add_portion (Job *copy, const Written *written, GError **error)
{
  Job *portion = copy_of (job_form (copy, FORM_SAID), written, copy->table);
  JobWhat *what = add_what (portion, WRITTEN_PORTION_WORD, FALSE);
  g_clear_pointer (&what->outcome, g_free); /* the row stays until all below it has gone */
  g_free (what->counter);
  what->counter = g_strdup ("portions");
  what->stays = TRUE;
  add_what (portion, "kept", FALSE);
  add_what (portion, "gone", FALSE);
  portion->page = copy->page;
  for (guint i = 0; i < written->files->len; i++)
    if (is_of_portion (written->files->pdata[i])
        && !add_portion_file (portion, what, written->files->pdata[i], error))
      return FALSE;
  copy->large = portion->large;
  set_form (portion, copy->forms, FORM_PORTION);
  return TRUE;
}

/* JOB once more, as FORM. */
static Job *
as_form (const Job *job, JobForm form)
{
  Job *other = g_memdup2 (job, sizeof *job);
  set_form (other, job->forms, form);
  return other;
}

/* COPY as FORM, with the page of TEXT. Its pages are not divided, and what makes rows due cannot be
 * asked of all at once. */
static gboolean
add_form (Job *copy, JobForm form, const char *path, char *text, GError **error)
{
  const WrittenFile page = { .path = (char *)path, .text = text };
  Job *other = as_form (copy, form);
  if (!add_page (other, &page, error))
    return FALSE;
  other->page_split = other->values = NULL;
  const Job *portion = job_form_portion (copy);
  if (portion != NULL)
    (void)as_form (portion, form - FORM_WHERE + FORM_PORTION);
  return TRUE;
}

static gboolean
add_by_rows (Job *copy, const Written *written, GError **error)
{
  return written->all_rows == NULL
         || (add_form (copy, FORM_KNOWN, "known_rows", written->known_rows, error)
             && add_form (copy, FORM_ALL, "all_rows", written->all_rows, error));
}

Job *
sentence_copy (const Job *job, const Written *written, GError **error)
{
  Job *copy = copy_of (job, written, written->tables->pdata[0]);
  set_form (copy, g_new0 (const Job *, JOB_FORMS), FORM_WHERE);
  copy->forms[FORM_SAID] = job;
  JobWhat *what = add_what (copy, written->word, TRUE);
  add_what (copy, "kept", FALSE);
  add_what (copy, "gone", FALSE);
  if (job->kind->waits) /* it comes again before its run ends: no outcome */
    g_clear_pointer (&add_what (copy, "waits", FALSE)->outcome, g_free);
  for (guint i = 0; i < written->files->len; i++)
    if (!is_of_portion (written->files->pdata[i])
        && !add_file (copy, what, written->files->pdata[i], error))
      return NULL; /* what there is of it stays: a sentence that is refused is not written often */
  copy->portions = written->portions;
  copy->takes_own = written->takes_own;
  copy->due = g_strdup (written->due);
  copy->reading = g_strdup (written->reading);
  copy->left = g_strdup (written->left);
  copy->reading_objects = g_strdup (written->reading_objects);
  if (job->sentence->portion > 0 && written->portions && !add_portion (copy, written, error))
    return NULL;
  const WrittenFile below = { .path = (char *)"below", .text = written->below };
  if (below.text != NULL && (copy->below = statement_reading (copy, &below, error)) == NULL)
    return NULL;
  return add_by_rows (copy, written, error) ? copy : NULL;
}
