#include "engine/job/arguments.h"

#include "config/nearest.h"
#include "engine/job/argument_type.h"
#include "engine/job/in_force.h"

#include <string.h>

#define SHOWN 60  /* bytes of a value that a reason shows */
#define ROOM 1024 /* bytes that a parent can add to the arguments that it passes on */

/* A value as text for a reason, shortened. */
static char *
shown (const json_t *value)
{
  g_autofree char *text = json_text (value);
  if (strlen (text) <= SHOWN)
    return g_steal_pointer (&text);
  g_autofree char *start = g_strndup (text, SHOWN);
  g_autofree char *valid = g_utf8_make_valid (start, -1);
  return g_strconcat (valid, "...", NULL);
}

static const JobCursor *
find_column (const Job *job, const char *name)
{
  for (guint i = 0; i < job->cursor->len; i++)
    if (g_str_equal (g_array_index (job->cursor, JobCursor, i).name, name))
      return &g_array_index (job->cursor, JobCursor, i);
  return NULL;
}

static char *
columns_of (const Job *job)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    g_string_append_printf (out, "%s%s %s", i > 0 ? ", " : "", column->name, column->type);
  }
  return g_string_free (out, FALSE);
}

/* VALUE can take the place of the column in `:cursor.<column>`. PostgreSQL reads every type from a
 * text, too. Of a type that is not known PostgreSQL decides, and the run is dead if it refuses. */
static gboolean
is_of_column (const JobCursor *column, const json_t *value)
{
  if (json_is_null (value))
    return TRUE;
  if (json_is_string (value))
    return argument_type_reads (column->type, json_string_value (value));
  return argument_type_known (column->type) && argument_type_fits (column->type, value);
}

static void
make_cursor_whole (const Job *job, json_t *cursor)
{
  for (guint i = 0; i < job->cursor->len; i++)
    argument_type_make_whole (cursor, g_array_index (job->cursor, JobCursor, i).name,
                              g_array_index (job->cursor, JobCursor, i).type);
}

/* `cursor` holds columns of the job's cursor. If the job takes any argument (`*`), it can hold
 * others, too: the job's own SQL may read them. */
static char *
cursor_refusal (const Job *job, json_t *cursor)
{
  const char *name;
  json_t *value;
  g_autofree char *columns = columns_of (job), *given = shown (cursor);
  if (!json_is_plain_object (cursor))
    return g_strdup_printf ("argument cursor: %s is not an object with %s", given, columns);
  const gboolean declared = g_strv_contains ((const char *const *)job->arguments, "cursor");
  make_cursor_whole (job, cursor);
  json_object_foreach (cursor, name, value) {
    const JobCursor *column = find_column (job, name);
    if (column == NULL && !declared)
      continue;
    if (column == NULL)
      return g_strdup_printf ("argument cursor: the job's cursor has no column %.*s, but %s", SHOWN,
                              name, columns);
    if (is_of_column (column, value))
      continue;
    g_autofree char *wrong = shown (value);
    return g_strdup_printf ("argument cursor: %s is not of type %s, it is %s", name, column->type,
                            wrong);
  }
  return NULL;
}

static char *
value_refusal (const Job *job, json_t *args, guint index)
{
  const char *name = job->arguments[index], *type = job->argument_types[index];
  if (json_object_get (args, name) == NULL)
    return NULL;
  argument_type_make_whole (args, name, type);
  json_t *value = json_object_get (args, name);
  gboolean known = argument_type_known (type);
  if (json_is_null (value) || !known || argument_type_fits (type, value))
    return NULL;
  g_autofree char *given = shown (value);
  return g_strdup_printf ("argument %s: expected a value of type %s, got %s", name, type, given);
}

/* The first page reads CURSOR, however it is declared (`*`); or it is declared without a type. */
static gboolean
is_cursor (const Job *job, const json_t *cursor)
{
  if (cursor == NULL || json_is_null (cursor))
    return FALSE;
  for (guint i = 0; job->arguments[i] != NULL; i++)
    if (g_str_equal (job->arguments[i], "cursor") && !argument_type_known (job->argument_types[i]))
      return TRUE;
  return job->cursor->len > 0;
}

/* Only the first page reads `cursor`, so its columns are checked AT_THE_DOOR alone: a run that goes
 * on has another cursor. */
static char *
values_refusal (const Job *job, json_t *args, gboolean at_the_door)
{
  for (guint i = 0; job->arguments[i] != NULL; i++) {
    char *reason = value_refusal (job, args, i);
    if (reason != NULL)
      return reason;
  }
  json_t *cursor = json_object_get (args, "cursor");
  if (!is_cursor (job, cursor))
    return NULL;
  if (at_the_door)
    return cursor_refusal (job, cursor);
  if (json_is_plain_object (cursor))
    make_cursor_whole (job, cursor);
  return NULL;
}

/* Every argument in the unique key must have a value: runs whose keys are empty would block each
 * other. */
static char *
key_refusal (const Job *job, const json_t *args)
{
  for (const char *p = job->unique_key; p != NULL && (p = strchr (p, '{')) != NULL; p++) {
    const char *end = strchr (p, '}');
    if (end == NULL)
      return NULL;
    g_autofree char *name = g_strndup (p + 1, end - p - 1);
    const json_t *value = json_object_get (args, name);
    if (value == NULL || json_is_null (value))
      return g_strdup_printf ("argument %s is missing: the job's unique key is made of it", name);
    if (json_is_plain_object (value) || json_is_array (value))
      return g_strdup_printf ("argument %s: a unique key is made of a number or a text", name);
  }
  return NULL;
}

static char *
unknown_refusal (const Job *job, const json_t *args)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)args, name, value)
    if (!job_takes_argument (job, name)) {
      g_autofree char *hint = nearest_hint (name, (const char *const *)job->arguments);
      return g_strdup_printf ("unknown argument %s%s", name, hint);
    }
  return NULL;
}

char *
arguments_size_refusal (const Config *config, gsize len)
{
  gint64 most = config_int (config, "runs", "max_args_bytes");
  if ((gint64)len <= most)
    return NULL;
  return g_strdup_printf ("args too large: %" G_GSIZE_FORMAT " bytes, at most %" G_GINT64_FORMAT
                          " ([runs] max_args_bytes)",
                          len, most);
}

char *
arguments_refusal (const Job *job, json_t *args, gsize len)
{
  char *reason = unknown_refusal (job, args);
  if (reason == NULL)
    reason = arguments_size_refusal (in_force_config (), len);
  if (reason == NULL)
    reason = values_refusal (job, args, TRUE);
  return reason != NULL ? reason : key_refusal (job, args);
}

char *
arguments_child_refusal (const Job *job, json_t *args)
{
  if (!json_is_plain_object (args))
    return g_strdup ("args is not a JSON object");
  g_autofree char *text = json_text (args);
  gsize len = strlen (text);
  char *reason = arguments_size_refusal (in_force_config (), len > ROOM ? len - ROOM : 0);
  return reason != NULL ? reason : values_refusal (job, args, FALSE);
}

char *
arguments_run_refusal (const Job *job, json_t *args)
{
  return json_is_plain_object (args) ? values_refusal (job, args, FALSE)
                                     : g_strdup ("args is not a JSON object");
}
