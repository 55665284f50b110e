#include "engine/step/effects_judge.h"

#include "base/plural.h"

/* The events of effects_doubt.sql. */
enum { ON_INSERT = 4, ON_DELETE = 8, ON_UPDATE = 16 };

static int
events_of (const JobApply *apply)
{
  static const int events[]
      = { [APPLY_DELETE] = ON_DELETE, [APPLY_UPDATE] = ON_UPDATE, [APPLY_INSERT] = ON_INSERT };
  return events[apply->kind] | (apply->upserts ? ON_UPDATE : 0);
}

/* The counts do not fit, but there can be a reason (effects_doubt.sql). The first one is kept,
 * unless this one is sure, or the first one is only about rows beside. */
static void
doubt (Effects *effects, const JobApply *apply, Doubt why, char *text)
{
  g_autofree char *owned = text;
  if (effects->doubted != NULL && !why.sure && (why.beside || !effects->why.beside))
    return;
  g_free (effects->doubt);
  effects->doubted = apply;
  effects->why = why;
  effects->doubt = g_steal_pointer (&owned);
}

void
effects_judge_own (const Step *step, Effects *effects, BesideCount grown)
{
  effects->deleted += grown.deleted;
  const int behind = effects->last->kind == APPLY_INSERT ? ON_DELETE : 0; /* a file before it */
  if (effects->deleted > effects->returned)
    doubt (effects, effects->last,
           (Doubt){ .too_many = TRUE, .lost = TRUE, .events = events_of (effects->last) | behind },
           g_strdup_printf ("or a trigger behind it deletes %" G_GINT64_FORMAT
                            " %s of %s, and %" G_GINT64_FORMAT " %s returned",
                            effects->deleted, plural (effects->deleted, "row", "rows"),
                            step->job->table, effects->returned,
                            plural (effects->returned, "was", "were")));
}

void
effects_judge_rows (Effects *effects, const JobApply *apply, gint64 n, gint64 changed, gboolean own)
{
  if (changed < n || (own && changed > n))
    doubt (effects, apply,
           (Doubt){ .too_many = changed > n,
                    .lost = apply->kind == APPLY_DELETE,
                    .events = events_of (apply) },
           g_strdup_printf ("%s %" G_GINT64_FORMAT " %s of %s and returns %" G_GINT64_FORMAT,
                            apply->kind == APPLY_DELETE ? "deletes" : "updates", changed,
                            plural (changed, "row", "rows"), apply->table, n));
}

void
effects_judge_name (Effects *effects, const JobApply *apply, gint64 n, BesideCount grown,
                    gint64 gone)
{
  const gboolean inserts = apply->kind == APPLY_INSERT;
  const gint64 updated = inserts && !apply->upserts ? grown.updated : 0;
  if (gone <= 0 && updated == 0)
    return;
  const gint64 rows = gone > 0 ? gone : updated;
  const gint64 as_named = inserts ? grown.inserted + (apply->upserts ? grown.updated : 0)
                                  : grown.updated + grown.deleted - gone;
  doubt (
      effects, apply,
      (Doubt){
          .too_many = TRUE, .sure = as_named < n, .lost = gone > 0, .events = events_of (apply) },
      g_strdup_printf ("%s %" G_GINT64_FORMAT " %s of %s, and it is named %s",
                       gone > 0 ? "deletes" : "updates", rows, plural (rows, "row", "rows"),
                       apply->table, inserts ? ".insert" : ".update"));
}

void
effects_judge_beside (const Step *step, Effects *effects, const JobApply *apply, BesideCount grown,
                      gint64 moved)
{
  const Job *job = step->job;
  if (!job_is_own_folder (job))
    return;
  const gboolean own = g_str_equal (apply->table, job->table),
                 inserts = apply->kind == APPLY_INSERT;
  const gint64 updated = own && apply->kind != APPLY_DELETE ? 0 : grown.updated,
               inserted = own && inserts ? 0 : grown.inserted - moved,
               rows = updated > 0 ? updated : inserted;
  if (rows > 0)
    doubt (effects, apply,
           (Doubt){ .too_many = TRUE, .beside = TRUE, .events = ON_INSERT | ON_DELETE | ON_UPDATE },
           g_strdup_printf ("%s %" G_GINT64_FORMAT " %s of %s, and its name does not say so",
                            updated > 0 ? "updates" : "inserts", rows, plural (rows, "row", "rows"),
                            job->table));
}
