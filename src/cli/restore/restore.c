#include "cli/restore/restore.h"

#include "base/plural.h"
#include "cli/commands.h"
#include "engine/outbox/remember.h"

static gboolean with_children, dry_run, partial;
static char *only, *why;

const GOptionEntry restore_options[]
    = { { "with-children", 0, 0, G_OPTION_ARG_NONE, &with_children,
          "also restore what its child runs removed", NULL },
        { "dry-run", 0, 0, G_OPTION_ARG_NONE, &dry_run,
          "try it in one transaction, and roll that back", NULL },
        { "partial", 0, 0, G_OPTION_ARG_NONE, &partial, "also if not everything can be restored",
          NULL },
        { "only", 0, 0, G_OPTION_ARG_STRING, &only, "just this row, as `pruned who` names it",
          "TABLE:KEY" },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &why, "why; the journal keeps it", "TEXT" },
        { NULL } };

const char restore_more[]
    = "RUN is the id of a run, or a beginning of it that no other run has.\n"
      "A row that exists again is left as it is. A change is undone only if the row has not changed since. Restored rows are held, "
      "so that no run removes them again (`pruned holds`): `pruned release` ends that. The job's next run needs an approval. Needs INSERT "
      "on the tables (pruned grants). Exit code 6 if rows cannot be restored. Refused if a foreign key may have removed rows "
      "that were not recorded. With --partial it restores what it can in both cases. It can be repeated.";

static const Column COLUMNS[] = { { "table" }, { "key" }, { "action" }, { "reason" }, { NULL } };

static void
line_free (gpointer data)
{
  Line *line = data;
  g_free (line->table);
  g_free (line->key);
  g_free (line->reason);
  g_free (line);
}

void
restore_record_free (gpointer data)
{
  Record *record = data;
  g_free (record->table);
  g_free (record->part);
  g_free (record->place);
  g_free (record->xid);
  g_free (record->blocked);
  g_free (record->notes);
  g_array_unref (record->open);
  g_free (record);
}

static void
step_free (gpointer data)
{
  RestoreStep *step = data;
  g_free (step->run_id);
  g_free (step->step);
  g_free (step->path);
  g_free (step->why);
  g_free (step->archived);
  g_clear_pointer (&step->records, g_ptr_array_unref);
  g_free (step);
}

static void
restore_clear (Restore *restore)
{
  GPtrArray *arrays[] = { restore->runs,  restore->jobs,  restore->names, restore->versions,
                          restore->above, restore->steps, restore->own,   restore->lines };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_ptr_array_unref (arrays[i]);
  g_hash_table_unref (restore->named);
  item_clear (&restore->only);
  g_free (restore->run_id);
  g_free (restore->hold_id);
  g_clear_pointer (&restore->found, rows_free);
  g_clear_pointer (&restore->pg, pg_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Restore, restore_clear)

/* --- output ----------------------------------------------------------------------------------- */

Line *
restore_add_line (Restore *restore, const char *table, const char *key, const char *action,
                  char *reason)
{
  Line *line = g_new0 (Line, 1);
  *line = (Line){ g_strdup (table), g_strdup (key), reason, action, FALSE, NULL };
  g_ptr_array_add (restore->lines, line);
  return line;
}

static void
count (Restore *restore, const char *action)
{
  if (g_str_equal (action, "restored"))
    restore->restored++;
  else if (g_str_equal (action, "exists again"))
    restore->there++;
  else if (g_str_equal (action, "cannot be"))
    restore->lost++;
  else
    restore->left_out++;
}

void
restore_say_lines (Restore *restore)
{
  for (guint i = 0; i < restore->lines->len; i++) {
    const Line *line = restore->lines->pdata[i];
    count (restore, line->action);
    restore->incomplete += line->incomplete;
    output_row (restore->cli->out, json_string (line->table), json_string (line->key),
                json_string (line->action),
                line->reason != NULL ? json_string (line->reason) : NULL);
  }
  g_ptr_array_set_size (restore->lines, 0);
}

static void
say_end (Restore *restore)
{
  Output *out = restore->cli->out;
  output_end (out);
  g_autofree char *incomplete
      = restore->incomplete > 0 ? g_strdup_printf (" (%u of them incomplete)", restore->incomplete)
                                : g_strdup ("");
  output_say (out, "%s%u restored%s, %u exist again, %u cannot be, %u left out%s",
              restore->restored > 0 ? "\n" : "", restore->restored, incomplete, restore->there,
              restore->lost, restore->left_out, dry_run ? "; nothing was changed (--dry-run)" : "");
  if (restore->damaged > 0)
    output_say (out, "%u %s of the archive %s damaged or missing; the warnings name them.",
                restore->damaged, plural (restore->damaged, "file", "files"),
                plural (restore->damaged, "is", "are"));
  if (restore->children > 0)
    output_say (out, "It started %u %s: use --with-children to restore what %s removed.",
                restore->children, plural (restore->children, "run", "runs"),
                plural (restore->children, "it", "they"));
  if (restore->restored > 0 && !dry_run)
    output_say (out, "They are held from every job: pruned holds");
}

/* --- all steps -------------------------------------------------------------------------------- */

static guint
all_open_rows (const Restore *restore)
{
  guint n = 0;
  for (guint i = 0; i < restore->steps->len; i++)
    n += restore_open_rows (restore->steps->pdata[i]);
  return n;
}

static gboolean
pass (Restore *restore, GError **error)
{
  for (guint i = 0; i < restore->steps->len; i++) {
    RestoreStep *step = restore->steps->pdata[i];
    if ((step->records == NULL || restore_open_rows (step) > 0)
        && !restore_step (restore, step, error))
      return FALSE;
  }
  return TRUE;
}

/* Rows that wait for each other: those of a step together, with their foreign keys deferred. */
static gboolean
circles (Restore *restore, GError **error)
{
  for (guint i = 0; i < restore->steps->len; i++) {
    RestoreStep *step = restore->steps->pdata[i];
    if (restore_open_rows (step) > 0 && !restore_circle (restore, step, error))
      return FALSE;
  }
  return TRUE;
}

/* Rows that wait for others get another pass as long as the pass before restored some of them. */
static gboolean
all_passes (Restore *restore, GError **error)
{
  guint before = G_MAXUINT, now;
  if (!pass (restore, error))
    return FALSE;
  while ((now = all_open_rows (restore)) > 0) {
    if (now == before && !circles (restore, error))
      return FALSE;
    restore->last = all_open_rows (restore) == before;
    before = now;
    if (!pass (restore, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_back_held (Restore *restore, GError **error)
{
  const gboolean ok = restore_hold_ahead (restore, error) && restore_prepare (restore, error)
                      && all_passes (restore, error);
  if (!ok)
    pg_rollback (restore->pg);
  return restore_hold_over (restore, ok ? error : NULL) && ok;
}

/* A dry run has one transaction, which is not open while files are read. */
static gboolean
read_files (Restore *restore, GError **error)
{
  for (guint i = 0; i < restore->steps->len; i++)
    if (!restore_read_file (restore, restore->steps->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
put_back (Restore *restore, GError **error)
{
  if (!dry_run)
    return restore->steps->len == 0 || put_back_held (restore, error);
  if (!read_files (restore, error))
    return FALSE;
  gboolean ok = restore_begin (restore, error) && restore_prepare (restore, error)
                && all_passes (restore, error);
  pg_rollback (restore->pg);
  restore_say_lines (restore);
  return ok;
}

ExitCode
command_restore (Cli *cli, GError **error)
{
  g_auto (Restore) restore = { .cli = cli,
                               .dry_run = dry_run,
                               .partial = partial,
                               .run_id = g_strdup (cli->arguments[0]),
                               .only_text = only,
                               .reason = why,
                               .runs = g_ptr_array_new_with_free_func (g_free),
                               .jobs = g_ptr_array_new (),
                               .names = g_ptr_array_new_with_free_func (g_free),
                               .versions = g_ptr_array_new_with_free_func (g_free),
                               .above = g_ptr_array_new (),
                               .steps = g_ptr_array_new_with_free_func (step_free),
                               .named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                               (GDestroyNotify)rows_free),
                               .own = g_ptr_array_new_with_free_func (g_free),
                               .lines = g_ptr_array_new_with_free_func (line_free) };
  if (only != NULL && !item_parse (only, &restore.only, error))
    return CODE_USAGE;
  if (!remember_begin (cli->config, error))
    return CODE_CONFIG;
  restore.pg = cli_pg (cli, error);
  if (restore.pg == NULL)
    return CODE_POSTGRES;
  const ItemEnd end
      = only != NULL ? item_check (&restore.only, cli->jobs, restore.pg, TRUE, error) : ITEM_READ;
  ExitCode code = cli_row_end (end, restore.pg, error);
  if (code == CODE_OK)
    code = restore_look (&restore, with_children, error);
  if (code != CODE_OK)
    return code;
  output_table (cli->out, COLUMNS);
  gboolean ok = put_back (&restore, error);
  say_end (&restore);
  if (!ok) {
    g_prefix_error (error, "%s: ",
                    dry_run ? "rows listed above would be restored"
                            : "rows listed above are restored; run again for the rest");
    return cli_pg_failed (restore.pg, error);
  }
  if (only != NULL && restore.restored + restore.there + restore.lost + restore.left_out == 0)
    return cli_fail (CODE_NOT_FOUND, error, "run %s has removed or changed no %s", restore.run_id,
                     only);
  return restore.lost > 0 && !partial ? CODE_NOT_FOUND : CODE_OK;
}
