#include "engine/step/halves.h"

#include "engine/step/bisect.h"

void
halves_clear (Halves *halves)
{
  g_clear_pointer (&halves->answers, g_ptr_array_unref);
  g_clear_pointer (&halves->failed, g_ptr_array_unref);
  g_clear_pointer (&halves->reasons, g_ptr_array_unref);
  g_clear_pointer (&halves->alike, g_hash_table_unref);
}

typedef struct {
  Step *step;
  const GPtrArray *keys;
  HalvesAsk ask;
  gconstpointer data;
  Halves *halves;
} Question;

/* A key is at fault, for STATE: not if most of them are. */
static gboolean
note_failed (const Question *question, const char *state, const char *reason, GError **error)
{
  Halves *halves = question->halves;
  const guint all = question->keys->len,
              n = GPOINTER_TO_UINT (g_hash_table_lookup (halves->alike, state)) + 1;
  g_hash_table_insert (halves->alike, g_strdup (state), GUINT_TO_POINTER (n));
  return !halves->stops || all < BISECT_SYSTEMIC_PAGE || n * 2 <= all
         || step_fail (question->step, error, PRUNED_DATA, BISECT_SYSTEMIC, n, all, reason);
}

/* FALSE without an error: one of PART is at fault, and *REASON says how. */
static gboolean
ask_part (const Question *question, const GPtrArray *part, char **reason, GError **error)
{
  Pg *pg = question->step->pg;
  GError *cause = NULL;
  if (!question->step->shared && !pg_exec_later (pg, "SAVEPOINT half", error))
    return FALSE;
  PgRows *rows = question->ask (question->step, part, question->data, &cause);
  if (rows != NULL) {
    g_ptr_array_add (question->halves->answers, rows);
    return question->step->shared || pg_exec_later (pg, "RELEASE half", error);
  }
  if (cause->code != PRUNED_DATA || question->step->shared) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_autofree char *state = g_strdup (pg_sqlstate (pg)), *why = g_strdup (cause->message);
  g_error_free (cause);
  if (pg_exec (pg, "ROLLBACK TO half", error) && pg_exec_later (pg, "RELEASE half", error)
      && (part->len > 1 || note_failed (question, state, why, error)))
    *reason = g_steal_pointer (&why);
  return FALSE;
}

static gboolean
ask_from (const Question *question, guint from, guint n, GError **error)
{
  GError *cause = NULL;
  g_autofree char *reason = NULL;
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  for (guint i = from; i < from + n; i++)
    g_ptr_array_add (part, question->keys->pdata[i]);
  if (ask_part (question, part, &reason, &cause))
    return TRUE;
  if (cause != NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  if (n > 1)
    return ask_from (question, from, n / 2, error)
           && ask_from (question, from + n / 2, n - n / 2, error);
  g_ptr_array_add (question->halves->failed, part->pdata[0]);
  g_ptr_array_add (question->halves->reasons, g_steal_pointer (&reason));
  return TRUE;
}

gboolean
halves_ask (Step *step, const GPtrArray *keys, HalvesAsk ask, gconstpointer data, Halves *halves,
            GError **error)
{
  const Question question = { step, keys, ask, data, halves };
  halves->answers = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  halves->failed = g_ptr_array_new ();
  halves->reasons = g_ptr_array_new_with_free_func (g_free);
  halves->alike = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return keys->len == 0 || ask_from (&question, 0, keys->len, error);
}
