#include "kafka/trouble.h"
#include <pthread.h>
#include <stdatomic.h>

struct _Trouble {
  pthread_mutex_t lock;
  GTree *texts;      /* subject -> text, under lock */
  atomic_uint count; /* of texts: makes trouble_clear cheap while there are none */
};

static int
compare_subjects (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (a, b);
}

Trouble *
trouble_new (void)
{
  Trouble *trouble = g_new0 (Trouble, 1);
  pthread_mutex_init (&trouble->lock, NULL);
  trouble->texts = g_tree_new_full (compare_subjects, NULL, g_free, g_free);
  return trouble;
}

void
trouble_free (Trouble *trouble)
{
  if (trouble == NULL)
    return;
  g_tree_destroy (trouble->texts);
  pthread_mutex_destroy (&trouble->lock);
  g_free (trouble);
}

void
trouble_set (Trouble *trouble, const char *subject, const char *text)
{
  pthread_mutex_lock (&trouble->lock);
  g_tree_replace (trouble->texts, g_strdup (subject), g_strdup (text));
  atomic_store (&trouble->count, g_tree_nnodes (trouble->texts));
  pthread_mutex_unlock (&trouble->lock);
}

void
trouble_clear (Trouble *trouble, const char *subject)
{
  if (!trouble_any (trouble))
    return;
  pthread_mutex_lock (&trouble->lock);
  g_tree_remove (trouble->texts, subject);
  atomic_store (&trouble->count, g_tree_nnodes (trouble->texts));
  pthread_mutex_unlock (&trouble->lock);
}

gboolean
trouble_any (Trouble *trouble)
{
  return atomic_load (&trouble->count) > 0;
}

static gboolean
add_subject (gpointer subject, gpointer text, gpointer out)
{
  g_ptr_array_add (out, g_strdup (subject));
  return FALSE;
}

GPtrArray *
trouble_subjects (Trouble *trouble)
{
  GPtrArray *subjects = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_lock (&trouble->lock);
  g_tree_foreach (trouble->texts, add_subject, subjects);
  pthread_mutex_unlock (&trouble->lock);
  return subjects;
}

static gboolean
add_text (gpointer subject, gpointer text, gpointer data)
{
  GString *out = data;
  g_string_append_printf (out, "%s%s", out->len > 0 ? "; " : "", (const char *)text);
  return FALSE;
}

char *
trouble_text (Trouble *trouble)
{
  if (!trouble_any (trouble))
    return NULL;
  GString *out = g_string_new (NULL);
  pthread_mutex_lock (&trouble->lock);
  g_tree_foreach (trouble->texts, add_text, out);
  pthread_mutex_unlock (&trouble->lock);
  return g_string_free (out, out->len == 0);
}
