/* What a try has done: counted, judged, and compared by keys.
 *
 * Keys: whether the rows that a user's file returns are of the keys that it returns with them: a
 * file that decides by one row and deletes another one returns the key of the first.
 *
 * Invariant: a try in which a returned row has another key than the one that was returned with it,
 * or none, does not stand; nor one in which a returned row is there as others have left it, because
 * then the file has deleted or changed another one. PostgreSQL compares the texts of both while the
 * file runs (job_files_audit.c); what differs there can be two texts of one value, and is compared
 * here by the types of the key's columns.
 *
 * Rows: whether what a file of apply has changed fits what it returned and what it is named. What
 * does not fit becomes a doubt of the try: a trigger of the application can be the reason
 * (effects_doubt.sql). The first one is kept, unless a later one is sure, or the first one is about
 * rows beside.
 *
 * Length: all of it shares Effects, and is only understood beside each other.
 */
#include "engine/step/effects.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/plural.h"

#include <string.h>

#define SQL "src/engine/step/sql/"

/* --- keys --- */

/* Of one file: the keys whose rows have another text, and the columns of these rows' own keys; and
 * the own keys of all rows. Array literals, not closed yet; NULL: empty. */
typedef struct {
  const JobApply *apply;
  GString *keys, *rows, *own;
} EffectsKeys;

static void
free_text (GString *text)
{
  if (text != NULL)
    g_string_free (text, TRUE);
}

static void
effects_keys_clear (gpointer keys)
{
  EffectsKeys *one = keys;
  free_text (one->keys);
  free_text (one->rows);
  free_text (one->own);
}

static void
note (GString **texts, const char *text)
{
  *texts = *texts != NULL ? *texts : array_new ();
  array_add (*texts, text);
}

static void
effects_keys_note (GArray *all, const JobApply *apply, const PgRows *returned)
{
  const int key = rows_column (returned, "key"), other = rows_column (returned, "other"),
            own = rows_column (returned, "own");
  EffectsKeys one = { .apply = apply };
  for (int i = 0; other >= 0 && i < rows_count (returned); i++) {
    note (&one.own, rows_at (returned, i, own));
    if (!rows_bool (returned, i, "other"))
      continue;
    note (&one.keys, rows_at (returned, i, key));
    note (&one.rows, rows_at (returned, i, own));
  }
  if (one.own != NULL)
    g_array_append_val (all, one);
}

/* ROW, the columns of its own key: `id is 21`. */
static char *
shown (const json_t *row)
{
  GString *text = g_string_new (NULL);
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)row, name, value) {
    g_autofree char *one
        = json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
    g_string_append_printf (text, "%s%s is %s", text->len > 0 ? ", " : "", name, one);
  }
  return g_string_free (text, FALSE);
}

/* A column of its key that ROW does not have; NULL: it has all. */
static const char *
missing_of (const json_t *row)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)row, name, value)
    if (json_is_null (value))
      return name;
  return NULL;
}

static gboolean
block (Step *step, const JobApply *apply, const char *key, const char *row, GError **error)
{
  g_autoptr (json_t) own = json_parse_exact (row, strlen (row), NULL);
  const char *missing = missing_of (own);
  if (json_object_size (own) == 0)
    return guard_block (step, apply->statement, error,
                        "returns the key %s with a row in which it is not: %s has no primary key, "
                        "so a key has to be columns of its row",
                        key, apply->table);
  if (missing != NULL)
    return guard_block (step, apply->statement, error,
                        "returns the key %s with a row that does not say whose it is: %s, of the "
                        "primary key of %s, is not in it; return pg_catalog.to_jsonb(t.*) AS row",
                        key, missing, apply->table);
  g_autofree char *other = shown (own);
  return guard_block (step, apply->statement, error,
                      "returns the key %s with another row of %s, whose %s", key, apply->table,
                      other);
}

/* The array literal TEXTS, which is not closed yet. */
static char *
closed (const GString *texts)
{
  return g_strconcat (texts->str, "}", NULL);
}

/* The statement that compares keys and rows of the table of APPLY by their types. */
static const PgStatement *
compares (Step *step, const JobApply *apply, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", apply->table);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "effects_key.sql", values, error);
  const char *text = rows != NULL ? rows_text (rows, 0, "text") : NULL;
  return text != NULL ? pg_statement_anew (text, text, error) : NULL;
}

/* Takes CAUSE. What cannot be compared is no key either. */
static gboolean
refuse (Step *step, const JobApply *apply, GError *cause, GError **error)
{
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  gboolean blocked = guard_block (step, apply->statement, error, "returns what is no key of %s: %s",
                                  apply->table, cause->message);
  g_error_free (cause);
  return blocked;
}

/* Of one file: the keys are those of their rows. */
static gboolean
fit (Step *step, const EffectsKeys *one, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement = compares (step, one->apply, &cause);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", closed (one->keys));
  pg_values_take (values, "row", closed (one->rows));
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (step->pg, statement, values, &cause) : NULL;
  if (rows == NULL)
    return refuse (step, one->apply, cause, error);
  if (rows_count (rows) == 0)
    return TRUE;
  const char *key = rows_text (rows, 0, "key");
  return block (step, one->apply, key != NULL ? key : "NULL", rows_text (rows, 0, "row"), error);
}

/* The statement that finds rows of the table of APPLY that are there as they were; it is asked for
 * once a minute. */
static gboolean
find_left (Step *step, const JobApply *apply, const PgStatement **statement, GError **error)
{
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", apply->table);
  const PgRows *rows
      = pg_run_kept (step->pg, pg_statement (SQL "effects_left.sql"), values, minute, error);
  const char *text = rows != NULL && rows_count (rows) > 0 ? rows_text (rows, 0, "text") : NULL;
  *statement = text != NULL ? pg_statement_anew (text, text, error) : NULL;
  return rows != NULL && (text == NULL || *statement != NULL);
}

/* OWN, the key of a row that APPLY has returned: it is there as it was, or lacks a column. */
static gboolean
block_left (Step *step, const JobApply *apply, const char *own, GError **error)
{
  g_autoptr (json_t) key = json_parse_exact (own, strlen (own), NULL);
  if (missing_of (key) != NULL)
    return block (step, apply, own, own, error);
  g_autofree char *left = shown (key);
  return guard_block (step, apply->statement, error,
                      "returns the row of %s whose %s, and leaves it as it was: it %s others than "
                      "it returns",
                      apply->table, left, apply->kind == APPLY_DELETE ? "deletes" : "changes");
}

/* No row that one file has returned is there as it was. */
static gboolean
are_changed (Step *step, const EffectsKeys *one, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement;
  if (!find_left (step, one->apply, &statement, error))
    return FALSE;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "own", closed (one->own));
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, &cause);
  if (rows == NULL)
    return refuse (step, one->apply, cause, error);
  if (rows_count (rows) > 0 && step->many)
    return step_fail (step, error, PRUNED_BUSY, "a row stays; each run is tried alone");
  return rows_count (rows) == 0 || block_left (step, one->apply, rows_text (rows, 0, "own"), error);
}

static gboolean
effects_keys_fit (Step *step, const GArray *all, GError **error)
{
  for (guint i = 0; i < all->len; i++) {
    const EffectsKeys *one = &g_array_index (all, EffectsKeys, i);
    if (one->keys != NULL && step->many)
      return step_fail (step, error, PRUNED_BUSY,
                        "a key differs from that of its row; each run is tried alone");
    if ((one->keys != NULL && !fit (step, one, error)) || !are_changed (step, one, error))
      return FALSE;
  }
  return TRUE;
}

/* --- rows --- */

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

static void
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

static void
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

static void
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

static void
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

static gboolean
is_counted (const JobApply *apply)
{
  return apply->kind != APPLY_INSERT || apply->watched;
}

void
effects_init (Effects *effects, const Job *job)
{
  *effects = (Effects){ .tables = g_ptr_array_new (),
                        .counts = g_array_new (FALSE, TRUE, sizeof (BesideCount)),
                        .keys = g_array_new (FALSE, FALSE, sizeof (EffectsKeys)) };
  beside_init (&effects->beside);
  g_array_set_clear_func (effects->keys, effects_keys_clear);
  for (guint i = 0; GUARDS && i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (is_counted (file)
          && !g_ptr_array_find_with_equal_func (effects->tables, file->table, g_str_equal, NULL))
        g_ptr_array_add (effects->tables, file->table);
    }
  }
}

void
effects_clear (Effects *effects)
{
  g_clear_pointer (&effects->tables, g_ptr_array_unref);
  g_clear_pointer (&effects->counts, g_array_unref);
  g_clear_pointer (&effects->keys, g_array_unref);
  g_clear_pointer (&effects->doubt, g_free);
  beside_clear (&effects->beside);
}

/* --- counting --- */

static gboolean
queue_counts (Step *step, const Effects *effects, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tab", array_of_texts (effects->tables));
  return pg_queue (step->pg, pg_statement (SQL "effects_counts.sql"), values, error);
}

static PgRows *
take_counts (Step *step, const Effects *effects, GError **error)
{
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  g_assert (rows == NULL || rows_count (rows) == (int)effects->tables->len);
  return g_steal_pointer (&rows);
}

static BesideCount
count_at (const PgRows *rows, guint table)
{
  const int row = (int)table;
  return (BesideCount){ rows_int (rows, row, "deleted"), rows_int (rows, row, "updated"),
                        rows_int (rows, row, "inserted") };
}

/* How much the counts of TABLE have grown; those of ROWS are the new ones. */
static BesideCount
grown_at (const Effects *effects, const PgRows *rows, guint table)
{
  BesideCount now = count_at (rows, table),
              was = g_array_index (effects->counts, BesideCount, table);
  return (BesideCount){ now.deleted - was.deleted, now.updated - was.updated,
                        now.inserted - was.inserted };
}

/* The counts become ROWS. */
static void
count_on (Effects *effects, const PgRows *rows)
{
  g_array_set_size (effects->counts, effects->tables->len);
  for (guint i = 0; i < effects->tables->len; i++)
    g_array_index (effects->counts, BesideCount, i) = count_at (rows, i);
}

static guint
table_at (const Effects *effects, const char *table)
{
  guint at = G_MAXUINT;
  if (table != NULL)
    g_ptr_array_find_with_equal_func (effects->tables, table, g_str_equal, &at);
  return at;
}

gboolean
effects_queue_first (Step *step, Effects *effects, GError **error)
{
  return effects->tables->len == 0 || effects->counts->len > 0
         || (beside_look (step, &effects->beside, effects->tables, error)
             && queue_counts (step, effects, error)
             && (effects->beside.before != NULL || beside_queue (step, &effects->beside, error)));
}

gboolean
effects_take_first (Step *step, Effects *effects, GError **error)
{
  if (effects->tables->len == 0 || effects->counts->len > 0)
    return TRUE;
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows != NULL)
    count_on (effects, rows);
  return rows != NULL
         && (effects->beside.before != NULL || beside_take (step, &effects->beside, error));
}

gboolean
effects_queue (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  return effects->tables->len == 0 || !is_counted (apply) || queue_counts (step, effects, error);
}

/* --- judging --- */

/* Those of GROWN that an update of APPLY has only moved to another partition. */
static gint64
moved_by (const JobApply *apply, BesideCount grown, gboolean parted)
{
  return apply->kind == APPLY_UPDATE && parted ? MIN (grown.deleted, grown.inserted) : 0;
}

/* What has become of the job's own table: by APPLY, or (NULL) at the end. */
static void
judge_own (const Step *step, Effects *effects, const JobApply *apply, const PgRows *rows,
           gint64 moved)
{
  guint own = table_at (effects, step->job->table);
  if (own == G_MAXUINT)
    return;
  BesideCount grown = grown_at (effects, rows, own);
  effects_judge_own (step, effects, grown);
  if (apply != NULL)
    effects_judge_beside (step, effects, apply, grown,
                          g_str_equal (apply->table, step->job->table) ? moved : 0);
}

gboolean
effects_take (Step *step, Effects *effects, const JobApply *apply, const PgRows *returned,
              gboolean own, GError **error)
{
  effects->last = apply;
  if (effects->tables->len == 0 || !is_counted (apply))
    return TRUE;
  effects_keys_note (effects->keys, apply, returned);
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows == NULL)
    return FALSE;
  gint64 n = rows_count (returned);
  guint table = table_at (effects, apply->table);
  beside_told (&effects->beside, apply->table, apply->kind, n);
  BesideCount grown = grown_at (effects, rows, table);
  gint64 moved = moved_by (apply, grown, rows_bool (rows, (int)table, "parted"));
  if (g_strcmp0 (apply->table, step->job->table) == 0)
    effects->returned += apply->kind == APPLY_DELETE ? n : MIN (n, moved);
  effects->stirred |= own && apply->kind == APPLY_DELETE && grown.updated > 0;
  if (apply->kind != APPLY_DELETE)
    effects_judge_name (effects, apply, n, grown, grown.deleted - moved);
  if (apply->kind != APPLY_INSERT)
    effects_judge_rows (effects, apply, n,
                        apply->kind == APPLY_DELETE ? grown.deleted : grown.updated + moved, own);
  judge_own (step, effects, apply, rows, moved);
  count_on (effects, rows);
  return TRUE;
}

/* Asks about the table of APPLY; if rows too many went, also about the job's own. */
static PgRows *
ask (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  g_ptr_array_add (tables, apply->table);
  if (effects->why.too_many && step->job->table != NULL)
    g_ptr_array_add (tables, step->job->table);
  pg_values_take (values, "tab", array_of_texts (tables));
  g_autofree char *events = g_strdup_printf ("%d", effects->why.events);
  pg_values_set (values, "events", events);
  pg_values_set (values, "beside", effects->why.beside ? "t" : "f");
  return pg_run_file (step->pg, SQL "effects_doubt.sql", values, error);
}

gboolean
effects_settle (Step *step, Effects *effects, GError **error)
{
  const JobApply *apply = effects->doubted;
  if (apply == NULL)
    return TRUE;
  if (step->many)
    return step_fail (step, error, PRUNED_BUSY,
                      "more rows changed than were returned; each run is tried alone");
  g_autoptr (PgRows) rows = ask (step, effects, apply, error);
  if (rows == NULL)
    return FALSE;
  effects->doubted = NULL;
  g_autofree char *text = g_steal_pointer (&effects->doubt);
  if (!rows_bool (rows, 0, "there"))
    return guard_block (step, apply->statement, error, "returns rows, and there is no table %s",
                        apply->table);
  if (!effects->why.too_many)
    return !rows_bool (rows, 0, "counted")
           || guard_block (step, apply->statement, error, "%s: its rows are of another table",
                           text);
  if (effects->why.sure || !rows_bool (rows, 0, "touches"))
    return guard_block (step, apply->statement, error, "%s", text);
  effects->returned = MAX (effects->returned, effects->deleted);
  if (!effects->why.lost)
    return TRUE;
  g_autofree char *line = g_strdup_printf ("%s: %s", pg_statement_name (apply->statement), text);
  step_log (step, LOG_WARNING, "A trigger may have deleted rows that are not in the audit",
            json_pack ("{s:s, s:s}", "table", apply->table, "error", line));
  return TRUE;
}

gboolean
effects_are_all (const PgRows *returned, const PgRows *decided, const GArray *which)
{
  int column = rows_column (returned, "key"), key = rows_column (decided, "key");
  gboolean same = rows_count (returned) == (int)which->len;
  for (guint i = 0; same && i < which->len; i++)
    same = g_str_equal (rows_at (returned, (int)i, column),
                        rows_at (decided, g_array_index (which, int, i), key));
  return same;
}

gboolean
effects_are_decided (Step *step, const JobApply *apply, const PgRows *returned,
                     const PgRows *decided, const GArray *which, GError **error)
{
  const PgStatement *statement = apply->statement;
  if (!GUARDS || effects_are_all (returned, decided, which))
    return TRUE;
  if (apply->kind != APPLY_INSERT && rows_count (returned) > (int)which->len)
    return guard_block (step, statement, error, "returns %d rows of %s for %u %s",
                        rows_count (returned), apply->table, which->len,
                        plural (which->len, "key", "keys"));
  g_autoptr (GHashTable) open = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < which->len; i++)
    g_hash_table_add (open, (gpointer)rows_text (decided, g_array_index (which, int, i), "key"));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  int column = rows_column (returned, "key");
  for (int i = 0; i < rows_count (returned); i++) {
    const char *key = rows_at (returned, i, column);
    if (!g_hash_table_contains (open, key))
      return guard_block (step, statement, error, "returns the key %s, which was not decided", key);
    if (!g_hash_table_add (seen, (gpointer)key) && apply->kind != APPLY_INSERT)
      return guard_block (step, statement, error, "returns the key %s twice", key);
  }
  return TRUE;
}

/* Behind the pipeline: how many rows such a table had, nobody knows. */
static gboolean
is_emptied (Step *step, const Effects *effects, GError **error)
{
  if (effects->beside.emptied == NULL)
    return TRUE;
  if (step->many)
    return step_fail (step, error, PRUNED_BUSY, "a table was emptied; each run is tried alone");
  return guard_block (step, effects->last->statement, error,
                      "or a trigger behind it empties %s by TRUNCATE: how many rows went is not "
                      "known, and they are in no audit; let it DELETE",
                      effects->beside.emptied);
}

gboolean
effects_end (Step *step, Effects *effects, GError **error)
{
  const PgStatement *deferred = pg_statement (SQL "effects_deferred.sql");
  gboolean counted = effects->counts->len > 0;
  if (!effects_keys_fit (step, effects->keys, error) || !pg_queue (step->pg, deferred, NULL, error)
      || (counted
          && (!queue_counts (step, effects, error)
              || !beside_queue (step, &effects->beside, error)))
      || !pg_flush (step->pg, error))
    return FALSE;
  g_autoptr (PgRows) ran = pg_next (step->pg, error);
  g_autoptr (PgRows) rows = ran != NULL && counted ? take_counts (step, effects, error) : NULL;
  if (ran == NULL || (counted && (rows == NULL || !beside_take (step, &effects->beside, error)))
      || !pg_finish (step->pg, error))
    return FALSE;
  if (counted)
    judge_own (step, effects, NULL, rows, 0);
  return is_emptied (step, effects, error) && effects_settle (step, effects, error);
}
