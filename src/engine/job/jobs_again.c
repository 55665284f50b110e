/* The jobs of the user, read again while the process runs. */
#include "engine/job/job_private.h"

#include <string.h>

static Job *
find_in (const GPtrArray *jobs, const char *name)
{
  for (guint i = 0; i < jobs->len; i++)
    if (g_str_equal (((const Job *)jobs->pdata[i])->name, name))
      return jobs->pdata[i];
  return NULL;
}

/* The job of the user, in force in NOW or removed. */
static Job *
find_own (const Jobs *now, const char *name)
{
  Job *job = find_in (now->jobs, name);
  if (job == NULL)
    job = find_in (now->others, name);
  return job != NULL && !job->built_in ? job : NULL;
}

static gboolean
same_event (const SentenceEvent *a, const SentenceEvent *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_str_equal (a->name, b->name) && g_str_equal (a->version, b->version);
}

static gboolean
same_events (const Job *job, const Job *old)
{
  gboolean same = job->events->len == old->events->len;
  for (guint i = 0; same && i < job->events->len; i++) {
    const JobEvent *a = job->events->pdata[i], *b = old->events->pdata[i];
    same = same_event (a->own, b->own) && same_event (a->cancel, b->cancel);
  }
  return same;
}

static gboolean
is_as_it_was (const Job *job, const Job *old)
{
  return g_strcmp0 (job->written, old->written) == 0 && same_events (job, old);
}

static gboolean
same_refused (const JobRefused *a, const JobRefused *b)
{
  return g_str_equal (a->name, b->name) && g_str_equal (a->place, b->place)
         && g_str_equal (a->reason, b->reason) && g_strcmp0 (a->topic, b->topic) == 0
         && (a->job == NULL ? b->job == NULL : b->job != NULL && same_events (a->job, b->job));
}

/* Those in force stay. One that was left out is in force from now on, unless ABSENT has it. */
static void
share_built_in (Jobs *fresh, const Jobs *now, GHashTable *absent)
{
  for (guint i = 0; i < now->jobs->len; i++)
    if (((const Job *)now->jobs->pdata[i])->built_in)
      g_ptr_array_add (fresh->jobs, job_ref (now->jobs->pdata[i]));
  for (guint i = 0; i < now->others->len; i++) {
    Job *job = now->others->pdata[i];
    gboolean back = absent != NULL && !g_hash_table_contains (absent, job->name);
    if (job->built_in)
      g_ptr_array_add (back ? fresh->jobs : fresh->others, job_ref (job));
  }
}

/* Takes those of WANTED (of Job) out of JOBS that CHECK refuses. */
static void
check_some (Jobs *jobs, const GPtrArray *wanted, JobsCheck check, gpointer data)
{
  g_autofree GError **errors = g_new0 (GError *, wanted->len + 1);
  check (wanted, errors, data);
  for (guint i = 0; i < wanted->len; i++) {
    Job *job = wanted->pdata[i];
    g_autoptr (GError) error = errors[i];
    if (error == NULL)
      continue;
    job_refuse (jobs, job->name, TRUE, error);
    job_refused_checked (jobs, job);
    g_ptr_array_remove (jobs->jobs, job);
  }
}

void
jobs_check (Jobs *jobs, JobsCheck check, gpointer data)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new ();
  for (guint i = 0; i < jobs->jobs->len; i++)
    if (!((const Job *)jobs->jobs->pdata[i])->built_in)
      g_ptr_array_add (own, jobs->jobs->pdata[i]);
  check_some (jobs, own, check, data);
  jobs_sort (jobs);
  jobs_note_loaded (jobs);
}

/* Puts in FRESH what is as it was, and takes out what CHECK refuses. */
static void
share_unchanged (Jobs *fresh, const Jobs *now, JobsCheck check, gpointer data)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  for (guint i = 0; i < fresh->jobs->len; i++) {
    Job *job = fresh->jobs->pdata[i], *old = find_own (now, job->name);
    if (job->built_in)
      continue;
    if (old != NULL && is_as_it_was (job, old)) {
      fresh->jobs->pdata[i] = job_ref (old);
      job_free (job);
    } else
      g_ptr_array_add (changed, job);
  }
  check_some (fresh, changed, check, data);
}

/* A job that is refused stays as it is in NOW. */
static void
keep_refused (Jobs *fresh, const Jobs *now)
{
  for (guint i = 0; i < fresh->refused->len; i++) {
    const JobRefused *refused = fresh->refused->pdata[i];
    Job *old = find_in (now->jobs, refused->name);
    if (refused->job != NULL && old != NULL && !old->built_in
        && find_in (fresh->jobs, old->name) == NULL)
      g_ptr_array_add (fresh->jobs, job_ref (old));
  }
}

/* Runs of a job that is removed wait, and its lanes are still there. */
static void
keep_removed (Jobs *fresh, const Jobs *now)
{
  const GPtrArray *const lists[] = { now->jobs, now->others };
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; i < lists[l]->len; i++) {
      Job *job = lists[l]->pdata[i];
      if (!job->built_in && find_in (fresh->jobs, job->name) == NULL)
        g_ptr_array_add (fresh->others, job_ref (job));
    }
}

/* A built-in job that was left out has no number yet. */
static void
number_new (Jobs *fresh, const Jobs *now)
{
  fresh->numbers = now->numbers;
  for (guint i = 0; i < fresh->jobs->len; i++) {
    Job *job = fresh->jobs->pdata[i];
    const Job *old = job->built_in ? find_in (now->jobs, job->name) : find_own (now, job->name);
    if (job == old)
      continue;
    job->number = old != NULL ? old->number : fresh->numbers++;
    if (old != NULL)
      atomic_store (&job->partitions, atomic_load (&old->partitions));
  }
}

Jobs *
jobs_load_again (const Jobs *now, const JobSources *sources, GHashTable *absent, JobsCheck check,
                 gpointer data, GError **error)
{
  g_autoptr (Jobs) fresh = jobs_new ();
  share_built_in (fresh, now, absent);
  if (!job_own_load (fresh, sources, error))
    return NULL;
  share_unchanged (fresh, now, check, data);
  keep_refused (fresh, now);
  keep_removed (fresh, now);
  number_new (fresh, now);
  jobs_sort (fresh);
  jobs_note_loaded (fresh);
  return g_steal_pointer (&fresh);
}

void
jobs_configure_new (Jobs *fresh, const Config *config)
{
  for (guint i = 0; i < fresh->jobs->len; i++) {
    Job *job = fresh->jobs->pdata[i];
    if (job->work_topic == NULL)
      job_configure (job, config);
  }
}

void
jobs_put_before (Jobs *fresh, Jobs *old)
{
  fresh->before = old;
}

void
jobs_compare (const Jobs *now, const Jobs *fresh, GPtrArray *added, GPtrArray *removed,
              GPtrArray *changed)
{
  for (guint i = 0; i < fresh->jobs->len; i++) {
    Job *job = fresh->jobs->pdata[i], *old = find_in (now->jobs, job->name);
    if (old != job)
      g_ptr_array_add (old == NULL ? added : changed, job->name);
  }
  for (guint i = 0; i < now->jobs->len; i++) {
    Job *job = now->jobs->pdata[i];
    if (find_in (fresh->jobs, job->name) == NULL)
      g_ptr_array_add (removed, job->name);
  }
}

gboolean
jobs_are_same (const Jobs *a, const Jobs *b)
{
  gboolean same = a->jobs->len == b->jobs->len && a->refused->len == b->refused->len;
  for (guint i = 0; same && i < a->jobs->len; i++)
    same = a->jobs->pdata[i] == b->jobs->pdata[i];
  for (guint i = 0; same && i < a->refused->len; i++)
    same = same_refused (a->refused->pdata[i], b->refused->pdata[i]);
  return same;
}

/* It was left out for what the database said, and nothing else has changed since. */
static gboolean
is_back (const Jobs *now, const Job *job)
{
  const JobRefused *refused = jobs_refused_find (now, job->name);
  return job->built_in
         || (refused != NULL && refused->job != NULL && refused->written != NULL
             && g_str_equal (refused->written, job->written) && same_events (job, refused->job));
}

gboolean
jobs_only_back (const Jobs *now, const Jobs *fresh)
{
  gboolean only = TRUE;
  for (guint i = 0; only && i < fresh->jobs->len; i++) {
    const Job *job = fresh->jobs->pdata[i], *old = find_in (now->jobs, job->name);
    only = job == old || (old == NULL && is_back (now, job));
  }
  for (guint i = 0; only && i < now->jobs->len; i++)
    only = find_in (fresh->jobs, ((const Job *)now->jobs->pdata[i])->name) != NULL;
  for (guint i = 0; only && i < fresh->refused->len; i++)
    only = jobs_refused_find (now, ((const JobRefused *)fresh->refused->pdata[i])->name) != NULL;
  return only;
}

const Job *
jobs_version (const Jobs *jobs, const char *name, const char *version)
{
  for (; jobs != NULL; jobs = jobs->before) {
    const Job *job = find_own (jobs, name);
    if (job != NULL && g_strcmp0 (job->version, version) == 0)
      return job;
  }
  return NULL;
}

Job *
jobs_removed_at (const Jobs *jobs, guint i)
{
  for (guint at = 0; at < jobs->others->len; at++) {
    Job *job = jobs->others->pdata[at];
    if (!job->built_in && i-- == 0)
      return job;
  }
  return NULL;
}
