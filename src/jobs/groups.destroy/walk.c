/* Three stages, each a walk over the hierarchy: `refresh` marks everybody who has access,
 * `projects` removes projects group by group, `groups` removes groups from the leaves up and
 * finally the group itself. The cursor carries a chunk of their ids (chunk.h). Removed groups are
 * not found again; only `refresh`, which removes nothing, needs a position to continue from. */
#include "jobs/groups.destroy/walk.h"

#include "jobs/groups.destroy/chunk.h"
#include "jobs/groups.destroy/drain.h"

#define PORTION_MOST 100
#define REFRESH_PROJECTS 1000

static const char *
stage_of (const Walk *walk)
{
  return json_string_value (json_object_get (walk->cursor, "stage"));
}

static void
enter (Walk *walk, const char *stage)
{
  static const char *const lasting[] = { "actor_goes", "actor_of_group", "spent" };
  g_autoptr (json_t) before = json_copy (walk->cursor);
  json_object_clear (walk->cursor);
  for (guint i = 0; i < G_N_ELEMENTS (lasting); i++)
    if (json_is_true (json_object_get (before, lasting[i])))
      json_object_set_new (walk->cursor, lasting[i], json_true ());
  json_object_set_new (walk->cursor, "stage", json_string (stage));
}

/* --- refresh: everybody is marked before anything is removed --- */

/* The rows that a step reads are limited, too: a group or a project can have many members. */
static gboolean
refresh_stage (Walk *walk, GError **error)
{
  gint64 most = step_limit (walk->step, REFRESH_PROJECTS);
  if (chunk_size (walk) == 0) {
    if (!chunk_load (walk, "chunk/groups", MAX (1, most * CHUNK_MOST / REFRESH_PROJECTS), error))
      return FALSE;
    if (chunk_size (walk) == 0) {
      enter (walk, "projects");
      return TRUE;
    }
    step_tries (walk->step, (gint64)chunk_size (walk) * REFRESH_PROJECTS / CHUNK_MOST);
    g_autofree char *fresh = chunk_array (walk, G_MAXSIZE);
    g_autoptr (PgRows) marked = step_query (walk->step, error, "refresh/groups", "group", fresh,
                                            "top", walk->group, NULL);
    if (marked == NULL)
      return FALSE;
  }
  g_autofree char *groups = chunk_array (walk, G_MAXSIZE), *after = chunk_after (walk, "project");
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, most);
  g_autoptr (PgRows) projects = step_query (walk->step, error, "refresh/projects", "group", groups,
                                            "after", after, "limit", limit, NULL);
  if (projects == NULL)
    return FALSE;
  if (rows_count (projects) == 0)
    chunk_drop (walk, G_MAXSIZE);
  else
    json_object_set_new (walk->cursor, "project",
                         json_integer (rows_int (projects, rows_count (projects) - 1, "id")));
  return TRUE;
}

/* --- portions --- */

static gint64
limit_of (const Walk *walk)
{
  return step_limit (walk->step, step_setting (walk->step, "batch"));
}

/* How many groups or projects make a portion. */
static gint64
portion_size (const Walk *walk)
{
  return MIN (PORTION_MOST, limit_of (walk));
}

static Portion
portion_of (const Walk *walk, const char *kind)
{
  return (Portion){ .kind = kind,
                    .projects = g_strdup ("{}"),
                    .namespaces = g_strdup ("{}"),
                    .groups = g_strdup ("{}"),
                    .top = walk->group,
                    .root = walk->root,
                    .actor = step_arg (walk->step, "user_id"),
                    .catalogue = walk->catalogue,
                    .spent = walk_rights (walk->cursor),
                    .limit = g_strdup_printf ("%" G_GINT64_FORMAT, limit_of (walk)),
                    .cut = step_is_cut (walk->step) };
}

static void
portion_clear (Portion *portion)
{
  g_free (portion->projects);
  g_free (portion->namespaces);
  g_free (portion->groups);
  g_free (portion->limit);
}

/* Removes the portion as far as this step's limit allows; *DONE: all of it. */
static gboolean
remove_portion (Walk *walk, Portion *portion, gboolean *done, GError **error)
{
  portion->in_vain = (int)json_integer_value (json_object_get (walk->cursor, "in_vain"));
  json_object_del (walk->cursor, "in_vain");
  if (!drain_portion (walk->step, portion, done, error))
    return FALSE;
  walk->unwanted = portion->unwanted;
  if (portion->actor_goes)
    json_object_set_new (
        walk->cursor, portion_is_groups (portion) ? "actor_of_group" : "actor_goes", json_true ());
  if (portion->moved)
    chunk_drop (walk, G_MAXSIZE); /* the rest of it is found again */
  else if (!*done && portion->removed == 0)
    json_object_set_new (walk->cursor, "in_vain", json_integer (portion->in_vain + 1));
  return !*done || portion_finish (walk->step, portion, error);
}

static char *
array_without_null (const PgRows *rows, const char *name)
{
  GString *array = array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    if (rows_text (rows, i, name) != NULL)
      array_add (array, rows_text (rows, i, name));
  return array_take (array);
}

/* Removes projects of GROUPS; *NONE: there is none. */
static gboolean
remove_projects (Walk *walk, const char *groups, gboolean *none, GError **error)
{
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, portion_size (walk));
  g_autoptr (PgRows) rows
      = step_query (walk->step, error, "chunk/projects", "group", groups, "limit", most, NULL);
  if (rows == NULL)
    return FALSE;
  *none = rows_count (rows) == 0;
  if (*none)
    return TRUE;
  Portion portion = portion_of (walk, "projects");
  g_free (portion.projects);
  g_free (portion.namespaces);
  portion.projects = rows_array (rows, "id");
  portion.namespaces = array_without_null (rows, "project_namespace_id");
  gboolean done, ok = remove_portion (walk, &portion, &done, error);
  portion_clear (&portion);
  return ok;
}

static gboolean
projects_stage (Walk *walk, GError **error)
{
  if (chunk_size (walk) == 0) {
    if (!chunk_load (walk, "chunk/groups", CHUNK_MOST, error))
      return FALSE;
    if (chunk_size (walk) == 0) {
      enter (walk, "groups");
      return TRUE;
    }
  }
  g_autofree char *groups = chunk_array (walk, G_MAXSIZE);
  gboolean none;
  if (!remove_projects (walk, groups, &none, error))
    return FALSE;
  if (none)
    chunk_drop (walk, G_MAXSIZE);
  return TRUE;
}

/* --- groups, from the leaves up --- */

/* Removes namespaces of projects that are gone. */
static gboolean
remove_strays (Walk *walk, const PgRows *children, GError **error)
{
  GString *strays = array_new ();
  for (int i = 0; i < rows_count (children); i++)
    if (g_strcmp0 (rows_text (children, i, "type"), "Project") == 0)
      array_add (strays, rows_text (children, i, "id"));
  Portion portion = portion_of (walk, "projects");
  g_free (portion.namespaces);
  portion.namespaces = array_take (strays);
  gboolean done, ok = remove_portion (walk, &portion, &done, error);
  portion_clear (&portion);
  return ok;
}

/* CHILD was found below a leaf: the leaves have changed. Once they were read again (TURNED), it is
 * none that the next step can remove. */
static gboolean
turn_to_leaves (Walk *walk, const char *type, const char *child, gboolean turned, GError **error)
{
  if (turned || g_strcmp0 (type, "Group") != 0)
    return portion_refuse_foreign (walk->step, child, error);
  json_object_set_new (walk->cursor, "turned", json_true ());
  chunk_drop (walk, G_MAXSIZE);
  return TRUE;
}

/* *CLEAR: nothing is below GROUPS. Rows that were inserted meanwhile are removed first. */
static gboolean
clear_below (Walk *walk, const char *groups, gboolean *clear, GError **error)
{
  gboolean no_projects, turned = json_is_true (json_object_get (walk->cursor, "turned"));
  json_object_del (walk->cursor, "turned");
  *clear = FALSE;
  if (!remove_projects (walk, groups, &no_projects, error))
    return FALSE;
  if (!no_projects)
    return TRUE;
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, portion_size (walk));
  g_autoptr (PgRows) children
      = step_query (walk->step, error, "chunk/children", "group", groups, "limit", most, NULL);
  if (children == NULL)
    return FALSE;
  *clear = rows_count (children) == 0;
  for (int i = 0; i < rows_count (children); i++)
    if (g_strcmp0 (rows_text (children, i, "type"), "Project") != 0)
      return turn_to_leaves (walk, rows_text (children, i, "type"), rows_text (children, i, "id"),
                             turned, error);
  return *clear || remove_strays (walk, children, error);
}

const char *
walk_rights (const json_t *cursor)
{
  return json_is_true (json_object_get (cursor, "spent")) ? "true" : "false";
}

/* The actor had the right when this step began. If they lack it at its end, it went with the rows
 * that this step removed. The deletion must not be called off half-way for that. */
static gboolean
note_rights (Walk *walk, GError **error)
{
  g_autoptr (PgRows) still = step_query (walk->step, error, "still", "group", walk->group, "spent",
                                         walk_rights (walk->cursor), NULL);
  if (still != NULL && rows_count (still) == 0)
    json_object_set_new (walk->cursor, "spent", json_true ());
  return still != NULL;
}

/* *LAST: the group itself is removed. */
static gboolean
groups_stage (Walk *walk, gboolean *last, GError **error)
{
  if (chunk_size (walk) == 0 && !chunk_load (walk, "chunk/leaves", CHUNK_MOST, error))
    return FALSE;
  gboolean itself = chunk_size (walk) == 0, clear, done;
  g_autofree char *groups = itself ? g_strdup_printf ("{%s}", walk->group)
                                   : chunk_array (walk, (size_t)portion_size (walk));
  if (!clear_below (walk, groups, &clear, error))
    return FALSE;
  if (!clear)
    return TRUE;
  Portion portion = portion_of (walk, "groups");
  g_free (portion.groups);
  portion.groups = g_steal_pointer (&groups);
  gboolean ok = remove_portion (walk, &portion, &done, error);
  portion_clear (&portion);
  if (ok && done)
    chunk_drop (walk, (size_t)portion_size (walk));
  *last = ok && done && itself;
  return ok && (*last || portion.removed == 0 || note_rights (walk, error));
}

gboolean
walk_end (Step *step, const json_t *cursor, GError **error)
{
  const char *actor = step_arg (step, "user_id");
  gboolean of_project = json_is_true (json_object_get (cursor, "actor_goes"));
  gboolean goes = of_project || json_is_true (json_object_get (cursor, "actor_of_group"));
  if (actor == NULL)
    return TRUE;
  if (goes)
    portion_destroy_bot (step, actor, of_project);
  g_autoptr (PgRows) woken = step_query (step, error, "wake", "user", actor, NULL);
  return woken != NULL;
}

gboolean
walk_step (Walk *walk, GError **error)
{
  gboolean last = FALSE, ok;
  static const char *const stages[] = { "refresh", "projects", "groups", NULL };
  const char *stage = stage_of (walk);
  if (stage == NULL || !g_strv_contains (stages, stage))
    return step_fail (walk->step, error, PRUNED_REJECT, "the run's cursor: there is no stage '%s'",
                      stage != NULL ? stage : "");
  if (g_str_equal (stage, "refresh"))
    ok = refresh_stage (walk, error);
  else if (g_str_equal (stage, "projects"))
    ok = projects_stage (walk, error);
  else
    ok = groups_stage (walk, &last, error);
  if (ok && last)
    return walk_end (walk->step, walk->cursor, error);
  if (ok && !walk->unwanted)
    step_continue (walk->step, json_incref (walk->cursor), 0);
  return ok;
}
