#include "engine/job/sentence/sentence.h"

#include <string.h>

void
sentence_free (Sentence *sentence)
{
  if (sentence == NULL)
    return;
  g_free (sentence->name);
  g_free (sentence->place);
  g_clear_pointer (&sentence->lines, g_hash_table_unref);
  g_free (sentence->table);
  g_free (sentence->where);
  g_free (sentence->unless);
  g_free (sentence->due);
  g_free (sentence->due_found);
  g_free (sentence->due_age);
  g_free (sentence->due_unit);
  g_clear_pointer (&sentence->children, g_ptr_array_unref);
  g_clear_pointer (&sentence->set, g_ptr_array_unref);
  g_strfreev (sentence->record);
  g_strfreev (sentence->keep.per);
  g_strfreev (sentence->keep.by);
  g_free (sentence->older_than);
  g_free (sentence->bucket);
  g_free (sentence->object_column);
  g_free (sentence->archive);
  g_free (sentence->archive_place);
  g_free (sentence->consistency);
  g_free (sentence->born);
  g_strfreev (sentence->on);
  g_strfreev (sentence->by);
  g_free (sentence);
}

int
sentence_line (const Sentence *sentence, const char *key)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (sentence->lines, key));
}

char *
sentence_place_of (const Sentence *sentence, const char *why)
{
  const char *colon = strstr (why, ": "), *last = strrchr (sentence->place, ':');
  g_autofree char *key = g_strndup (why, colon != NULL ? (gsize)(colon - why) : 0);
  int line = sentence_line (sentence, key);
  if (line == 0)
    line = sentence_line (sentence, "table");
  return line == 0
             ? g_strdup (sentence->place)
             : g_strdup_printf ("%.*s:%d", (int)(last - sentence->place), sentence->place, line);
}

static void
match_free (gpointer data)
{
  SentenceMatch *match = data;
  g_free (match->path);
  g_free (match->value);
  g_free (match);
}

SentenceEvent *
sentence_event_new (const char *name)
{
  SentenceEvent *event = g_new0 (SentenceEvent, 1);
  event->name = g_strdup (name);
  event->type = g_strdup (name);
  event->match = g_ptr_array_new_with_free_func (match_free);
  return event;
}

void
sentence_event_match (SentenceEvent *event, const char *path, const char *value)
{
  SentenceMatch *match = g_new0 (SentenceMatch, 1);
  *match = (SentenceMatch){ g_strdup (path), g_strdup (value) };
  g_ptr_array_add (event->match, match);
}

gboolean
sentence_event_names_alike (const SentenceEvent *a, const SentenceEvent *b)
{
  if (a->columns == NULL || b->columns == NULL)
    return a->columns == b->columns;
  return g_strv_equal ((const char *const *)a->columns, (const char *const *)b->columns);
}

void
sentence_event_add_values (SentenceEvent *event, char **paths)
{
  GPtrArray *all = g_ptr_array_new ();
  for (char **path = event->values; path != NULL && *path != NULL; path++)
    g_ptr_array_add (all, *path);
  for (char **path = paths; *path != NULL; path++)
    if (!g_ptr_array_find_with_equal_func (all, *path, g_str_equal, NULL))
      g_ptr_array_add (all, g_strdup (*path));
  g_ptr_array_add (all, NULL);
  g_free (event->values);
  event->values = (char **)g_ptr_array_free (all, FALSE);
}

const SentenceEvent *
sentence_event_of (const SentenceEvent *event, const char *job)
{
  if (event->jobs == NULL)
    return event;
  for (guint i = 0; event->parts != NULL && i < event->parts->len; i++) {
    const SentenceEvent *part = event->parts->pdata[i];
    if (g_str_equal (part->of, job))
      return part;
  }
  return NULL;
}

void
sentence_event_free (SentenceEvent *event)
{
  if (event == NULL)
    return;
  g_free (event->name);
  g_free (event->type);
  g_free (event->place);
  g_free (event->topic);
  g_strfreev (event->key);
  g_free (event->id);
  g_strfreev (event->columns);
  g_free (event->due);
  g_free (event->cancel_on);
  g_ptr_array_unref (event->match);
  g_free (event->version);
  g_free (event->schema_file);
  g_free (event->schema_text);
  shape_free (event->schema);
  g_strfreev (event->jobs);
  g_strfreev (event->values);
  g_clear_pointer (&event->parts, g_ptr_array_unref);
  g_free (event->of);
  g_free (event);
}

gboolean
sentence_has_pages (const Sentence *sentence)
{
  return sentence != NULL
         && (sentence->where != NULL || sentence->keep.rows > 0 || sentence->older_than != NULL);
}
